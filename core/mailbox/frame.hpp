// SLR3 frames, the payloads of the mailbox: header of 40 bytes, then TASK, CONTROL, COMPLETION, CONTROL_REPLY. spec/control.md
// B2; all integers little-endian. Every decoder refuses trailing bytes, and every encoder what its decoder would refuse.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/error.hpp"
#include "core/mailbox/layout.hpp"

namespace tenter::mailbox {

enum class FrameType : std::uint32_t {
  hello = 1,
  task = 2,
  control = 3,
  control_reply = 4,
  completion = 5,
  health = 6,
  shutdown = 7
};

inline constexpr std::uint32_t frame_magic = 0x33524C53;  // "SLR3"
inline constexpr std::uint32_t frame_version = 3;
inline constexpr std::uint32_t group_target_flag = 1;
inline constexpr std::uint32_t control_version = 1;
inline constexpr std::uint32_t control_names = 17;  // 1..17
inline constexpr std::uint32_t alloc_domain_control = 14, release_domain_control = 15;
inline constexpr std::size_t callable_digest_bytes = 32;
inline constexpr std::uint32_t scalars_max = 4'096;
inline constexpr std::uint32_t inline_bytes_max = 1'048'576;
inline constexpr std::uint32_t error_text_bytes_max = 4'096;

// Who sent a frame and which one it is; a reply carries the request's.
struct FrameIdentity {
  std::uint64_t session = 0;
  std::int32_t worker = 0;
  std::uint64_t sequence = 0;
  friend bool operator==(const FrameIdentity&, const FrameIdentity&) = default;
  TENTER_DESCRIBE(frame_identity, session, worker, sequence)
};

struct Frame {
  FrameType type = FrameType::task;
  FrameIdentity identity;
  std::uint32_t flags = 0;
  Bytes payload;  // valid as long as what was decoded
};

struct TaskCall {
  std::array<std::byte, callable_digest_bytes> callable{};
  std::vector<std::uint64_t> scalars;
  Bytes inline_bytes;
};

struct ControlCall {
  std::uint32_t name = 0;  // 1..17
  Bytes command;
};

// error code 0: done, `result` counts; else `error` says why.
struct ReplyContent {
  std::int32_t code = 0;
  std::string_view error;
  Bytes result;
};

Blob write_frame(FrameType type, const FrameIdentity& identity, std::uint32_t flags, Bytes payload);
Blob write_task(const FrameIdentity& identity, const TaskCall& call);
Blob write_control(const FrameIdentity& identity, const ControlCall& call, bool group_target);

// COMPLETION carries no result in SLR3; ours appends u32 length + bytes when, and only when, a task returned some.
Blob write_completion(const FrameIdentity& identity, const ReplyContent& reply);
Blob write_control_reply(const FrameIdentity& identity, std::uint32_t name, const ReplyContent& reply);
// Bytes of such a reply's frame around its result; for the limit, before it is built.
std::uint64_t reply_frame_bytes(FrameType type, const ReplyContent& reply);

// invalid, first failure wins: cut header, magic, version, type, flags, length. Texts name field and offset.
Result<Frame> read_frame(Bytes bytes);
// invalid also for tensors: they are device memory, which this mailbox does not carry.
Result<TaskCall> read_task(Bytes payload);
Result<ControlCall> read_control(Bytes payload);
// COMPLETION or CONTROL_REPLY; mismatch when the payload's sequence is not the header's.
Result<ReplyContent> read_reply(const Frame& frame);

// What a callable is given for a task: u32 scalar count, the scalars, then the inline bytes to the end.
Blob task_argument(const TaskCall& call);

}  // namespace tenter::mailbox
