#include "cli/protocols/mailbox/group_monitors.hpp"

#include "cli/protocols/mailbox/group_answers.hpp"
#include "core/mailbox/error_list.hpp"
#include "core/mailbox/layout.hpp"
#include "core/text.hpp"
#include "sim/world.hpp"

namespace tenter::protocols {

using namespace mailbox;

namespace {

const GroupWorkload& workload_of(const sim::View& view) { return static_cast<const GroupWorkload&>(*view.world().workload()); }

}  // namespace

void AnswersMonitor::on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) {
  const Expected* call = workload_of(view).find(ticket);
  if (!call) return;
  if (outcome.status != Status::ok) {
    if (const std::string wrong = wrong_error(*call, outcome); !wrong.empty())
      findings.safety("an error parses and says why", name_of_call(*call) + ": " + wrong);
    if (outcome.status == Status::peer_lost) {
      broken_ = true;
      if (call->kind == CallKind::request && view.word(group_word) == number(GroupState::ready))
        findings.safety("a broken group is TERMINAL in its page",
                        name_of_call(*call) + " is told that the group is gone, the page still says READY");
      findings.seen("a group became terminal");
    }
    if (outcome.status == Status::failed) findings.seen("a callable's error came back");
    if (outcome.status == Status::timed_out) findings.seen("a call timed out");
    return;
  }
  if (broken_ && call->kind == CallKind::request)
    findings.safety("a group that broke stays broken",
                    name_of_call(*call) + " succeeded after another was told that the group is gone");
  if (const std::string wrong = wrong_answer(*call, outcome); !wrong.empty())
    findings.safety("an answer is the request's own", name_of_call(*call) + ": " + wrong);
}

void ExecutionsMonitor::on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) {
  for (const Action& action : step.actions) {
    const auto* execute = std::get_if<action::Execute>(&action);
    if (!execute || execute->argument.empty()) continue;
    if (!executed_.emplace(step.process, execute->argument.digest()).second)
      findings.safety("a payload is executed once",
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
      findings.safety("TERMINAL is sticky and the group word keeps its table",
                      "group word goes from " + std::to_string(group_) + " to " + std::to_string(*group));
    group_ = *group;
    if (to == GroupState::closed) findings.seen("a group closed in order");
  }
  if (*request != request_) {
    if (*request > number(RequestState::shutdown_done))
      findings.safety("the request word keeps its table", "request word becomes " + std::to_string(*request));
    request_ = *request;
  }
}

void WordsMonitor::on_end(const sim::View& view, sim::Findings& findings) {
  for (sim::ProcessIndex i = 1; i < view.world().process_count(); ++i)
    if (view.world().process(i).exit_signal == 9) findings.seen("a rank was lost");
}

void PatienceMonitor::on_complete(const sim::View& view, Ticket ticket, const Note&, sim::Findings& findings) {
  const Expected* call = workload_of(view).find(ticket);
  if (!call) return;
  if (const std::string wrong = overdue_answer(*call, view.now() - call->submitted); !wrong.empty())
    findings.fail(sim::FindingKind::liveness, "a call ends within its patience", name_of_call(*call) + " " + wrong);
}

void HealthyMonitor::on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) {
  const Expected* call = workload_of(view).find(ticket);
  if (!call || call->late || view.world().faults_spent() > 0) return;
  if (view.world().workload() && workload_of(view).any_late()) return;  // a short patience may have ended the group
  if (const std::string wrong = unhealthy_answer(*call, outcome); !wrong.empty())
    findings.safety("without a fault nothing fails", name_of_call(*call) + ": " + wrong);
}

}  // namespace tenter::protocols
