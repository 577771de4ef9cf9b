#include "core/mailbox/frame.hpp"

#include <algorithm>
#include <string>

#include "core/text.hpp"
#include "core/utf8.hpp"
#include "core/wire.hpp"

namespace tenter::mailbox {
namespace {

tl::unexpected<Error> wrong(std::string_view field, std::size_t offset, std::uint64_t value, std::string_view rule) {
  return error(Status::invalid, "frame: " + std::string(field) + " at offset " + text_of(std::uint64_t{offset}) + " is " +
                                    text_of(value) + ", " + std::string(rule));
}
tl::unexpected<Error> cut_at(std::string_view what, std::size_t bytes) {
  return error(Status::invalid, std::string(what) + ": does not end exactly at its " + text_of(std::uint64_t{bytes}) + " bytes");
}

constexpr std::size_t config_numbers = 6;  // CallConfig: six i32, then the output prefix

}  // namespace

Blob write_frame(FrameType type, const FrameIdentity& identity, std::uint32_t flags, Bytes payload) {
  return Blob(frame_header_bytes + payload.size(), [&](MutableBytes to) {
    std::byte* at = to.data();
    wire::store(at, frame_magic);
    wire::store(at + 4, frame_version);
    wire::store(at + 8, number(type));
    wire::store(at + 12, identity.session);
    wire::store(at + 20, static_cast<std::uint32_t>(identity.worker));
    wire::store(at + 24, identity.sequence);
    wire::store(at + 32, static_cast<std::uint32_t>(payload.size()));
    wire::store(at + 36, flags);
    std::copy(payload.begin(), payload.end(), at + frame_header_bytes);
  });
}

Result<void> check_task(const TaskCall& call) {
  if (call.scalars.size() > scalars_max)
    return error(Status::no_space, "task: " + text_of(std::uint64_t{call.scalars.size()}) + " scalars, the limit is 4096");
  if (call.inline_bytes.size() > inline_bytes_max)
    return error(Status::no_space, "task: " + text_of(std::uint64_t{call.inline_bytes.size()}) +
                                       " inline bytes, the limit is 1048576; a control COPY_TO_REMOTE carries more");
  return {};
}

Blob write_task(const FrameIdentity& identity, const TaskCall& call) {
  wire::Writer writer(80 + 8 * call.scalars.size() + call.inline_bytes.size());
  writer.bytes(call.callable);
  for (std::size_t i = 0; i < config_numbers; ++i) writer.i32(0);
  writer.u32(0);  // output prefix
  writer.u32(0).u32(static_cast<std::uint32_t>(call.scalars.size()));
  for (const std::uint64_t scalar : call.scalars) writer.u64(scalar);
  writer.counted(call.inline_bytes);
  return write_frame(FrameType::task, identity, 0, writer.written());
}

Blob write_control(const FrameIdentity& identity, const ControlCall& call, bool group_target) {
  wire::Writer writer(12 + call.command.size());
  writer.u32(call.name).u32(control_version).counted(call.command);
  return write_frame(FrameType::control, identity, group_target ? group_target_flag : 0, writer.written());
}

Blob write_completion(const FrameIdentity& identity, std::int32_t code, std::string_view error) {
  const std::string text = utf8_repaired(error);
  wire::Writer writer(16 + text.size());
  writer.u64(identity.sequence).i32(code).counted(utf8_cut(text, error_text_bytes_max));
  return write_frame(FrameType::completion, identity, 0, writer.written());
}

Blob write_control_reply(const FrameIdentity& identity, std::uint32_t name, const ReplyContent& reply) {
  const std::string repaired = utf8_repaired(reply.error);
  const std::string_view text = utf8_cut(repaired, error_text_bytes_max);
  wire::Writer writer(28 + text.size() + reply.result.size());
  writer.u64(identity.sequence).u32(name).u32(control_version).i32(reply.code);
  writer.counted(text).counted(reply.result);
  return write_frame(FrameType::control_reply, identity, 0, writer.written());
}

Blob write_task_reply(const FrameIdentity& identity, const ReplyContent& reply) {
  if (reply.code != 0 || reply.result.empty()) return write_completion(identity, reply.code, reply.error);
  return write_control_reply(identity, 0, reply);
}

Result<Frame> read_frame(Bytes bytes) {
  if (bytes.size() < frame_header_bytes)
    return error(Status::invalid, "frame: " + text_of(std::uint64_t{bytes.size()}) + " bytes are fewer than the header's 40");
  wire::Reader reader(bytes);
  Frame frame;
  if (const auto magic = reader.u32(); magic != frame_magic) return wrong("magic", 0, magic, "not SLR3");
  if (const auto version = reader.u32(); version != frame_version) return wrong("version", 4, version, "expected 3");
  const std::uint32_t type = reader.u32();
  if (type < 1 || type > 7) return wrong("type", 8, type, "expected 1..7");
  frame.type = FrameType{type};
  frame.identity.session = reader.u64();
  frame.identity.worker = reader.i32();
  frame.identity.sequence = reader.u64();
  const std::uint32_t length = reader.u32();
  frame.flags = reader.u32();
  if ((frame.flags & ~group_target_flag) != 0) return wrong("flags", 36, frame.flags, "only bit 0 is known");
  if (length > slr3_payload_bytes_max) return wrong("payload bytes", 32, length, "more than 16777216");
  if (length != bytes.size() - frame_header_bytes) return wrong("payload bytes", 32, length, "not what follows");
  frame.payload = bytes.subspan(frame_header_bytes);
  return frame;
}

Result<TaskCall> read_task(Bytes payload) {
  wire::Reader reader(payload);
  TaskCall call;
  const Bytes digest = reader.bytes(callable_digest_bytes);
  if (reader.ok()) std::copy(digest.begin(), digest.end(), call.callable.begin());
  std::int32_t diagnostics = 0;
  (void)reader.i32();  // threads
  for (std::size_t i = 1; i < config_numbers; ++i) diagnostics |= reader.i32();
  const Bytes prefix = reader.counted(output_prefix_bytes_max);
  const std::uint32_t tensors = reader.u32();
  const std::uint32_t scalars = reader.u32();
  if (!reader.ok()) return cut_at("task", payload.size());
  if (diagnostics != 0 && prefix.empty())
    return error(Status::invalid, "task: its config at offset 32 enables diagnostics, but has no output prefix at offset 56");
  if (tensors != 0)
    return error(Status::unavailable,
                 "task: " + text_of(tensors) + " tensors, but this mailbox carries scalars and inline bytes only");
  if (scalars > scalars_max) return error(Status::invalid, "task: " + text_of(scalars) + " scalars, more than 4096");
  call.scalars.reserve(std::min<std::size_t>(scalars, reader.left() / 8));
  for (std::uint32_t i = 0; i < scalars && reader.ok(); ++i) call.scalars.push_back(reader.u64());
  call.inline_bytes = reader.counted(inline_bytes_max);
  if (!reader.at_end()) return cut_at("task", payload.size());
  return call;
}

Result<ControlCall> read_control(Bytes payload) {
  wire::Reader reader(payload);
  ControlCall call;
  call.name = reader.u32();
  const std::uint32_t version = reader.u32();
  call.command = reader.counted(slr3_payload_bytes_max);
  if (!reader.at_end()) return cut_at("control", payload.size());
  if (call.name < 1 || call.name > control_names)
    return error(Status::invalid, "control: name " + text_of(call.name) + " at offset 0 is not 1..17");
  if (version != control_version) return error(Status::invalid, "control: version " + text_of(version) + " at offset 4 is not 1");
  return call;
}

Result<ReplyContent> read_reply(const Frame& frame) {
  const bool of_control = frame.type == FrameType::control_reply;
  if (!of_control && frame.type != FrameType::completion)
    return error(Status::invalid, "reply: frame type " + text_of(number(frame.type)) + " is not a reply");
  wire::Reader reader(frame.payload);
  ReplyContent reply;
  const std::uint64_t sequence = reader.u64();
  if (of_control) reply.control = reader.u32();
  const std::uint32_t version = of_control ? reader.u32() : control_version;
  reply.code = reader.i32();
  const Bytes text = reader.counted(error_text_bytes_max);
  if (of_control) reply.result = reader.counted(slr3_payload_bytes_max);
  if (!reader.at_end()) return cut_at("reply", frame.payload.size());
  if (sequence != frame.identity.sequence)
    return error(Status::mismatch, "reply: sequence " + text_of(sequence) + " in the payload, " +
                                       text_of(frame.identity.sequence) + " in the header");
  if (reply.control > control_names)
    return error(Status::invalid, "reply: control " + text_of(reply.control) + " at offset 8 is not 0..17");
  if (version != control_version)
    return error(Status::invalid, "reply: control version " + text_of(version) + " at offset 12 is not 1");
  reply.error = {reinterpret_cast<const char*>(text.data()), text.size()};
  return reply;
}

Blob task_argument(const TaskCall& call) {
  return Blob(4 + 8 * call.scalars.size() + call.inline_bytes.size(), [&](MutableBytes to) {
    std::byte* at = to.data();
    wire::store(at, static_cast<std::uint32_t>(call.scalars.size()));
    at += 4;
    for (const std::uint64_t scalar : call.scalars) {
      wire::store(at, scalar);
      at += 8;
    }
    std::copy(call.inline_bytes.begin(), call.inline_bytes.end(), at);
  });
}

}  // namespace tenter::mailbox
