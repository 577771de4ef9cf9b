#include "cli/protocols/mailbox/group_answers.hpp"

#include "core/mailbox/error_list.hpp"
#include "core/mailbox/frame.hpp"
#include "core/text.hpp"

namespace tenter::protocols {

using namespace mailbox;

namespace {

// What is wrong with a reply; empty: nothing.
std::string wrong_reply(const Blob& reply, const Blob& expected) {
  const auto frame = read_frame(reply.bytes());
  if (!frame) return frame.error().what;
  const auto content = read_reply(*frame);
  if (!content) return content.error().what;
  if (content->code != 0) return "error code " + std::to_string(content->code) + " in a successful answer";
  if (!(Blob(content->result) == expected)) return "result " + text_of(Blob(content->result)) + ", expected " + text_of(expected);
  return {};
}

}  // namespace

std::string name_of_call(const Expected& call) {
  switch (call.kind) {
    case CallKind::start:
      return "start";
    case CallKind::stop:
      return "shutdown";
    case CallKind::join:
      return "member " + std::to_string(call.rank) + " of a group operation";
    case CallKind::request:
      return call.ping ? "ping" : call.rank >= 0 ? "request to rank " + std::to_string(call.rank) : "request to every rank";
  }
  return "?";
}

std::string wrong_answer(const Expected& call, const Note& outcome) {
  if (call.kind == CallKind::start || call.kind == CallKind::stop || call.ping) return {};
  for (const bool fails : call.fails)
    if (fails) return "a callable failed on purpose, yet the answer is ok";
  if (outcome.parts.size() != call.replies.size())
    return std::to_string(outcome.parts.size()) + " replies, expected " + std::to_string(call.replies.size());
  for (std::size_t i = 0; i < call.replies.size(); ++i) {
    const std::string wrong = wrong_reply(outcome.parts[i], call.replies[i]);
    if (!wrong.empty()) return "reply " + std::to_string(i) + ": " + wrong;
  }
  return {};
}

std::string wrong_error(const Expected& call, const Note& outcome) {
  const auto errors = decode_error_list(outcome.text.bytes());
  if (errors.empty()) return "no error list with status " + std::string(to_string(outcome.status));
  if (outcome.text.size() > error_list_bytes_max) return "an error list of " + std::to_string(outcome.text.size()) + " bytes";
  if (!(encode_error_list(errors) == outcome.text))
    return "an error list that does not parse: " + std::string(outcome.text.text());
  for (const RankError& error : errors) {
    if (call.kind == CallKind::request && outcome.status == Status::failed && error.type == "TerminalReason")
      return "a callable's error that did not parse in the page: " + error.message;
    if (error.message.empty()) return "an error of rank " + std::to_string(error.rank) + " without a message";
  }
  return {};
}

std::string overdue_answer(const Expected& call, Duration took) {
  constexpr Duration slack = seconds(20);  // blame, kill, reap, clean: each bounded in docs/defaults.md
  const Duration allowed = call.patience * (call.kind == CallKind::join ? 2 : 1) + slack;
  if (number(took) <= number(allowed)) return {};
  return "took " + std::to_string(number(took) / 1'000'000) + " ms, patience " +
         std::to_string(number(call.patience) / 1'000'000) + " ms";
}

std::string unhealthy_answer(const Expected& call, const Note& outcome) {
  bool meant_to_fail = false;
  for (const bool fails : call.fails) meant_to_fail = meant_to_fail || fails;
  if (outcome.status == Status::ok || (outcome.status == Status::failed && meant_to_fail)) return {};
  if (call.kind == CallKind::join && outcome.status == Status::cancelled)
    return {};  // another member's callable failed on purpose
  return std::string(to_string(outcome.status)) + ": " + text_of_errors(decode_error_list(outcome.text.bytes()));
}

}  // namespace tenter::protocols
