#include "core/mailbox/vector.hpp"

#include "core/wire.hpp"
#include "tests/core/mailbox_codec/bytes.hpp"

namespace tenter::mailbox::test {
namespace {

Blob whole(const Parts& payloads) {
  wire::Writer writer;
  writer.bytes(vector_prefix(payloads).bytes());
  for (const Blob& payload : payloads) writer.bytes(payload.bytes());
  return writer.blob();
}

Blob zeroes(std::size_t size) {
  return Blob(size, [](MutableBytes to) { std::fill(to.begin(), to.end(), std::byte{0}); });
}

TEST(PayloadVector, has_the_bytes_of_the_specification) {
  const Parts payloads{Blob(std::string_view("abc")), Blob(), Blob(std::string_view("z"))};
  EXPECT_EQ(hex(whole(payloads).bytes()),
            "03000000"
            "03000000"
            "00000000"
            "01000000"
            "616263"
            "7a");
  EXPECT_EQ(encoded_bytes(payloads), 20u);
}

TEST(PayloadVector, gives_back_every_payload_also_empty_ones) {
  const Parts payloads{Blob(std::string_view("abc")), Blob(), Blob(std::string_view("z"))};
  EXPECT_EQ(decode_vector(whole(payloads), 3).value(), payloads);
  EXPECT_EQ(decode_vector(whole({}), 0).value(), Parts());
}

TEST(PayloadVector, is_refused_when_its_count_is_not_the_expected_one) {
  EXPECT_REFUSED(decode_vector(whole({Blob(std::string_view("abc"))}), 2), "count at byte 0 is 1", "wanted 2");
}

TEST(PayloadVector, a_count_whose_lengths_would_wrap_32_bits_is_refused) {
  const Blob wrapping = with(whole({Blob(std::string_view("abcdefgh"))}), 0, std::uint32_t{0x4000'0000});
  EXPECT_REFUSED(decode_vector(wrapping, 0x4000'0000), "4294967300 bytes");
}

TEST(PayloadVector, lengths_that_sum_past_32_bits_are_refused_at_the_first_that_does_not_fit) {
  Blob vector = whole({Blob(std::string_view("ab")), Blob(std::string_view("cd")), Blob(std::string_view("ef"))});
  vector = with(with(vector, 4, std::uint32_t{0xFFFF'FFFF}), 8, std::uint32_t{7});  // -1 + 7 + 2 - 2 = 6 in 32 bits
  EXPECT_REFUSED(decode_vector(vector, 3), "payload 0", "4294967295", "only 6 bytes are left");
}

TEST(PayloadVector, a_byte_after_its_last_payload_is_refused) {
  std::vector<std::byte> longer = mutable_copy(whole({Blob(std::string_view("ab"))}));
  longer.push_back(std::byte{0});
  EXPECT_REFUSED(decode_vector(Blob(Bytes(longer)), 1), "1 bytes after its last payload");
}

TEST(PayloadVector, every_cut_is_refused) {
  const Blob vector = whole({Blob(std::string_view("abc")), Blob(std::string_view("de"))});
  for_each_cut(vector, [](Bytes cut) { EXPECT_FALSE(decode_vector(Blob(cut), 2)) << cut.size(); });
}

TEST(PayloadVector, the_largest_payload_fits_to_the_byte_and_one_more_is_refused) {
  const Blob largest = zeroes(16'777'208);
  EXPECT_TRUE(check_capacity({largest}));
  EXPECT_EQ(decode_vector(whole({largest}), 1).value()[0], largest);
  EXPECT_REFUSED(check_capacity({Blob(), zeroes(16'777'205)}), "the limit is 16777216", "payload 1", "16777205");
  EXPECT_TRUE(check_capacity({Blob(), zeroes(16'777'204)}));
}

TEST(PayloadVector, a_header_that_claims_more_than_the_area_is_refused_before_the_prefix_is_looked_at) {
  const Blob prefix = vector_prefix({Blob(std::string_view("abc"))});
  EXPECT_REFUSED(decode_prefix(prefix.bytes(), 1, 16'777'217), "16777217", "the limit is 16777216");
  EXPECT_REFUSED(decode_prefix(prefix.bytes(), 1, 0xFFFF'FFFF), "4294967295");
  for (const std::uint64_t bytes : {0u, 3u, 4u, 7u, 10u, 12u}) EXPECT_FALSE(decode_prefix(prefix.bytes(), 1, bytes)) << bytes;
  EXPECT_EQ(decode_prefix(prefix.bytes(), 1, 11).value(), std::vector<std::uint32_t>{3});
}

TEST(PayloadVector, room_is_counted_per_payload) {
  EXPECT_EQ(payload_bytes_max(1), 16'777'208u);
  EXPECT_EQ(payload_bytes_max(64), 262'139u);  // as the specification measured
  EXPECT_EQ(payload_bytes_max(0x4000'0000), 0u);
  const std::vector<std::uint64_t> sizes(3, 0xFFFF'FFFFu);
  EXPECT_EQ(encoded_bytes(sizes), 16 + 3 * 0xFFFF'FFFFull);
}

}  // namespace
}  // namespace tenter::mailbox::test
