#include "core/mailbox/frame.hpp"

#include "core/mailbox/vector.hpp"
#include "core/wire.hpp"
#include "tests/core/mailbox_codec/bytes.hpp"

namespace tenter::mailbox::test {
namespace {

constexpr FrameIdentity identity{0x1122'3344'5566'7788, 7, 0x0102'0304'0506'0708};

Blob three_bytes() { return write_frame(FrameType::task, identity, bytes_of("abc")).value(); }

Blob zeroes(std::size_t size) {
  return Blob(size, [](MutableBytes to) { std::fill(to.begin(), to.end(), std::byte{0}); });
}

Result<TaskCall> task_of(const Blob& frame) {
  auto read = read_frame(frame.bytes());
  if (!read) return tl::unexpected(read.error());
  return read_task(read->payload);
}
Result<ReplyContent> reply_of(const Blob& frame) {
  auto read = read_frame(frame.bytes());
  if (!read) return tl::unexpected(read.error());
  return read_reply(*read);
}

TEST(Frame, has_the_bytes_of_the_reference) {
  EXPECT_EQ(hex(three_bytes().bytes()),
            "534c5233"
            "03000000"
            "02000000"
            "8877665544332211"
            "07000000"
            "0807060504030201"
            "03000000"
            "00000000"
            "616263");
}

TEST(Frame, gives_back_type_identity_flags_and_payload) {
  const Blob bytes = three_bytes();
  const auto frame = read_frame(bytes.bytes()).value();
  EXPECT_EQ(frame.type, FrameType::task);
  EXPECT_EQ(frame.identity, identity);
  EXPECT_EQ(frame.flags, 0u);
  EXPECT_EQ(hex(frame.payload), "616263");
}

TEST(Frame, every_cut_and_every_tail_is_refused) {
  for_each_cut(three_bytes(), [](Bytes cut) { EXPECT_FALSE(read_frame(cut)) << cut.size(); });
  std::vector<std::byte> longer = mutable_copy(three_bytes());
  longer.push_back(std::byte{0});
  EXPECT_REFUSED(read_frame(Bytes(longer)), "payload bytes at offset 32 is 3");
  EXPECT_REFUSED(read_frame({}), "0 bytes are fewer than the header's 40");
}

TEST(Frame, values_outside_the_protocol_are_refused_by_field_and_offset) {
  const Blob good = three_bytes();
  const auto refuse = [&](std::size_t offset, std::uint32_t value, const char* where) {
    EXPECT_REFUSED(read_frame(with(good, offset, value).bytes()), where);
  };
  for (const std::uint32_t magic : {0x32524C53u, 0x33726C73u, 0x534C5233u, 0u}) refuse(0, magic, "magic at offset 0");
  for (const std::uint32_t version : {0u, 2u, 4u, 0x0300'0000u}) refuse(4, version, "version at offset 4");
  for (const std::uint32_t type : {0u, 8u, 0x8000'0002u, 0x0200'0000u}) refuse(8, type, "type at offset 8");
  for (const std::uint32_t flags : {2u, 3u, 0x8000'0000u, 0xFFFF'FFFFu}) refuse(36, flags, "flags at offset 36");
  for (const std::uint32_t length : {0u, 2u, 4u, 0x0100'0001u, 0x7FFF'FFFFu, 0xFFFF'FFFFu})
    refuse(32, length, "payload bytes at offset 32");
}

TEST(Frame, the_first_wrong_field_is_the_one_that_is_named) {
  Blob bad = with(with(with(three_bytes(), 36, 0xFFFF'FFFFu), 32, 0xFFFF'FFFFu), 8, 99u);
  EXPECT_REFUSED(read_frame(bad.bytes()), "type at offset 8");
  bad = with(bad, 8, 2u);
  EXPECT_REFUSED(read_frame(bad.bytes()), "flags at offset 36");
  bad = with(bad, 36, 1u);
  EXPECT_REFUSED(read_frame(bad.bytes()), "payload bytes at offset 32", "16777216");
}

TEST(Frame, the_largest_payload_of_slr3_is_legal_and_the_largest_of_the_mailbox_fits_its_page) {
  const Blob most = write_frame(FrameType::control, identity, zeroes(16'777'216).bytes()).value();
  EXPECT_EQ(read_frame(most.bytes()).value().payload.size(), 16'777'216u);
  EXPECT_REFUSED(write_frame(FrameType::control, identity, zeroes(16'777'217).bytes()), "16777217");
  const Blob largest = write_frame(FrameType::control, identity, zeroes(frame_payload_max).bytes()).value();
  EXPECT_TRUE(check_capacity({largest}));
  const Blob larger = write_frame(FrameType::control, identity, zeroes(frame_payload_max + 1).bytes()).value();
  EXPECT_REFUSED(check_capacity({larger}), "16777217");
}

TaskCall scale() {
  TaskCall call;
  for (std::size_t i = 0; i < 32; ++i) call.callable[i] = static_cast<std::byte>(i);
  call.scalars = {1, 0xFFFF'FFFF'FFFF'FFFF};
  call.inline_bytes = bytes_of("xyz");
  return call;
}

TEST(Task, has_the_bytes_of_the_reference) {
  const Blob frame = write_task(identity, scale()).value();
  EXPECT_EQ(hex(frame.bytes().subspan(40)),
            "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
            "000000000000000000000000000000000000000000000000"
            "00000000"
            "00000000"
            "02000000"
            "0100000000000000"
            "ffffffffffffffff"
            "03000000"
            "78797a");
}

TEST(Task, gives_back_callable_scalars_and_inline_bytes) {
  const Blob frame = write_task(identity, scale()).value();
  const auto call = task_of(frame).value();
  EXPECT_EQ(call.callable, scale().callable);
  EXPECT_EQ(call.scalars, scale().scalars);
  EXPECT_EQ(hex(call.inline_bytes), "78797a");
  EXPECT_EQ(hex(task_argument(call).bytes()),
            "02000000"
            "0100000000000000"
            "ffffffffffffffff"
            "78797a");
}

TEST(Task, every_cut_of_its_payload_is_refused) {
  const Blob frame = write_task(identity, scale()).value();
  for_each_cut(Blob(frame.bytes().subspan(40)), [](Bytes cut) { EXPECT_FALSE(read_task(cut)) << cut.size(); });
}

TEST(Task, tensors_are_refused_as_not_carried) {
  slr3::TaskCall call;
  slr3::Tensor tensor;
  tensor.bytes = 4;
  tensor.shape = tensor.stride = {1};
  call.tensors = {tensor};
  const Blob frame = write_frame(FrameType::task, identity, slr3::write_task(call).value().bytes()).value();
  EXPECT_REFUSED(task_of(frame), "1 tensors");
  EXPECT_EQ(task_of(frame).error().status, Status::unavailable);
}

TEST(Task, diagnostics_without_an_output_prefix_are_refused) {
  const Blob good = write_task(identity, scale()).value();
  EXPECT_TRUE(task_of(with(good, 40 + 32, std::uint32_t{4}))) << "the thread count is no diagnostic";
  for (std::size_t field = 1; field < 6; ++field)
    EXPECT_REFUSED(task_of(with(good, 40 + 32 + 4 * field, std::uint32_t{1})), "output prefix");
}

TEST(Task, limits_are_exact_and_refused_by_the_sender_too) {
  TaskCall call;
  call.scalars.resize(4'096);
  const Blob inline_bytes = zeroes(1'048'576);
  call.inline_bytes = inline_bytes.bytes();
  EXPECT_EQ(task_of(write_task(identity, call).value()).value().scalars.size(), 4'096u);
  call.scalars.push_back(0);
  EXPECT_REFUSED(write_task(identity, call), "4097 scalars", "4096");
  call.scalars.clear();
  const Blob more = zeroes(1'048'577);
  call.inline_bytes = more.bytes();
  EXPECT_REFUSED(write_task(identity, call), "1048577 inline bytes", "1048576", "COPY_TO_REMOTE");
}

TEST(Control, has_the_bytes_of_the_reference) {
  const Blob frame = write_control(identity, {ControlName::alloc_domain, bytes_of("ab")}, true).value();
  EXPECT_EQ(hex(frame.bytes().subspan(36)),
            "01000000"
            "0e000000"
            "01000000"
            "02000000"
            "6162");
  const auto read = read_frame(frame.bytes()).value();
  EXPECT_EQ(read.flags, slr3::group_target_flag);
  EXPECT_EQ(read_control(read.payload).value().name, ControlName::alloc_domain);
  EXPECT_EQ(hex(read_control(read.payload).value().command), "6162");
}

TEST(Control, unknown_names_other_versions_and_every_cut_are_refused) {
  const Blob payload(write_control(identity, {ControlName::copy_to_remote, bytes_of("ab")}, false).value().bytes().subspan(40));
  for (const std::uint32_t name : {0u, 18u, 0xFFFF'FFFFu})
    EXPECT_REFUSED(read_control(with(payload, 0, name).bytes()), "offset 0");
  for (const std::uint32_t version : {0u, 2u}) EXPECT_REFUSED(read_control(with(payload, 4, version).bytes()), "offset 4");
  for_each_cut(payload, [](Bytes cut) { EXPECT_FALSE(read_control(cut)) << cut.size(); });
}

TEST(Control, of_more_than_one_frame_carries_is_refused_by_the_sender) {
  const Blob most = zeroes(slr3::payload_bytes_max - slr3::control_head_bytes), more = zeroes(most.size() + 1);
  EXPECT_EQ(write_control(identity, {ControlName::copy_to_remote, most.bytes()}, false).value().size(), slr3::frame_bytes_max);
  const auto refused = write_control(identity, {ControlName::copy_to_remote, more.bytes()}, false);
  EXPECT_REFUSED(refused, "16777217", "16777216");
  EXPECT_EQ(refused.error().status, Status::no_space);
}

TEST(Control, only_the_two_domain_controls_may_address_the_group) {
  for (std::uint32_t name = 0; name < 20; ++name) {
    EXPECT_EQ(may_target_group(ControlName{name}), name == 14 || name == 15) << name;
    EXPECT_EQ(is_valid(ControlName{name}), name >= 1 && name <= 17) << name;
  }
}

TEST(Reply, a_task_without_a_result_is_answered_by_a_completion) {
  const Blob frame = write_task_reply(identity, {});
  EXPECT_EQ(hex(frame.bytes().subspan(8, 4)), "05000000");
  EXPECT_EQ(hex(frame.bytes().subspan(40)),
            "0807060504030201"
            "00000000"
            "00000000");
  EXPECT_EQ(frame.size(), reply_frame_bytes(true, 0));
}

TEST(Reply, a_task_that_failed_is_answered_by_a_completion_also_when_it_has_a_result) {
  const Blob frame = write_task_reply(identity, {1, "no", bytes_of("half")});
  EXPECT_EQ(hex(frame.bytes().subspan(8, 4)), "05000000");
  const auto reply = reply_of(frame).value();
  EXPECT_EQ(reply.code, 1);
  EXPECT_EQ(reply.error, "no");
  EXPECT_TRUE(reply.result.empty());
}

TEST(Reply, a_result_travels_in_a_control_reply_of_name_0) {
  const Blob frame = write_task_reply(identity, {0, {}, bytes_of("ok")});
  EXPECT_EQ(hex(frame.bytes().subspan(8, 4)), "04000000");
  EXPECT_EQ(hex(frame.bytes().subspan(40)),
            "0807060504030201"
            "00000000"
            "01000000"
            "00000000"
            "00000000"
            "02000000"
            "6f6b");
  EXPECT_EQ(frame.size(), reply_frame_bytes(true, 2));
  EXPECT_EQ(hex(reply_of(frame).value().result), "6f6b");
  EXPECT_EQ(write_control_reply(identity, ControlName{8}, {0, {}, bytes_of("ok")}).size(), reply_frame_bytes(false, 2));
  EXPECT_EQ(write_control_reply(identity, ControlName{8}, {}).size(), reply_frame_bytes(false, 0));
}

TEST(Reply, names_its_control) {
  const Blob frame = write_control_reply(identity, ControlName{9}, {-3, "gone", {}});
  const auto reply = reply_of(frame).value();
  EXPECT_EQ(reply.control, ControlName::copy_from_remote);
  EXPECT_EQ(reply.code, -3);
  EXPECT_REFUSED(reply_of(with(frame, 48, std::uint32_t{18})), "name at offset 8 is 18");
  EXPECT_REFUSED(reply_of(with(frame, 52, std::uint32_t{0})), "version at offset 12 is 0");
}

TEST(Reply, a_sequence_that_differs_between_header_and_payload_is_refused) {
  for (const Blob& frame : {write_completion(identity, 0, ""), write_control_reply(identity, ControlName{1}, {})}) {
    EXPECT_REFUSED(reply_of(with(frame, 40, std::uint64_t{9})), "sequence 9 in the payload");
    EXPECT_EQ(reply_of(with(frame, 40, std::uint64_t{9})).error().status, Status::mismatch);
  }
}

TEST(Reply, an_error_text_is_cut_to_4096_bytes_not_characters) {
  std::string text = "x";
  for (int i = 0; i < 3'000; ++i) text += "\xE2\x82\xAC";
  const Blob frame = write_completion(identity, 1, text);
  const auto reply = reply_of(frame).value();
  EXPECT_EQ(reply.error, text.substr(0, 1 + 3 * 1'365));
  const Blob broken = write_completion(identity, 1, std::string(2'000, '\xFF'));
  EXPECT_EQ(reply_of(broken).value().error.size(), 4'095u) << "1,365 replacement characters";
}

TEST(Reply, every_cut_and_other_frame_types_are_refused) {
  for (const Blob& frame :
       {write_completion(identity, 1, "why"), write_control_reply(identity, ControlName{1}, {0, {}, bytes_of("ok")})}) {
    const auto good = read_frame(frame.bytes()).value();
    for_each_cut(Blob(good.payload), [&](Bytes cut) {
      Frame shorter = good;
      shorter.payload = cut;
      EXPECT_FALSE(read_reply(shorter)) << cut.size();
    });
  }
  EXPECT_REFUSED(reply_of(write_frame(FrameType::health, identity, {}).value()), "frame type 6 is not a reply");
}

}  // namespace
}  // namespace tenter::mailbox::test
