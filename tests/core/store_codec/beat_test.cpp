// Heartbeats, leases, and the identity at a region's start.
#include "core/store/beat.hpp"

#include "core/store/identity.hpp"
#include "tests/core/store_codec/samples.hpp"

namespace tenter::store::test {
namespace beat_test {
namespace {

constexpr Generation core_job{0x0706'0504'0302'0100, 0x0F0E'0D0C'0B0A'0908}, reader{5, 6}, stranger{1, 1};

Beat lease() { return {BeatKind::reader, BeatState::open, core_job, reader, 3, 500}; }
Beat heartbeat() { return {BeatKind::core, BeatState::closing, core_job, {}, 9, 2'000}; }

// `bytes` with its last four made right again.
Blob resummed(const Blob& blob) { return with(blob, blob.size() - 4, crc32c(blob.bytes().first(blob.size() - 4))); }

TEST(Beats, have_the_bytes_of_version_1) {
  EXPECT_EQ(hex(encode_beat(lease()).bytes().first(60)),
            "544e545242454131"
            "02000000"
            "01000000"
            "000102030405060708090a0b0c0d0e0f"
            "05000000000000000600000000000000"
            "0300000000000000"
            "f4010000");
  EXPECT_EQ(encode_beat(lease()), resummed(encode_beat(lease())));
}

TEST(Beats, come_back_to_whom_they_belong) {
  EXPECT_EQ(decode_beat(encode_beat(lease()).bytes()).value(), lease());
  EXPECT_EQ(decode_beat_of(encode_beat(lease()).bytes(), core_job, reader).value(), lease());
  EXPECT_EQ(decode_beat_of(encode_beat(heartbeat()).bytes(), core_job, {}).value(), heartbeat());
  const auto other_job = decode_beat_of(encode_beat(heartbeat()).bytes(), stranger, {});
  EXPECT_REFUSED(other_job, "generation at offset 16 is 000102", "another job's");
  EXPECT_EQ(other_job.error().status, Status::mismatch);
  EXPECT_REFUSED(decode_beat_of(encode_beat(lease()).bytes(), core_job, stranger), "reader at offset 32");
  EXPECT_REFUSED(decode_beat_of(encode_beat(lease()).bytes(), core_job, {}), "reader at offset 32");
}

TEST(Beats, no_cut_flip_or_tail_is_believed) {
  const Blob file = encode_beat(lease());
  for_each_cut(file,
               [](Bytes cut) { EXPECT_REFUSED(decode_beat(cut), (std::to_string(cut.size()) + " bytes, wanted 64").c_str()); });
  for_each_flip(file, [](Bytes flipped, std::size_t) { EXPECT_REFUSED(decode_beat(flipped), "at offset "); });
  EXPECT_REFUSED(decode_beat(Blob(std::string(file.text()) + "\n").bytes()), "65 bytes, wanted 64");
}

TEST(Beats, that_break_a_rule_are_refused_also_with_a_right_checksum) {
  const auto refused = [](std::size_t offset, std::uint32_t value, const char* text) {
    EXPECT_REFUSED(decode_beat(resummed(with(encode_beat(lease()), offset, value)).bytes()), text);
  };
  refused(8, 0, "kind at offset 8 is 0, wanted 1 or 2");
  refused(8, 3, "kind at offset 8 is 3");
  refused(8, 1, "reader at offset 32");
  refused(12, 0, "state at offset 12 is 0, wanted 1 to 3");
  refused(12, 4, "state at offset 12 is 4");
  refused(56, 0, "period_ms at offset 56 is 0");
  Blob nobodys = encode_beat(lease());
  for (std::size_t at = 16; at < 32; ++at) nobodys = with(nobodys, at, std::uint8_t{0});
  EXPECT_REFUSED(decode_beat(resummed(nobodys).bytes()), "generation at offset 16");
}

Identity identity() { return {core_job, identity_of_name("x"), 100, 24, 2}; }

TEST(Identities, say_whose_a_region_is) {
  EXPECT_TRUE(check_identity(encode_identity(identity()).bytes(), identity()));
  EXPECT_EQ(encode_identity(identity()).size(), identity_bytes);
}

// D23; B06, B09: a recycled address with an accepted key.
TEST(Identities, of_somebody_else_are_named) {
  const auto refused = [](auto change, const char* text) {
    Identity found = identity();
    change(found);
    const auto checked = check_identity(encode_identity(found).bytes(), identity());
    EXPECT_REFUSED(checked, "region of rank 2: ", text);
    EXPECT_EQ(checked.error().status, Status::mismatch);
  };
  refused([](Identity& i) { i.generation = stranger; }, "generation is 01000000");
  refused([](Identity& i) { i.rank = 3; }, "rank is 3, wanted 2");
  refused([](Identity& i) { i.variable = identity_of_name("y"); }, "variable is 0x");
  refused([](Identity& i) { i.rows = 99; }, "rows is 99, wanted 100");
  refused([](Identity& i) { i.slot_bytes = 25; }, "slot bytes is 25, wanted 24");
}

TEST(Identities, are_not_found_in_other_memory) {
  const Blob good = encode_identity(identity());
  for_each_cut(good, [](Bytes cut) { EXPECT_REFUSED(check_identity(cut, identity()), "region of rank 2: "); });
  for_each_flip(good, [](Bytes flipped, std::size_t) { EXPECT_FALSE(check_identity(flipped, identity()).has_value()); });
  EXPECT_REFUSED(check_identity(bytes_of(std::string(64, '\0')), identity()), "no region of a store");
  EXPECT_REFUSED(check_identity(resummed(with(good, 55, std::uint8_t{1})).bytes(), identity()), "offset 52 to 59");
}

}  // namespace
}  // namespace beat_test
}  // namespace tenter::store::test
