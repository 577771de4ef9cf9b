// What a payload of the mailbox is: one SLR3 frame (core/slr3, spec/control.md B2) with a TASK of scalars and inline bytes, a
// CONTROL, or the reply to one. Every decoder refuses trailing bytes, and every encoder what its decoder would refuse.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/blob.hpp"
#include "core/error.hpp"
#include "core/mailbox/layout.hpp"
#include "core/slr3/frame.hpp"
#include "core/slr3/layout.hpp"
#include "core/slr3/message.hpp"
#include "core/slr3/task.hpp"

namespace tenter::mailbox {

using slr3::CallableDigest;
using slr3::ControlName;
using slr3::Frame;
using slr3::FrameIdentity;
using slr3::FrameType;
using slr3::read_frame;
using slr3::write_frame;

constexpr bool is_valid(ControlName name) { return number(name) >= 1 && number(name) <= 17; }
// Only these two; every other control addresses one rank (spec B4, C5.2).
constexpr bool may_target_group(ControlName name) {
  return name == ControlName::alloc_domain || name == ControlName::release_domain;
}

struct TaskCall {
  CallableDigest callable{};
  std::vector<std::uint64_t> scalars;
  Bytes inline_bytes;  // valid as long as what was read
};

struct ControlCall {
  ControlName name = ControlName::prepare_callable;
  Bytes command;  // as above
};

// error code 0: done, `result` counts; else `error` says why.
struct ReplyContent {
  std::int32_t code = 0;
  std::string error;
  Bytes result;                             // as above
  ControlName control = slr3::task_result;  // which control is answered; of a task, and of every COMPLETION: task_result
};

// no_space: more scalars or inline bytes than SLR3 allows, with the limit.
Result<Blob> write_task(const FrameIdentity& identity, const TaskCall& call);
// no_space: more than a frame carries.
Result<Blob> write_control(const FrameIdentity& identity, const ControlCall& call, bool group_target);

// Error texts become well-formed UTF-8 of at most 4,096 bytes, cut between two characters. The result fits a frame: who may have
// a larger one asks reply_frame_bytes() first.
Blob write_completion(const FrameIdentity& identity, std::int32_t code, std::string_view error);
Blob write_control_reply(const FrameIdentity& identity, ControlName name, const ReplyContent& reply);
// SLR3's COMPLETION carries no result. A task that failed or returned nothing is answered by a COMPLETION, one with a result by a
// CONTROL_REPLY of name 0, so that both stay byte-compatible.
Blob write_task_reply(const FrameIdentity& identity, const ReplyContent& reply);
// Bytes of the frame of a reply without error text; for the limit, before it is built.
constexpr std::uint64_t reply_frame_bytes(bool task, std::uint64_t result_bytes) {
  return slr3::layout::header_bytes + (task && result_bytes == 0 ? slr3::completion_head_bytes : slr3::control_reply_head_bytes) +
         result_bytes;
}

// invalid as slr3::read_task(). unavailable for tensors: they are device memory, which this mailbox does not carry. The config is
// checked and not kept.
Result<TaskCall> read_task(Bytes payload);
// invalid: also another version of the control than 1.
Result<ControlCall> read_control(Bytes payload);
// COMPLETION or CONTROL_REPLY; mismatch when the payload's sequence is not the header's.
Result<ReplyContent> read_reply(const Frame& frame);

// What a callable is given for a task: u32 scalar count, the scalars, then the inline bytes to the end.
Blob task_argument(const TaskCall& call);

}  // namespace tenter::mailbox
