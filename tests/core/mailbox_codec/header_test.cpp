#include "core/mailbox/header.hpp"

#include "core/mailbox/dispatcher_values.hpp"
#include "tests/core/mailbox_codec/bytes.hpp"

namespace tenter::mailbox::test {
namespace {

constexpr unsigned long long good_bytes = 33'620'224;

Blob page(GroupState group = GroupState::initializing) {
  Header header = fresh_header(3);
  header.group_state = group;
  return encode_header(header);
}
auto attach(const Blob& header, AttachAs as = AttachAs::rank_0) { return check_attach(header.bytes(), good_bytes, 3, as); }

TEST(PageHeader, has_the_bytes_of_version_1) {
  const Blob header = page();
  ASSERT_EQ(header.size(), 256u);
  EXPECT_EQ(hex(header.bytes().first(40)),
            "534d5049424f5800"
            "01000000"
            "00010000"
            "0001010200000000"
            "03000000"
            "00000000"
            "00000000"
            "00000000");
  EXPECT_EQ(hex(header.bytes().subspan(40)), std::string(432, '0'));
}

TEST(PageHeader, every_field_is_where_the_layout_says) {
  Header header = fresh_header(3);
  header.group_state = GroupState::ready;
  header.request_state = RequestState::shutdown_done;
  header.sequence = 0x0102'0304'0506'0708;
  header.opcode = Opcode::shutdown;
  header.target = Target::per_rank;
  header.target_rank = -1;
  header.request_count = 11;
  header.request_bytes = 12;
  header.response_count = 13;
  header.response_bytes = 14;
  header.error_bytes = 15;
  EXPECT_EQ(hex(encode_header(header).bytes().subspan(24, 56)),
            "03000000"
            "01000000"
            "06000000"
            "00000000"
            "0807060504030201"
            "04000000"
            "03000000"
            "ffffffff"
            "0b000000"
            "0c000000"
            "0d000000"
            "0e000000"
            "0f000000");
  EXPECT_EQ(decode_header(encode_header(header).bytes()).value(), header);
}

TEST(PageHeader, both_sides_attach_in_their_own_state_only) {
  EXPECT_TRUE(attach(page(), AttachAs::rank_0));
  EXPECT_TRUE(attach(page(GroupState::ready), AttachAs::parent));
  EXPECT_REFUSED(attach(page(GroupState::ready), AttachAs::rank_0), "group_state at offset 28 is READY", "wanted INITIALIZING");
  EXPECT_REFUSED(attach(page(), AttachAs::parent), "group_state at offset 28 is INITIALIZING", "wanted READY");
  for (const GroupState state : {GroupState::terminal, GroupState::closed}) {
    EXPECT_EQ(attach(page(state), AttachAs::rank_0).error().status, Status::unavailable);
    EXPECT_EQ(attach(page(state), AttachAs::parent).error().status, Status::unavailable);
    EXPECT_TRUE(attach(page(state), AttachAs::observer));
  }
}

TEST(PageHeader, a_mapping_of_another_size_is_refused) {
  for (const std::uint64_t bytes : {0ull, 79ull, 255ull, 256ull, good_bytes - 1, good_bytes + 4'096})
    EXPECT_REFUSED(check_attach(page().bytes(), bytes, 3, AttachAs::rank_0), std::to_string(bytes), "wanted 33620224");
}

TEST(PageHeader, other_magics_are_refused) {
  EXPECT_REFUSED(attach(with(page(), 7, std::uint8_t{1})), "magic at offset 0");
  EXPECT_REFUSED(attach(with(page(), 0, std::uint64_t{0x00786F6269706D73})), "magic at offset 0");
}

TEST(PageHeader, other_versions_and_sizes_are_refused_by_name_offset_and_value) {
  const auto refuse = [](std::size_t offset, auto value, std::initializer_list<const char*> parts) {
    const auto result = attach(with(page(), offset, value));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, Status::mismatch);
    for (const char* part : parts) EXPECT_TRUE(contains(result.error().what, part)) << result.error().what;
  };
  for (const std::uint32_t version : {0u, 2u, 0xFFFF'FFFFu})
    refuse(8, version, {"version at offset 8", std::to_string(version).c_str(), "wanted 1"});
  for (const std::uint32_t bytes : {0u, 255u, 257u}) refuse(12, bytes, {"header_bytes at offset 12", "wanted 256"});
  for (const std::uint64_t bytes : {0ull, good_bytes - 1, good_bytes + 1, ~0ull})
    refuse(16, bytes, {"page_bytes at offset 16", "wanted 33620224"});
  for (const std::uint32_t world : {0u, 2u, 0x8000'0000u, 0xFFFF'FFFFu}) refuse(24, world, {"world at offset 24"});
}

TEST(PageHeader, states_that_do_not_exist_are_refused_as_what_they_are) {
  for (const std::int32_t state : {4, -1, 2'147'483'647})
    for (const AttachAs as : {AttachAs::rank_0, AttachAs::parent, AttachAs::observer})
      EXPECT_REFUSED(attach(with(page(), 28, state), as), "group_state at offset 28", std::to_string(state));
  for (const std::int32_t state : {7, -1})
    EXPECT_REFUSED(attach(with(page(), 32, state), AttachAs::observer), "request_state at offset 32", std::to_string(state));
}

TEST(PageHeader, each_unused_byte_must_be_zero_at_both_attaches) {
  for (std::size_t offset = 0; offset < 256; ++offset) {
    if (offset < 36 || (offset >= 40 && offset < 80)) continue;
    const std::string at = "offset " + std::to_string(offset) + " is 128";
    EXPECT_REFUSED(attach(with(page(), offset, std::uint8_t{128})), at.c_str());
    EXPECT_REFUSED(attach(with(page(GroupState::ready), offset, std::uint8_t{128}), AttachAs::parent), at.c_str());
  }
}

TEST(PageHeader, a_page_that_was_used_is_not_ours) {
  EXPECT_REFUSED(attach(with(page(), 40, std::uint64_t{1})), "sequence at offset 40 is 1");
  EXPECT_REFUSED(attach(with(page(), 32, RequestState::task_done)), "request_state at offset 32 is TASK_DONE");
  EXPECT_TRUE(attach(with(page(), 40, std::uint64_t{1}), AttachAs::observer));
}

TEST(PageHeader, fewer_than_256_bytes_are_refused) {
  for_each_cut(page(), [](Bytes cut) { EXPECT_FALSE(check_attach(cut, good_bytes, 3, AttachAs::rank_0)); });
}

// A request, judged by rank 0 on its private copy.
Blob request(RequestFields fields) { return write_request_fields(fields); }
constexpr RequestFields directed{5, Opcode::task, Target::rank, 2, 1, 100};
auto judge(RequestFields fields, RequestState ready = RequestState::request_ready) {
  return check_request(request(fields).bytes(), ready, 4, 3);
}

TEST(Request, has_36_bytes_in_the_order_of_the_page) {
  EXPECT_EQ(hex(request({0x0102'0304'0506'0708, Opcode::control, Target::group, -1, 1, 9}).bytes()),
            "0807060504030201"
            "02000000"
            "01000000"
            "ffffffff"
            "01000000"
            "09000000"
            "00000000"
            "00000000");
}

TEST(Request, of_every_legal_opcode_and_target_is_accepted) {
  for (const Opcode opcode : {Opcode::task, Opcode::control}) {
    EXPECT_EQ(judge({5, opcode, Target::rank, 2, 1, 8}).value(), (RequestFields{5, opcode, Target::rank, 2, 1, 8}));
    EXPECT_TRUE(judge({5, opcode, Target::group, -1, 1, 8}));
    EXPECT_TRUE(judge({5, opcode, Target::per_rank, -1, 3, 16}));
  }
  EXPECT_TRUE(judge({5, Opcode::ping, Target::group, -1, 1, 8}));
  EXPECT_TRUE(judge({5, Opcode::shutdown, Target::group, -1, 1, 8}, RequestState::shutdown_ready));
}

TEST(Request, only_the_group_is_pinged_or_shut_down) {
  for (const Target target : {Target::rank, Target::per_rank}) {
    const RequestFields fields{5, Opcode::ping, target, target == Target::rank ? 1 : -1, target == Target::rank ? 1u : 3u, 100};
    EXPECT_REFUSED(judge(fields), "target at offset 52", "PING");
    RequestFields end = fields;
    end.opcode = Opcode::shutdown;
    EXPECT_REFUSED(judge(end, RequestState::shutdown_ready), "target at offset 52", "SHUTDOWN");
  }
}

TEST(Request, shutdown_is_announced_by_its_own_word_and_nothing_else_is) {
  EXPECT_REFUSED(judge({5, Opcode::shutdown, Target::group, -1, 1, 8}), "opcode at offset 48 is 4", "REQUEST_READY");
  EXPECT_REFUSED(judge({5, Opcode::ping, Target::group, -1, 1, 8}, RequestState::shutdown_ready), "SHUTDOWN_READY");
}

TEST(Request, a_sequence_that_is_not_newer_is_refused) {
  for (const std::uint64_t sequence : {0ull, 1ull, 4ull}) {
    RequestFields fields = directed;
    fields.sequence = sequence;
    EXPECT_REFUSED(judge(fields), "sequence at offset 40", "not newer", "4");
  }
  RequestFields far = directed;
  far.sequence = ~0ull;  // gaps are fine
  EXPECT_TRUE(judge(far));
}

TEST(Request, enums_ranks_and_counts_out_of_range_are_refused_with_their_offset) {
  const Blob good = request(directed);
  const auto refuse = [&](std::size_t offset, std::uint32_t value, const char* where) {
    EXPECT_REFUSED(check_request(with(good, offset - 40, value).bytes(), RequestState::request_ready, 4, 3), where);
  };
  for (const std::uint32_t opcode : {0u, 5u, 0xFFFF'FFFFu}) refuse(48, opcode, "opcode at offset 48");
  for (const std::uint32_t target : {0u, 4u, 0x8000'0000u}) refuse(52, target, "target at offset 52");
  for (const std::uint32_t rank : {3u, 0x7FFF'FFFFu, 0xFFFF'FFFFu}) refuse(56, rank, "target_rank at offset 56");
  for (const std::uint32_t count : {0u, 2u, 3u, 0x4000'0000u, 0xFFFF'FFFFu}) refuse(60, count, "request_count at offset 60");
  for (const std::uint32_t bytes : {0u, 3u, 4u, 7u, 16'777'217u, 0xFFFF'FFFFu}) refuse(64, bytes, "request_bytes at offset 64");
  EXPECT_TRUE(check_request(with(good, 24, std::uint32_t{16'777'216}).bytes(), RequestState::request_ready, 4, 3));
}

TEST(Request, a_target_rank_beside_a_group_target_is_refused) {
  EXPECT_REFUSED(judge({5, Opcode::task, Target::group, 0, 1, 8}), "target_rank at offset 56");
  EXPECT_REFUSED(judge({5, Opcode::task, Target::per_rank, 0, 3, 16}), "target_rank at offset 56");
}

}  // namespace
}  // namespace tenter::mailbox::test
