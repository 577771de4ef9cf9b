#include "core/mailbox/frame.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "core/text.hpp"
#include "core/wire.hpp"

namespace tenter::mailbox {
namespace {

static_assert(frame_header_bytes == slr3::layout::header_bytes);

Blob reply_frame(FrameType type, const FrameIdentity& identity, const Blob& payload) {
  auto frame = write_frame(type, identity, payload.bytes());
  TENTER_CHECK(frame.has_value());
  return std::move(*frame);
}

}  // namespace

Result<Blob> write_task(const FrameIdentity& identity, const TaskCall& call) {
  slr3::TaskCall task;
  task.callable = call.callable;
  task.scalars = call.scalars;
  task.inline_bytes = call.inline_bytes;
  const auto payload = slr3::write_task(task);
  if (!payload && call.inline_bytes.size() > slr3::inline_bytes_max)
    return error(payload.error().status, payload.error().what + "; a control COPY_TO_REMOTE carries more");
  if (!payload) return tl::unexpected(payload.error());
  return write_frame(FrameType::task, identity, payload->bytes());
}

Result<Blob> write_control(const FrameIdentity& identity, const ControlCall& call, bool group_target) {
  const std::size_t bytes = slr3::control_head_bytes + call.command.size();
  if (bytes > slr3::payload_bytes_max)
    return error(Status::no_space, "control: " + text_of(std::uint64_t{bytes}) + " bytes, the limit of a frame is " +
                                       text_of(slr3::payload_bytes_max));
  const Blob payload = slr3::write_control({call.name, slr3::control_version, call.command});
  return write_frame(FrameType::control, identity, payload.bytes(), group_target ? slr3::group_target_flag : 0);
}

Blob write_completion(const FrameIdentity& identity, std::int32_t code, std::string_view error) {
  return reply_frame(FrameType::completion, identity, slr3::write_completion({identity.sequence, code, std::string(error)}));
}

Blob write_control_reply(const FrameIdentity& identity, ControlName name, const ReplyContent& reply) {
  return reply_frame(
      FrameType::control_reply, identity,
      slr3::write_control_reply({identity.sequence, name, slr3::control_version, reply.code, reply.error, reply.result}));
}

Blob write_task_reply(const FrameIdentity& identity, const ReplyContent& reply) {
  if (reply.code != 0 || reply.result.empty()) return write_completion(identity, reply.code, reply.error);
  return write_control_reply(identity, slr3::task_result, reply);
}

Result<TaskCall> read_task(Bytes payload) {
  auto task = slr3::read_task(payload);
  if (!task) return tl::unexpected(std::move(task.error()));
  if (!task->tensors.empty())
    return error(Status::unavailable, "task: " + text_of(std::uint64_t{task->tensors.size()}) +
                                          " tensors, but this mailbox carries scalars and inline bytes only");
  return TaskCall{task->callable, std::move(task->scalars), task->inline_bytes};
}

Result<ControlCall> read_control(Bytes payload) {
  auto call = slr3::read_control(payload);
  if (!call) return tl::unexpected(std::move(call.error()));
  if (call->version != slr3::control_version)
    return error(Status::invalid, "CONTROL: version at offset 4 is " + text_of(call->version) + ", expected 1");
  return ControlCall{call->name, call->command};
}

namespace {

Result<ReplyContent> read_completion(const Frame& frame, std::uint64_t& sequence) {
  auto read = slr3::read_completion(frame.payload);
  if (!read) return tl::unexpected(std::move(read.error()));
  sequence = read->sequence;
  return ReplyContent{read->code, std::move(read->error), {}, slr3::task_result};
}

Result<ReplyContent> read_control_reply(const Frame& frame, std::uint64_t& sequence) {
  auto read = slr3::read_control_reply(frame.payload);
  if (!read) return tl::unexpected(std::move(read.error()));
  if (read->version != slr3::control_version)
    return error(Status::invalid, "CONTROL_REPLY: version at offset 12 is " + text_of(read->version) + ", expected 1");
  sequence = read->sequence;
  return ReplyContent{read->code, std::move(read->error), read->result, read->name};
}

}  // namespace

Result<ReplyContent> read_reply(const Frame& frame) {
  const bool of_control = frame.type == FrameType::control_reply;
  if (!of_control && frame.type != FrameType::completion)
    return error(Status::invalid, "reply: frame type " + text_of(number(frame.type)) + " is not a reply");
  std::uint64_t sequence = 0;
  auto reply = of_control ? read_control_reply(frame, sequence) : read_completion(frame, sequence);
  if (reply && sequence != frame.identity.sequence)
    return error(Status::mismatch, "reply: sequence " + text_of(sequence) + " in the payload, " +
                                       text_of(frame.identity.sequence) + " in the header");
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
