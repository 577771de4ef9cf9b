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
// What SLR3 allows; what the mailbox's page has room for is frame_payload_max (layout.hpp), 48 bytes less.
inline constexpr std::uint32_t slr3_payload_bytes_max = 16'777'216;
inline constexpr std::uint32_t output_prefix_bytes_max = 1'024;
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
  std::uint32_t control = 0;  // CONTROL_REPLY: which control is answered, 0: a task (ours); COMPLETION: 0
};

Blob write_frame(FrameType type, const FrameIdentity& identity, std::uint32_t flags, Bytes payload);
// What write_task() must not be given, because read_task() would refuse it: no_space, with the limit.
Result<void> check_task(const TaskCall& call);
Blob write_task(const FrameIdentity& identity, const TaskCall& call);
Blob write_control(const FrameIdentity& identity, const ControlCall& call, bool group_target);

// Error texts become well-formed UTF-8 of at most 4,096 bytes, cut between two characters.
Blob write_completion(const FrameIdentity& identity, std::int32_t code, std::string_view error);
Blob write_control_reply(const FrameIdentity& identity, std::uint32_t name, const ReplyContent& reply);
// SLR3's COMPLETION carries no result. A task that failed or returned nothing is answered by a COMPLETION, one with a result by a
// CONTROL_REPLY of name 0, version 1, so that both stay byte-compatible.
Blob write_task_reply(const FrameIdentity& identity, const ReplyContent& reply);
// Bytes of the frame of a reply without error text; for the limit, before it is built. 16 and 28 are COMPLETION and
// CONTROL_REPLY.
constexpr std::uint64_t reply_frame_bytes(bool task, std::uint64_t result_bytes) {
  return frame_header_bytes + (task && result_bytes == 0 ? 16u : 28u) + result_bytes;
}

// invalid, first failure wins: cut header, magic, version, type, flags, length. Texts name field and offset.
Result<Frame> read_frame(Bytes bytes);
// Scalars, inline bytes and CallConfig as SLR3 has them; the config is checked (diagnostics need an output prefix) and not kept.
// unavailable for tensors: they are device memory, which this mailbox does not carry.
Result<TaskCall> read_task(Bytes payload);
Result<ControlCall> read_control(Bytes payload);
// COMPLETION or CONTROL_REPLY; mismatch when the payload's sequence is not the header's.
Result<ReplyContent> read_reply(const Frame& frame);

// What a callable is given for a task: u32 scalar count, the scalars, then the inline bytes to the end.
Blob task_argument(const TaskCall& call);

}  // namespace tenter::mailbox
