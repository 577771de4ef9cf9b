#include "cli/protocols/mailbox/group_monitors.hpp"

#include "cli/protocols/mailbox/group_workload.hpp"
#include "core/mailbox/error_list.hpp"
#include "core/mailbox/frame.hpp"
#include "core/mailbox/layout.hpp"
#include "core/text.hpp"
#include "sim/world.hpp"

namespace tenter::protocols {

using namespace mailbox;

namespace {

const GroupWorkload& workload_of(const sim::View& view) { return static_cast<const GroupWorkload&>(*view.world().workload()); }

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

}  // namespace

void AnswersMonitor::on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) {
  const Expected* call = workload_of(view).find(ticket);
  if (!call) return;
  if (outcome.status != Status::ok) {
    if (const std::string wrong = wrong_error(*call, outcome); !wrong.empty())
      findings.fail(sim::FindingKind::safety, "an error parses and says why", name_of_call(*call) + ": " + wrong);
    if (outcome.status == Status::peer_lost) {
      broken_ = true;
      if (call->kind == CallKind::request && view.word(group_word) == number(GroupState::ready))
        findings.fail(sim::FindingKind::safety, "a broken group is TERMINAL in its page",
                      name_of_call(*call) + " is told that the group is gone, the page still says READY");
      findings.seen("a group became terminal");
    }
    if (outcome.status == Status::failed) findings.seen("a callable's error came back");
    if (outcome.status == Status::timed_out) findings.seen("a call timed out");
    return;
  }
  if (broken_ && call->kind == CallKind::request)
    findings.fail(sim::FindingKind::safety, "a group that broke stays broken",
                  name_of_call(*call) + " succeeded after another was told that the group is gone");
  if (const std::string wrong = wrong_answer(*call, outcome); !wrong.empty())
    findings.fail(sim::FindingKind::safety, "an answer is the request's own", name_of_call(*call) + ": " + wrong);
}

void ExecutionsMonitor::on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) {
  for (const Action& action : step.actions) {
    const auto* execute = std::get_if<action::Execute>(&action);
    if (!execute || execute->argument.empty()) continue;
    if (!executed_.emplace(step.process, execute->argument.digest()).second)
      findings.fail(sim::FindingKind::safety, "a payload is executed once",
                    view.world().process(step.process).name + " executes " + text_of(*execute) + " again");
  }
}

void WordsMonitor::on_step(const sim::View& view, const sim::Step&, sim::Findings& findings) {
  const auto group = view.word(group_word), request = view.word(request_word);
  if (!group || !request) return;
  if (*group != group_) {
    const GroupState from{group_}, to{*group};
    const bool legal = (from == GroupState::initializing && (to == GroupState::ready || to == GroupState::terminal)) ||
                       (from == GroupState::ready && (to == GroupState::terminal || to == GroupState::closed));
    if (!legal)
      findings.fail(sim::FindingKind::safety, "TERMINAL is sticky and the group word keeps its table",
                    "group word goes from " + std::to_string(group_) + " to " + std::to_string(*group));
    group_ = *group;
    if (to == GroupState::closed) findings.seen("a group closed in order");
  }
  if (*request != request_) {
    if (*request > number(RequestState::shutdown_done))
      findings.fail(sim::FindingKind::safety, "the request word keeps its table",
                    "request word becomes " + std::to_string(*request));
    request_ = *request;
  }
}

void WordsMonitor::on_end(const sim::View& view, sim::Findings& findings) {
  for (sim::ProcessIndex i = 1; i < view.world().process_count(); ++i)
    if (view.world().process(i).exit_signal == 9) findings.seen("a rank was lost");
}

void PatienceMonitor::on_complete(const sim::View& view, Ticket ticket, const Note&, sim::Findings& findings) {
  constexpr Duration slack = seconds(20);  // blame, kill, reap, clean: each bounded in docs/defaults.md
  const Expected* call = workload_of(view).find(ticket);
  if (!call) return;
  const Duration took = view.now() - call->submitted;
  const Duration allowed = call->patience * (call->kind == CallKind::join ? 2 : 1) + slack;
  if (number(took) > number(allowed))
    findings.fail(sim::FindingKind::liveness, "a call ends within its patience",
                  name_of_call(*call) + " took " + std::to_string(number(took) / 1'000'000) + " ms, patience " +
                      std::to_string(number(call->patience) / 1'000'000) + " ms");
}

void HealthyMonitor::on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) {
  const Expected* call = workload_of(view).find(ticket);
  if (!call || call->late || view.world().faults_spent() > 0) return;
  if (view.world().workload() && workload_of(view).any_late()) return;  // a short patience may have ended the group
  bool meant_to_fail = false;
  for (const bool fails : call->fails) meant_to_fail = meant_to_fail || fails;
  if (outcome.status == Status::ok || (outcome.status == Status::failed && meant_to_fail)) return;
  if (call->kind == CallKind::join && outcome.status == Status::cancelled) return;  // another member's callable failed on purpose
  findings.fail(
      sim::FindingKind::safety, "without a fault nothing fails",
      name_of_call(*call) + ": " + to_string(outcome.status) + ": " + text_of_errors(decode_error_list(outcome.text.bytes())));
}

}  // namespace tenter::protocols
