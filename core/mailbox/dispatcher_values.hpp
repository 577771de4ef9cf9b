// What a Dispatcher keeps and computes: the checks of a page and of a request, the judgement over a round, the texts. No step of
// the protocol.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/error.hpp"
#include "core/mailbox/envelope.hpp"
#include "core/mailbox/header.hpp"
#include "core/mailbox/layout.hpp"

namespace tenter::mailbox {

inline constexpr std::uint32_t claim_attempts_max = 4;  // compare-exchanges for TERMINAL against a stranger's writes

// The operations of a Dispatcher (operation.hpp); sequence: how often the request word was watched before. stall is a timer.
enum class DispatcherOperation : std::uint8_t {
  open = 1,  // of the page
  identity,  // copy of magic .. world
  fields,    // copy of the gap (attaching) or of the request's header
  reserved,  // copy of the reserved bytes
  vector,    // copy of the request vector
  group,     // standing watch of the group word
  lane,      // watch of the request word
  doubt,     // load of the request word, when an answer is not taken
  announce,  // compare-exchange of the group word: READY or TERMINAL
  accept,    // compare-exchange of the request word: TASK_ACCEPTED
  complete,  // compare-exchange of the request word: the outcome
  close,     // compare-exchange of the group word: CLOSED
  condemn,   // compare-exchange of the group word: TERMINAL; index: attempt
  release,   // compare-exchange of the request word: TASK_FAILED; index: attempt
  stall,     // an answer waits to be taken
};

// Spec B2, C2.5: everything the creator fixed, and nothing of an earlier request. The text names the field, its offset and value.
std::optional<std::string> check_page(const PageHead& head, std::uint32_t request_word, std::uint32_t world);

// A request's header against the word that announced it, the last sequence and the world (spec B3, C5.1).
Result<RequestFields> check_request(Bytes header, RequestState ready, std::uint64_t last_sequence, std::uint32_t world);

// The whole request as it goes to the ranks. invalid: the vector is not what the header says.
Result<Blob> make_envelope(const RequestFields& fields, const Blob& vector);

// What a round came to. transport: the group ends; application: the request fails; else the replies go back (spec C5.4, C5.5).
struct Verdict {
  enum class Kind : std::uint8_t { replies, application, transport };
  Kind kind = Kind::replies;
  Blob errors;
  Parts replies;
};
Verdict judge(const Parts& records, const RequestFields& fields, std::uint32_t world);

// Response count and response bytes, 8 bytes at offset 68.
Blob response_lengths(const Parts& replies);

// Values of the request word that mean: the parent waits for rank 0, and rank 0 may write it.
constexpr bool owed(std::uint32_t lane) {
  const RequestState state{lane};
  return state == RequestState::request_ready || state == RequestState::shutdown_ready || state == RequestState::task_accepted;
}

Blob reason_list(std::string_view type, std::string_view why);
Blob illegal_word_reason(std::string_view word, std::uint32_t value, std::string_view state);
Blob refused_reason(const Blob& reasons, std::string_view why);  // the ranks' own reasons stay in it
Blob stalled_reason(std::uint64_t sequence);
Blob collective_reason(std::string_view which, std::uint64_t round, Status status);
Blob not_ready_reason(std::uint32_t group);
std::string wrong_size(std::uint64_t bytes);

}  // namespace tenter::mailbox
