// Properties over random values: what is written is read back; a changed byte is an error or another value that is written as it
// was read; a cut is refused.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <rapidcheck/gtest.h>

#include "core/utf8.hpp"
#include "tests/core/control_codec/samples.hpp"

namespace tenter::control::test {
namespace codec_properties {
namespace {

std::string any_text(std::size_t most) {
  const std::string text = utf8_repaired(*rc::gen::arbitrary<std::string>());
  return std::string(utf8_cut(text, most));
}
Blob any_blob(std::size_t most) {
  const auto bytes = *rc::gen::container<std::vector<std::uint8_t>>(*rc::gen::inRange<std::size_t>(0, most + 1),
                                                                    rc::gen::arbitrary<std::uint8_t>());
  return Blob(std::as_bytes(std::span(bytes)));
}
FrameIdentity any_identity() {
  return {*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::arbitrary<std::int32_t>(), *rc::gen::arbitrary<std::uint64_t>()};
}
Blob one_byte_changed(const Blob& blob) {
  std::vector<std::byte> bytes = mutable_copy(blob);
  bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] ^= static_cast<std::byte>(*rc::gen::inRange(1, 256));
  return Blob(Bytes(bytes));
}
Bytes any_cut(const Blob& blob) { return blob.bytes().first(*rc::gen::inRange<std::size_t>(0, blob.size())); }

Tensor any_tensor(std::uint64_t inline_bytes) {
  Tensor tensor;
  tensor.owner_nonce = *rc::gen::arbitrary<std::uint64_t>();
  tensor.buffer_id = *rc::gen::arbitrary<std::uint64_t>();
  tensor.generation = *rc::gen::nonZero<std::uint32_t>();
  tensor.address_space = *rc::gen::arbitrary<std::uint8_t>();
  tensor.access = *rc::gen::inRange<std::uint8_t>(0, 3);
  tensor.owner_path = *rc::gen::arbitrary<std::uint32_t>();
  tensor.dtype = *rc::gen::inRange(0u, 15u);
  for (int i = *rc::gen::inRange(1, 6); i > 0; --i) {
    tensor.shape.push_back(*rc::gen::inRange(1u, 9u));
    tensor.stride.push_back(*rc::gen::inRange(1u, 100u));
  }
  tensor.bytes = view_bytes(tensor) + *rc::gen::inRange<std::uint64_t>(0, 100);
  const int kind = *rc::gen::inRange(0, 5);
  if (kind == 0) return tensor;
  BufferDescriptor descriptor;
  descriptor.space = AddressSpace{static_cast<std::uint32_t>(kind)};
  if (descriptor.space == AddressSpace::host_inline) {
    descriptor.offset = *rc::gen::inRange<std::uint64_t>(0, 1u << 30);
    descriptor.inline_offset = *rc::gen::inRange<std::uint64_t>(0, inline_bytes + 1);
    descriptor.inline_bytes = descriptor.bytes = *rc::gen::inRange<std::uint64_t>(0, inline_bytes - descriptor.inline_offset + 1);
  } else {
    descriptor.owner = *rc::gen::inRange(0, 1'000);
    descriptor.buffer_id = *rc::gen::nonZero<std::uint64_t>();
    descriptor.generation = *rc::gen::nonZero<std::uint64_t>();
    descriptor.offset = *rc::gen::inRange<std::uint64_t>(0, 1u << 30);
    descriptor.bytes = *rc::gen::inRange<std::uint64_t>(0, 1u << 30);
    descriptor.key = *rc::gen::arbitrary<std::uint64_t>();
  }
  tensor.descriptor = descriptor;
  return tensor;
}

RC_GTEST_PROP(Slr3FrameProperty, what_is_written_is_read_back_and_no_cut_is_believed, ()) {
  const FrameIdentity identity = any_identity();
  const FrameType type{*rc::gen::inRange(1u, 8u)};
  const Blob payload = any_blob(200);
  const Blob frame = write_frame(type, identity, payload.bytes(), *rc::gen::inRange(0u, 2u)).value();
  const Frame read = read_frame(frame.bytes()).value();
  RC_ASSERT(read.type == type && read.identity == identity && Blob(read.payload) == payload);
  RC_ASSERT(!read_frame(any_cut(frame)).has_value());
  const Blob changed = one_byte_changed(frame);
  if (const auto other = read_frame(changed.bytes()))
    RC_ASSERT(write_frame(other->type, other->identity, other->payload, other->flags).value() == changed);
}

RC_GTEST_PROP(Slr3TaskProperty, what_is_written_is_read_back_and_no_cut_is_believed, ()) {
  const Blob bytes = any_blob(100);
  TaskCall call;
  for (std::byte& value : call.callable) value = static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
  call.config.output_prefix = any_text(100);
  call.config.threads = *rc::gen::arbitrary<std::int32_t>();
  if (!call.config.output_prefix.empty())
    for (std::int32_t& flag : call.config.diagnostics) flag = *rc::gen::arbitrary<std::int32_t>();
  for (int i = *rc::gen::inRange(0, 6); i > 0; --i) call.tensors.push_back(any_tensor(bytes.size()));
  call.scalars = *rc::gen::arbitrary<std::vector<std::uint64_t>>();
  call.inline_bytes = bytes.bytes();
  const auto payload = write_task(call);
  RC_ASSERT(payload.has_value());
  const TaskCall read = read_task(payload->bytes()).value();
  RC_ASSERT(read.callable == call.callable && read.config == call.config && read.tensors == call.tensors);
  RC_ASSERT(read.scalars == call.scalars && Blob(read.inline_bytes) == bytes);
  RC_ASSERT(!read_task(any_cut(*payload)).has_value());
  const Blob changed = one_byte_changed(*payload);
  if (const auto other = read_task(changed.bytes())) RC_ASSERT(write_task(*other).value() == changed);
}

RC_GTEST_PROP(Slr3MessageProperty, every_message_is_read_back, ()) {
  const Hello hello{*rc::gen::nonZero<std::uint64_t>(), *rc::gen::inRange(0, 1'000), any_text(1'024),
                    *rc::gen::arbitrary<std::uint64_t>(), ReadyState{*rc::gen::inRange(0u, 2u)}};
  RC_ASSERT(read_hello(write_hello(hello).bytes()).value() == hello);
  RC_ASSERT(!read_hello(any_cut(write_hello(hello))).has_value());
  const Completion completion{*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::arbitrary<std::int32_t>(), any_text(4'096)};
  RC_ASSERT(read_completion(write_completion(completion).bytes()).value() == completion);
  const Blob bytes = any_blob(100);
  const ControlReply reply{completion.sequence,
                           ControlName{*rc::gen::inRange(0u, 18u)},
                           *rc::gen::nonZero<std::uint32_t>(),
                           completion.code,
                           completion.error,
                           bytes.bytes()};
  const Blob written = write_control_reply(reply);
  const ControlReply read = read_control_reply(written.bytes()).value();
  RC_ASSERT(read.sequence == reply.sequence && read.name == reply.name && read.version == reply.version);
  RC_ASSERT(read.code == reply.code && read.error == reply.error && Blob(read.result) == bytes);
}

// P-X14
RC_GTEST_PROP(Slr3MessageProperty, any_bytes_make_an_error_text_that_is_read_back_as_it_was_written, (const std::string& bytes)) {
  const std::string text = error_text(bytes);
  RC_ASSERT(read_completion(write_completion({1, 1, bytes}).bytes()).value().error == text);
  RC_ASSERT(error_text(text) == text);
}

RC_GTEST_PROP(GateMessageProperty, every_report_is_read_back, ()) {
  const GateReport report{Blob(std::string_view(any_text(200))),
                          *rc::gen::inRange(0u, 100'000u),
                          GateState{*rc::gen::inRange<std::uint8_t>(0, 3)},
                          any_text(8'000),
                          {*rc::gen::inRange<std::uint64_t>(0, 1u << 22), *rc::gen::inRange<std::uint64_t>(0, 1ull << 62)},
                          any_text(255)};
  const Blob message = write_gate_report(report);
  RC_ASSERT(read_gate_report(message.bytes().subspan(gate_prefix_bytes)).value() == report);
}

RC_GTEST_PROP(TopologyProperty, every_good_one_is_printed_and_read_back, ()) {
  Topology topology = two_hosts();
  topology.startup_timeout = microseconds(*rc::gen::inRange<std::int64_t>(1'000, 31'536'000'000'000));
  topology.heartbeat_interval = microseconds(*rc::gen::inRange<std::int64_t>(1'000, 3'000'000));
  topology.pending_bytes_max = *rc::gen::inRange<std::uint64_t>(frame_bytes_max, 1ull << 40);
  topology.executors[1].profile = "p" + any_text(20);
  const bool good = check_topology(topology).has_value();
  const auto read = parse_topology(print_topology(topology));
  RC_ASSERT(read.has_value() == good);
  if (good) RC_ASSERT(*read == topology);
}

}  // namespace
}  // namespace codec_properties
}  // namespace tenter::control::test
