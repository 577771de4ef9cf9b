// What a Channel keeps and computes: its calls, why the group ends, the shape of an answer, the texts. No step of the protocol.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/error.hpp"
#include "core/event.hpp"
#include "core/mailbox/layout.hpp"
#include "core/mailbox/notes.hpp"
#include "core/names.hpp"

namespace tenter::mailbox {

inline constexpr std::size_t waiting_calls_max = 64;      // behind the one in the lane
inline constexpr std::uint32_t condemn_attempts_max = 4;  // compare-exchanges for TERMINAL against a stranger's writes

// The operations of a Channel (operation.hpp). deadline, queue_deadline and patience are timers.
enum class ChannelOperation : std::uint8_t {
  group = 1,       // standing watch of the group word
  lane,            // watch of the request word while a request is in the lane; index counts the watches of one request
  reread,          // load of the group word after an answer was seen
  error_length,    // watch or load of the error length
  lengths,         // copy of response count and response bytes
  prefix,          // copy of the response vector's prefix
  reply,           // copy of one reply; index: which
  errors,          // copy of the error list
  condemn,         // compare-exchange of the group word; index: attempt
  withdraw,        // compare-exchange of the request word, after TERMINAL
  deadline,        // of the call in the lane
  queue_deadline,  // the earliest one of the queue
  patience,        // for a reason in the page, or for Launch's look
};

// One call, from whoever asked: a user thread (from == no_role, ticket is its ticket) or a machine of this process.
struct LaneCall {
  Role from = no_role;
  std::uint64_t ticket = 0;
  Opcode opcode = Opcode::ping;
  Target target = Target::group;
  std::int32_t rank = -1;  // RANK only
  Time deadline{};
  Parts payloads;
  friend bool operator==(const LaneCall&, const LaneCall&) = default;
  TENTER_DESCRIBE(lane_call, from, ticket, opcode, target, rank, deadline, payloads)
};

// Why we want TERMINAL, and what the request word held when we took it back: how far the request was.
struct LaneFailure {
  Status status = Status::ok;
  std::string type;         // as in the error list
  std::string cause;        // for people
  Blob culprit;             // an error list by Launch, when it named the culprit first
  Blob found;               // an error list by Launch, when it was asked before TERMINAL; empty: nobody
  bool looked = false;      // it was asked, and answered or did not
  std::uint32_t phase = 0;  // a RequestState
  bool phase_known = false;
  friend bool operator==(const LaneFailure&, const LaneFailure&) = default;
  TENTER_DESCRIBE(lane_failure, status, type, cause, culprit, found, looked, phase, phase_known)
};

// An answer while it is taken: complete when the group word was read again and both copies are here.
struct ResponseHead {
  bool group_checked = false;
  Blob lengths;  // response count and response bytes, 8 bytes
  Blob prefix;   // count and lengths of the vector
  bool complete() const { return group_checked && !lengths.empty() && !prefix.empty(); }
  friend bool operator==(const ResponseHead&, const ResponseHead&) = default;
  TENTER_DESCRIBE(response_head, group_checked, lengths, prefix)
};

// The whole check of a call, before anything shared is touched (spec B2, C5.1): opcode, target and rank fit each other and the
// world, one payload or one a rank, and all of it fits the page. The text names the value and the limit.
std::optional<Error> check_call(const LaneCall& call, std::uint32_t world);

// How many payloads an answer must have.
constexpr std::uint32_t expected_replies(const LaneCall& call, std::uint32_t world) {
  return call.target == Target::per_rank ? world : 1;
}
constexpr RequestState ready_state(Opcode opcode) {
  return opcode == Opcode::shutdown ? RequestState::shutdown_ready : RequestState::request_ready;
}

Blob request_header(const LaneCall& call, std::uint64_t sequence);

// The lengths of the replies. invalid: count, bytes or vector is not what the request asked for.
Result<std::vector<std::uint32_t>> check_response(const ResponseHead& head, std::uint32_t expected);

// "request 41 (TASK, PER_RANK)".
std::string describe(const LaneCall& call, std::uint64_t sequence);

// Error lists and failures, each naming culprit, cause and phase.
LaneFailure deadline_failure(const LaneCall& call, std::uint64_t sequence);
LaneFailure illegal_word(std::string_view word, std::uint32_t value, std::string_view state);
LaneFailure illegal_error_length(std::uint32_t length);
LaneFailure broken_answer(std::string_view why);
LaneFailure broken_by_launch(const Blob& errors);
Blob reason_of(const LaneFailure& failure);                         // before Launch looked
Blob reason_with(const LaneFailure& failure, const Blob& culprit);  // after it did, or did not (empty)
Blob missing_reason(std::string_view why);
// The winner's reason as it was copied from the page: one list, always parsing, also out of a bare text.
Blob reason_from_page(const Blob& content);

Note timed_out_in_queue(const LaneCall& call);
Note queue_full_note();
Note not_started_note();
Note closing_note();
Note closed_note(const LaneCall& call);                                       // SHUTDOWN: ok, once more
Note terminal_note(const LaneCall& call, const Blob& reason, Status status);  // SHUTDOWN of a dead group: ok, with the reason

}  // namespace tenter::mailbox
