#include "core/mailbox/channel.hpp"

#include "core/mailbox/envelope.hpp"
#include "core/mailbox/error_list.hpp"
#include "core/mailbox/vector.hpp"
#include "core/text.hpp"
#include "core/wire.hpp"

namespace tenter::mailbox {
namespace {

std::string word_text(std::uint32_t value, const char* name) {
  return name[0] == '?' ? text_of(value) : text_of(value) + " (" + name + ")";
}

std::string phase_text(std::uint32_t lane) {
  switch (RequestState{lane}) {
    case RequestState::request_ready:
    case RequestState::shutdown_ready:
      return "published, and rank 0 had not accepted it";
    case RequestState::task_accepted:
      return "accepted by rank 0, and the ranks had not all answered";
    case RequestState::task_done:
    case RequestState::task_failed:
    case RequestState::shutdown_done:
      return "answered, and the answer had not been taken";
    case RequestState::idle:
      break;
  }
  return "in no legal phase: the request word held " + text_of(lane);
}

}  // namespace

const char* to_string(ChannelState state) {
  switch (state) {
    case ChannelState::starting:
      return "starting";
    case ChannelState::idle:
      return "idle";
    case ChannelState::waiting:
      return "waiting";
    case ChannelState::accepted:
      return "accepted";
    case ChannelState::taking:
      return "taking";
    case ChannelState::failing:
      return "failing";
    case ChannelState::condemning:
      return "condemning";
    case ChannelState::withdrawing:
      return "withdrawing";
    case ChannelState::blaming:
      return "blaming";
    case ChannelState::explaining:
      return "explaining";
    case ChannelState::terminal:
      return "terminal";
    case ChannelState::closed:
      return "closed";
  }
  return "?";
}

std::optional<Error> check_call(const LaneCall& call, std::uint32_t world) {
  const auto refuse = [](std::string why) { return Error{Status::invalid, "request refused: " + std::move(why)}; };
  const char* const opcode = to_string(call.opcode);  // texts are made only for a refusal
  const char* const target = to_string(call.target);
  if (opcode[0] == '?') return refuse("opcode " + text_of(number(call.opcode)) + " is not 1..4");
  if (target[0] == '?') return refuse("target " + text_of(number(call.target)) + " is not 1..3");
  const bool whole_group = call.opcode == Opcode::ping || call.opcode == Opcode::shutdown;
  if (whole_group && call.target != Target::group) return refuse(std::string(opcode) + " is for the GROUP, not for " + target);
  if (call.target == Target::rank && (call.rank < 0 || static_cast<std::uint32_t>(call.rank) >= world))
    return refuse("target rank " + text_of(call.rank) + " is not 0.." + text_of(world - 1));
  if (call.target != Target::rank && call.rank != -1)
    return refuse("target rank " + text_of(call.rank) + " with target " + target + ", which takes -1");
  const std::uint64_t count = expected_replies(call, world);
  if (call.payloads.size() != count)
    return refuse(text_of(std::uint64_t{call.payloads.size()}) + " payloads with target " + target + ", expected " +
                  text_of(count));
  if (auto fits = check_capacity(call.payloads); !fits) return fits.error();
  return std::nullopt;
}

Blob request_header(const LaneCall& call, std::uint64_t sequence) {
  RequestFields fields;
  fields.sequence = sequence;
  fields.opcode = call.opcode;
  fields.target = call.target;
  fields.rank = call.rank;
  fields.count = static_cast<std::uint32_t>(call.payloads.size());
  fields.bytes = static_cast<std::uint32_t>(encoded_bytes(call.payloads));
  return write_request_fields(fields);
}

Result<std::vector<std::uint32_t>> check_response(const ResponseHead& head, std::uint32_t expected) {
  wire::Reader reader(head.lengths.bytes());
  const std::uint32_t count = reader.u32(), bytes = reader.u32();
  if (!reader.at_end()) return error(Status::invalid, "its lengths could not be copied");
  if (count != expected)
    return error(Status::invalid, "response count at offset 68 is " + text_of(count) + ", expected " + text_of(expected));
  if (bytes > layout::vector_bytes_max)
    return error(Status::invalid,
                 "response bytes at offset 72 is " + text_of(bytes) + ", more than " + text_of(layout::vector_bytes_max));
  return decode_prefix(head.prefix.bytes(), expected, bytes);
}

std::string describe(const LaneCall& call, std::uint64_t sequence) {
  std::string text = "request " + text_of(sequence) + " (" + to_string(call.opcode) + ", " + to_string(call.target);
  if (call.target == Target::rank) text += " " + text_of(call.rank);
  return text + ")";
}

LaneFailure deadline_failure(const LaneCall& call, std::uint64_t sequence) {
  LaneFailure failure;
  failure.status = Status::timed_out;
  failure.type = "DeadlineExceeded";
  failure.cause = describe(call, sequence) + " was not answered by its deadline";
  return failure;
}

LaneFailure illegal_word(std::string_view word, std::uint32_t value, std::string_view state) {
  const char* name = word == "group" ? to_string(GroupState{value}) : to_string(RequestState{value});
  LaneFailure failure;
  failure.status = Status::invalid;
  failure.type = "IllegalState";
  failure.cause = "the " + std::string(word) + " word at offset " + (word == "group" ? "28" : "32") + " held " +
                  word_text(value, name) + ", which nobody may write while the channel is " + std::string(state);
  return failure;
}

LaneFailure illegal_error_length(std::uint32_t length) {
  LaneFailure failure;
  failure.status = Status::invalid;
  failure.type = "BrokenAnswer";
  failure.cause =
      "the request failed, and error bytes at offset 76 is " + text_of(length) + ", not 1.." + text_of(layout::error_bytes_max);
  return failure;
}

LaneFailure broken_answer(std::string_view why) {
  LaneFailure failure;
  failure.status = Status::invalid;
  failure.type = "BrokenAnswer";
  failure.cause = "the answer breaks its format: " + std::string(why);
  return failure;
}

LaneFailure broken_by_launch(const Blob& errors) {
  LaneFailure failure;
  failure.status = Status::peer_lost;
  failure.type = "GroupLost";
  failure.cause = "the group ended";
  failure.culprit = errors;
  return failure;
}

Blob reason_of(const LaneFailure& failure) { return reason_with(failure, {}); }

Blob reason_with(const LaneFailure& failure, const Blob& culprit) {
  std::vector<RankError> errors = decode_error_list(culprit.bytes());
  std::string cause = failure.cause;
  if (failure.phase_known) cause += "; the request was " + phase_text(failure.phase);
  const RankError what{no_culprit, failure.type, cause, false};
  if (failure.culprit.empty()) {
    if (errors.empty() && failure.status == Status::timed_out)
      errors.push_back({no_culprit, "NoCulprit", "no process of the group is stopped or gone", false});
    errors.insert(errors.begin(), what);
  } else if (failure.phase_known) {
    errors.push_back(what);  // the culprit first, then what it cost
  }
  return encode_error_list(errors);
}

Blob missing_reason(std::string_view why) {
  return encode_error(no_culprit, "TerminalReason", "rank 0 ended the group, and its reason cannot be read: " + std::string(why));
}

Blob reason_from_page(const Blob& content) {
  std::vector<RankError> errors = decode_error_list(content.bytes());
  if (errors.empty()) return missing_reason("the list is empty");
  return encode_error_list(errors);
}

Note timed_out_in_queue(const LaneCall& call) {
  return answer_error(
      Status::timed_out, "DeadlineExceeded",
      std::string("this ") + to_string(call.opcode) + " waited for the lane until its deadline; it was never published");
}
Note queue_full_note() {
  return answer_error(Status::no_space, "QueueFull",
                      "the lane is busy and " + text_of(std::uint64_t{waiting_calls_max}) + " calls wait already");
}
Note not_started_note() {
  return answer_error(Status::unavailable, "NotStarted", "the group is not ready yet: no request is taken");
}
Note closing_note() {
  return answer_error(Status::unavailable, "ShuttingDown", "the group is shutting down: no request is taken any more");
}
Note closed_note(const LaneCall& call) {
  if (call.opcode == Opcode::shutdown) return answer_note(Status::ok, {});
  return answer_error(Status::unavailable, "Closed", "the group was shut down");
}
Note terminal_note(const LaneCall& call, const Blob& reason, Status status) {
  return answer_note(call.opcode == Opcode::shutdown ? Status::ok : status, {}, reason);
}

}  // namespace tenter::mailbox
