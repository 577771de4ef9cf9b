// Every call of a user thread to the hub and to an executor, and its answer: which note it is, and what its fields mean (spec
// A1). An answer has its call's kind, a status and, where it is not ok, a text that names culprit, cause and phase. Every call
// has exactly one.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/control/route.hpp"
#include "core/control/slr3.hpp"
#include "core/event.hpp"
#include "core/text.hpp"
#include "core/wire.hpp"

namespace tenter::control {

enum class CallKind : std::uint32_t {
  start = 64,         // hub: answered when every route is ready, or has failed
  submit = 65,        // hub: a task
  control = 66,       // hub: a control
  cancel = 67,        // hub: a task or control that is under way
  cancel_route = 68,  // hub: everything of one route, which fails
  health = 69,        // hub: a row a route
  shutdown = 70,      // hub: the end of the session
  serve = 71,         // executor: answered when it ends
};
inline bool is(const Note& note, CallKind kind) { return note.kind == static_cast<std::uint32_t>(kind); }
inline Note call_note(CallKind kind) {
  Note note;
  note.kind = static_cast<std::uint32_t>(kind);
  return note;
}
inline Note answer_note(CallKind kind, Status status, std::string_view text) {
  Note note = call_note(kind);
  note.status = status;
  note.text = Blob(text);
  return note;
}

inline constexpr std::uint32_t any_worker = 0xFFFF'FFFF;

// A task for one worker, or for the one with the fewest commands in flight. Answers: ok, with the task's result; failed: the task
// ended with a code that is not 0, and its text; no_space: no credit now, nothing was sent, try again; timed_out: no reply within
// the patience (it may still run, its reply will be dropped); cancelled; unavailable: the route is not ready or the session ends;
// peer_lost: the route failed; invalid: no such worker, or the payload is no TASK.
struct SubmitCall {
  std::uint32_t worker = any_worker;
  Duration patience{};  // 0: for ever
  Blob payload;         // as write_task() makes it
  friend bool operator==(const SubmitCall&, const SubmitCall&) = default;
  TENTER_DESCRIBE(submit_call, worker, patience, payload)
};
inline Note submit_note(const SubmitCall& call) {
  Note note = call_note(CallKind::submit);
  note.a = call.worker;
  note.b = number(call.patience);
  note.parts = Parts{call.payload};
  return note;
}
inline std::optional<SubmitCall> read_submit(const Note& note) {
  if (!is(note, CallKind::submit) || note.parts.size() != 1 || note.a < 0 || note.a > any_worker || note.b < 0)
    return std::nullopt;
  return SubmitCall{static_cast<std::uint32_t>(note.a), Duration{note.b}, note.parts[0]};
}

// A control of layout.hpp for one worker; answers as of a task.
struct SendControlCall {
  std::uint32_t worker = 0;
  Duration patience{};  // 0: for ever
  ControlName control = ControlName::prepare_callable;
  Blob command;
  friend bool operator==(const SendControlCall&, const SendControlCall&) = default;
  TENTER_DESCRIBE(send_control_call, worker, patience, control, command)
};
inline Note control_note(const SendControlCall& call) {
  Note note = call_note(CallKind::control);
  note.a = call.worker;
  note.b = number(call.patience);
  note.c = static_cast<std::int64_t>(number(call.control));
  note.parts = Parts{call.command};
  return note;
}
inline std::optional<SendControlCall> read_send_control(const Note& note) {
  if (!is(note, CallKind::control) || note.parts.size() != 1 || note.a < 0 || note.a >= any_worker || note.b < 0)
    return std::nullopt;
  if (note.c < 1 || note.c > 17) return std::nullopt;
  return SendControlCall{static_cast<std::uint32_t>(note.a), Duration{note.b}, ControlName{static_cast<std::uint32_t>(note.c)},
                         note.parts[0]};
}

// The answer to a task or control that was sent.
struct CommandAnswer {
  Status status = Status::ok;
  std::int32_t code = 0;  // the executor's; 0 where it said none
  std::uint32_t worker = 0;
  std::uint64_t sequence = 0;
  Blob result;
  std::string text;
};
inline Note command_answer(CallKind kind, const CommandAnswer& answer) {
  Note note = answer_note(kind, answer.status, answer.text);
  note.a = answer.code;
  note.b = answer.worker;
  note.c = static_cast<std::int64_t>(answer.sequence);
  if (!answer.result.empty()) note.parts = Parts{answer.result};
  return note;
}

inline Note cancel_note(Ticket ticket) {
  Note note = call_note(CallKind::cancel);
  note.ticket = number(ticket);
  return note;
}
inline Note cancel_route_note(std::uint32_t worker) {
  Note note = call_note(CallKind::cancel_route);
  note.a = worker;
  return note;
}
// One deadline for everything. abort: what is in flight is cancelled at once, else it is waited for.
inline Note shutdown_note(Duration patience, bool abort = false) {
  Note note = call_note(CallKind::shutdown);
  note.a = number(patience);
  note.b = abort ? 1 : 0;
  return note;
}

// A row of `health`, as a blob of the answer's parts, in the order of the workers.
struct RouteHealth {
  RouteState state = RouteState::registered;
  Duration silent{};  // since a frame of it came
  std::uint32_t in_flight = 0, given_up = 0;
  RouteCounts counts;
  std::string reason;  // failed: why
  friend bool operator==(const RouteHealth&, const RouteHealth&) = default;
  TENTER_DESCRIBE(route_health, state, silent, in_flight, given_up, counts, reason)
};
inline Blob write_route_health(const RouteHealth& row) {
  wire::Writer writer;
  writer.u32(static_cast<std::uint32_t>(row.state)).i64(number(row.silent)).u32(row.in_flight).u32(row.given_up);
  writer.u64(row.counts.late).u64(row.counts.repeated).u64(row.counts.stray).u64(row.counts.early);
  return writer.counted(row.reason).blob();
}
inline std::optional<RouteHealth> read_route_health(const Blob& blob) {
  wire::Reader reader(blob.bytes());
  RouteHealth row;
  const std::uint32_t state = reader.u32();
  row.state = RouteState{static_cast<std::uint8_t>(state)};
  row.silent = Duration{reader.i64()};
  row.in_flight = reader.u32();
  row.given_up = reader.u32();
  row.counts.late = reader.u64();
  row.counts.repeated = reader.u64();
  row.counts.stray = reader.u64();
  row.counts.early = reader.u64();
  const Bytes reason = reader.counted(1u << 16);
  if (!reader.at_end() || state > static_cast<std::uint32_t>(RouteState::closed)) return std::nullopt;
  row.reason.assign(reinterpret_cast<const char*>(reason.data()), reason.size());
  return row;
}

}  // namespace tenter::control
