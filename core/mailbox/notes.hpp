// Every note between the mailbox's machines, and every call and answer of a user: built and read here, nowhere else.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/error.hpp"
#include "core/event.hpp"
#include "core/mailbox/layout.hpp"
#include "core/names.hpp"

namespace tenter::mailbox {

inline constexpr Role channel_role{0}, rendezvous_role{1}, launch_role{2};  // in the parent
inline constexpr Role member_role{0}, dispatcher_role{1};                   // in a rank

enum class NoteKind : std::uint32_t {
  // calls, from a user or from a machine of the parent
  request = 1,  // a request for the lane
  join = 2,     // a member of a group operation arrives (join.hpp)
  start = 3,    // start the group
  stop = 4,     // end it, orderly if possible
  answer = 9,   // how a call ended: status; parts are the replies, or text an error list

  // Launch -> Channel
  group_ready = 10,   // READY was seen: requests are taken from now on
  group_broken = 11,  // TERMINAL is wanted: text is an error list that names the culprit
  culprit = 12,       // the answer to who_is_to_blame: text is an error list, empty when nobody is found

  // Channel -> Launch
  who_is_to_blame = 20,  // text: what happened, an error list
  group_ended = 21,      // TERMINAL for good: text is the reason; kill and reap
  group_closed = 22,     // SHUTDOWN was answered: the launcher will exit by itself

  // Member -> Dispatcher
  attach = 30,             // text: page name; a: world; parts[0]: the ranks' reasons (an error list), absent: all are ready
  gathered = 31,           // parts: one record a rank
  collective_failed = 32,  // text: which; a: round; status

  // Dispatcher -> Member
  attached = 40,  // text: empty, or the error list that the start failed with
  round = 41,     // text: the envelope
  leave = 42,     // a: 1 after an orderly shutdown, 0 after TERMINAL; text: the reason
};
constexpr std::uint32_t kind_number(NoteKind kind) { return number(kind); }
constexpr bool is(const Note& note, NoteKind kind) { return note.kind == number(kind); }

// A request for the lane. patience: from the call to its answer, waiting in the queue included; 0: the channel's default.
struct RequestCall {
  Opcode opcode = Opcode::ping;
  Target target = Target::group;
  std::int32_t rank = -1;
  Duration patience{};
  Parts payloads;  // GROUP and RANK: one; PER_RANK: one a rank
  friend bool operator==(const RequestCall&, const RequestCall&) = default;
  TENTER_DESCRIBE(request_call, opcode, target, rank, patience, payloads)
};

// a: opcode | target << 32; b: rank; c: patience in nanoseconds; parts: payloads. `ticket` comes back with the answer.
Note request_note(const RequestCall& call, std::uint64_t ticket = 0);
// invalid: not a request, a negative patience. Values of the enums are the channel's to judge.
Result<RequestCall> read_request(const Note& note);

// How a call ended. ok: parts are the replies, in rank order for PER_RANK. Else text is an error list; status says:
//   failed       a rank's own error: the group lives, the next call may succeed
//   timed_out    the deadline passed: before it was published (the group lives) or after (the group is TERMINAL)
//   peer_lost    the group is TERMINAL, text says why
//   invalid, no_space (queue full), unavailable (not started, closing, closed): refused, nothing was sent
Note answer_note(Status status, Parts replies, Blob errors = {});
Note answer_error(Status status, std::string_view error_type, std::string_view message);

Note text_note(NoteKind kind, Blob text);
Note plain_note(NoteKind kind);

struct AttachOrder {
  Blob page;
  std::uint32_t world = 0;
  Blob reasons;  // an error list; empty: every rank is ready
};
Note attach_note(const AttachOrder& order);
Result<AttachOrder> read_attach(const Note& note);

Note gathered_note(Parts records);
Note collective_failed_note(std::string_view which, std::uint64_t round, Status status);
Note leave_note(bool orderly, Blob reason);
inline bool leave_is_orderly(const Note& note) { return note.a == 1; }

}  // namespace tenter::mailbox
