#include "cli/protocols/control/control_monitors.hpp"

#include <algorithm>

#include "core/control/slr3.hpp"
#include "core/text.hpp"

namespace tenter::protocols {

using namespace control;

namespace {

constexpr Duration slack = seconds(6);  // each action may wait for half a second, each message too
// Four silent intervals, the fifth that is under way, and what was sent before the silence and came late.
constexpr Duration silence_bound = seconds(5) + slack;

}  // namespace

// ---------------------------------------------------------------- answers

void CommandsMonitor::complete(const sim::View& view, const ControlCall& call, const Note& outcome, sim::Findings& findings) {
  const std::string name = control_workload_of(view).name_of(call);
  if (outcome.status != Status::ok && outcome.text.size() < 8)
    return findings.safety("an error says why", name + ": \"" + std::string(outcome.text.text()) + "\"");
  if (call.kind == CallKind::start && outcome.status == Status::ok) findings.seen("every executor was ready");
  if (call.kind != CallKind::submit && call.kind != CallKind::control) return;
  if (outcome.kind != static_cast<std::uint32_t>(call.kind))
    return findings.safety("S1 an answer is the call's own", name + " is answered as another kind");
  if (outcome.c != 0) {
    const auto [first, inserted] = sequences_.try_emplace({outcome.b, outcome.c}, call.ticket);
    if (!inserted)
      return findings.safety("S1 an answer is the call's own",
                             name + " has the answer of ticket " + text_of(number(first->second)));
    if (call.worker != any_worker && outcome.b != call.worker)
      return findings.safety("S1 an answer is the call's own", name + " is answered by worker " + text_of(outcome.b));
  }
  if (const std::string missing = cause_missing(view, call, outcome); !missing.empty())
    return findings.safety(
        "S7 nothing fails without a cause of its own",
        name + ": " + to_string(outcome.status) + " \"" + std::string(outcome.text.text()) + "\", and " + missing);
  if (call.kind == CallKind::submit)
    judge_task(view, call, outcome, findings);
  else
    judge_control(view, call, outcome, findings);
  if (outcome.status == Status::timed_out) findings.seen("a deadline passed");
  if (outcome.status == Status::cancelled) findings.seen("a call was cancelled");
  if (outcome.status == Status::peer_lost) findings.seen("a route failed");
}

// What is missing, or nothing.
std::string CommandsMonitor::cause_missing(const sim::View& view, const ControlCall& call, const Note& outcome) {
  const ControlWorkload& workload = control_workload_of(view);
  const auto worker = static_cast<std::uint32_t>(outcome.c != 0 ? outcome.b : call.worker);
  switch (outcome.status) {
    case Status::timed_out:
      return number(call.patience) == 0 ? "it has no deadline" : "";
    case Status::cancelled:
      if (call.cancelled || workload.aborted() || (worker != any_worker && workload.route_cancelled(worker))) return "";
      return "nobody cancelled it";
    case Status::unavailable:
      return call.was_open && !workload.shutdown() ? "the session is open" : "";
    case Status::invalid:
      return "it is valid";
    case Status::peer_lost:
      if (!call.was_open && outcome.c == 0) return "";  // of a start that did not succeed
      if (worker == any_worker) {                       // then all routes have failed
        for (std::uint32_t w = 0; w < workload.shape().executors; ++w)
          if (innocent(view, w) && call.was_open && !workload.shutdown()) return "worker " + text_of(w) + " is well";
        return "";
      }
      return innocent(view, worker) && !overdue(view) ? "its worker is well" : "";
    default:
      return "";
  }
}

void CommandsMonitor::judge_task(const sim::View& view, const ControlCall& call, const Note& outcome, sim::Findings& findings) {
  const ControlWorkload& workload = control_workload_of(view);
  const auto worker = static_cast<std::uint32_t>(outcome.b);
  if (outcome.status == Status::failed) {
    findings.seen("a task failed");
    const bool as_told = outcome.text == Blob("task " + std::to_string(call.order.id) + " fails as it was told to");
    const bool on_purpose = outcome.text == Blob("the callable failed on purpose");
    if ((!as_told || call.order.fails == 0) && !on_purpose)
      findings.safety("S1 an answer is the call's own", workload.name_of(call) + ": failed: " + std::string(outcome.text.text()));
  }
  if (outcome.status != Status::ok) return;
  findings.seen("a task was done");
  const Blob expected = workload.shape().without_results[worker] ? Blob() : result_of(call.order, worker);
  const Blob result = outcome.parts.size() == 0 ? Blob() : outcome.parts[0];
  if (call.order.fails != 0 || result != expected)
    findings.safety("S1 an answer is the call's own", workload.name_of(call) + " has the result \"" +
                                                          std::string(result.text().substr(0, 60)) + "\", not \"" +
                                                          std::string(expected.text().substr(0, 60)) + "\"");
}

// Of what every executor has, and of what none has, the answer is known.
void CommandsMonitor::judge_control(const sim::View& view, const ControlCall& call, const Note& outcome,
                                    sim::Findings& findings) {
  const bool has = call.control == ControlName::prepare_callable, has_not = call.control == ControlName::alloc_remote_buffer;
  if ((has && outcome.status == Status::failed) || (has_not && outcome.status == Status::ok))
    findings.safety("S1 an answer is the call's own", control_workload_of(view).name_of(call) + ": " + to_string(outcome.status) +
                                                          " " + std::string(outcome.text.text()));
  if (outcome.status == Status::ok) findings.seen("a control was applied");
}

// ---------------------------------------------------------------- runs

void RunsMonitor::step(const sim::View& view, const sim::Step& step, sim::Findings& findings) {
  for (const Action& action : step.actions) {
    if (const auto* send = std::get_if<action::SendMessage>(&action)) answers(view, step.process, *send, findings);
    const auto* execute = std::get_if<action::Execute>(&action);
    if (!execute) continue;
    const auto order = read_order(execute->argument);
    const ControlCall* call = order ? control_workload_of(view).find_task(order->id) : nullptr;
    const std::string who = view.world().process(step.process).name;
    if (!call || call->order != *order)
      return findings.safety("S1 a task arrives as it was sent", who + " runs what nobody sent");
    const std::string name = who + " runs " + control_workload_of(view).name_of(*call);
    if (!ran_.insert(order->id).second) return findings.safety("S3 a task runs at most once", name + " again");
    if (refused_.contains(order->id)) return findings.safety("S3 what was refused does not run", name);
    if (call->worker != any_worker && call->worker + 1 != step.process)
      return findings.safety("S3 a task runs where it was sent", name);
  }
}

void RunsMonitor::answers(const sim::View& view, sim::ProcessIndex process, const action::SendMessage& send,
                          sim::Findings& findings) {
  if (send.tag != reply_tag || control_workload_of(view).shape().is_hostile(process - 1)) return;
  const auto frame = read_frame(send.content.bytes());
  if (frame && !answered_.insert({process, frame->identity.sequence}).second)
    findings.safety("S3 a command is answered once",
                    view.world().process(process).name + ": " + describe(frame->type, frame->identity) + " again");
}

void RunsMonitor::complete(const sim::View& view, const ControlCall& call, const Note& outcome, sim::Findings& findings) {
  if (call.kind != CallKind::submit) return;
  if (outcome.status != Status::ok && outcome.c == 0) refused_.insert(call.order.id);
  if (outcome.status == Status::ok && !ran_.contains(call.order.id))
    findings.safety("S1 an answer is the call's own", control_workload_of(view).name_of(call) + ": ok, and it did not run");
}

// ---------------------------------------------------------------- bounds

void BoundsMonitor::step(const sim::View& view, const sim::Step& step, sim::Findings& findings) {
  if (step.process != controller || step.role != hub_role || hub_was_stopped() ||
      !std::holds_alternative<event::Submitted>(step.event))
    return;
  for (const Action& action : step.actions) {
    const auto* send = std::get_if<action::SendMessage>(&action);
    if (!send || send->tag != command_tag) continue;
    const auto worker = static_cast<std::uint32_t>(number(send->to)) - 1;
    const auto since = silent_since(worker);
    if (since && view.now() - *since > silence_bound && !control_workload_of(view).shape().starved)
      findings.safety("P-A5 a silence is noticed in time",
                      "worker " + text_of(worker) + " is sent a command, silent since " + text_of(*since));
  }
}

void BoundsMonitor::complete(const sim::View& view, const ControlCall& call, const Note& outcome, sim::Findings& findings) {
  const ControlWorkload& workload = control_workload_of(view);
  const Duration took = view.now() - call.submitted;
  const std::string name = workload.name_of(call) + " took " + text_of(number(took) / 1'000'000) + " ms";
  const bool command = call.kind == CallKind::submit || call.kind == CallKind::control;
  if (command && outcome.status == Status::timed_out && number(took) < number(call.patience) / 100 * 99)
    return findings.safety("P-X8 no deadline passes before its time", name);
  if (hub_was_stopped()) return;
  Duration patience = call.patience;
  for (const ControlCall& other : workload.calls())  // a second shutdown waits for the end of the first
    if (call.kind == CallKind::shutdown && other.kind == CallKind::shutdown) patience = std::max(patience, other.patience);
  if ((command || call.kind == CallKind::shutdown) && number(patience) > 0 && took > patience + slack)
    return findings.fail(sim::FindingKind::liveness,
                         command ? "P-X8 a call ends by its deadline" : "P-X11 a shutdown ends by its deadline", name);
  if (call.kind == CallKind::shutdown && outcome.status == Status::timed_out) {
    findings.seen("a shutdown did not wait for an executor");
    if (!overdue(view)) findings.safety("P-X11 a shutdown waits until its deadline", name);
  }
  if (!command || outcome.c == 0 || workload.shape().starved) return;
  const auto since = silent_since(static_cast<std::uint32_t>(outcome.b));
  if (since && view.now() - std::max(*since, call.submitted) > silence_bound)
    findings.fail(sim::FindingKind::liveness, "P-A5 a silence is noticed in time",
                  name + ", its worker is silent since " + text_of(*since));
}

// ---------------------------------------------------------------- leaving

// Who leaves by itself says how it ended, by its answer and by its code alike.
void LeavingMonitor::judge_code(const sim::View& view, const sim::Step& step, sim::Findings& findings) {
  std::optional<bool> well;
  for (const Action& action : step.actions) {
    const auto* complete = std::get_if<action::Complete>(&action);
    if (complete && (is(complete->outcome, CallKind::serve) || is(complete->outcome, CallKind::shutdown)))
      well = complete->outcome.status == Status::ok;
    const auto* exit = std::get_if<action::ExitProcess>(&action);
    if (exit && well && exit->code != (*well ? 0 : 1))
      findings.safety("an exit code says how it ended", view.world().process(step.process).name + " ends with " +
                                                            text_of(exit->code) + " and says " +
                                                            (*well ? "ok" : "that it failed"));
  }
}

void LeavingMonitor::step(const sim::View& view, const sim::Step& step, sim::Findings& findings) {
  judge_code(view, step, findings);
  if (step.process == controller) return;
  const std::uint32_t worker = step.process - 1;
  if (std::holds_alternative<event::Executed>(step.event)) {
    at_work_.erase(step.process);
    worked_[step.process] = view.now();
  }
  if (std::holds_alternative<event::Submitted>(step.event)) asked_.insert(step.process);
  for (const Action& action : step.actions) {
    if (std::holds_alternative<action::Execute>(action)) {
      at_work_.insert(step.process);
      worked_[step.process] = view.now();
    }
    const auto* exit = std::get_if<action::ExitProcess>(&action);
    if (!exit) continue;
    const bool hub_there = view.world().process(controller).life == sim::Life::running;
    if (exit->code != 0 && hub_there && innocent(view, worker) && joined(step.process) && !overdue(view))
      return findings.safety("P-X18 a controller that is heard is not doubted",
                             view.world().process(step.process).name + " ends with " + text_of(exit->code));
    const bool answers = std::any_of(step.actions.begin(), step.actions.end(),
                                     [](const Action& a) { return std::holds_alternative<action::Complete>(a); });
    if (asked_.contains(step.process) && !answers)
      return findings.safety("an executor that ends says so", view.world().process(step.process).name);
    if (exit->code != 0 && !hub_there) findings.seen("an executor lost its controller");
    if (exit->code == 0) findings.seen("an executor left in order");
  }
}

void LeavingMonitor::complete(const sim::View& view, const ControlCall& call, const Note& outcome, sim::Findings& findings) {
  if (call.kind == CallKind::serve) answered_.insert(call.worker + 1);
  if (call.kind != CallKind::shutdown) return;
  answered_.insert(controller);
  if (outcome.status == Status::ok) {
    all_left_ = true;
    findings.seen("a session ended in order");
  }
  for (std::uint32_t worker = 0; worker < control_workload_of(view).shape().executors; ++worker) {
    const sim::ProcessIndex p = worker + 1;
    const bool waited_for = outcome.status == Status::timed_out && view.world().process(p).life == sim::Life::running;
    if (!waited_for || !innocent(view, worker) || !joined(p) || at_work_.contains(p)) continue;
    if (view.now() - std::max(worked_[p], call.submitted) > slack)
      return findings.safety("P-X11 a shutdown waits for who is at work alone", view.world().process(p).name + " was waited for");
  }
  if (outcome.status != Status::failed) return;
  bool any_guilty = false;
  for (std::uint32_t worker = 0; worker < control_workload_of(view).shape().executors; ++worker)
    any_guilty = any_guilty || !innocent(view, worker) || !joined(worker + 1);
  if (!any_guilty && joined(controller) && !overdue(view))
    findings.safety("S7 nothing fails without a cause of its own", "the shutdown: " + std::string(outcome.text.text()));
}

void LeavingMonitor::end(const sim::View& view, sim::Findings& findings) {
  for (sim::ProcessIndex p = 0; p < view.world().process_count(); ++p) {
    const sim::Process& process = view.world().process(p);
    const bool gone = process.life == sim::Life::gone;
    if (!gone && answered_.contains(p))
      return findings.fail(sim::FindingKind::liveness, "P-X11 who says that it ends is gone", process.name + " is still there");
    if (gone && process.exit_signal == 0 && asked_.contains(p) && !answered_.contains(p))
      return findings.safety("an executor that ends says so", process.name);
    if (p == controller) continue;
    if (process.life == sim::Life::gone) {
      if (all_left_ && process.exit_signal == 0 && (process.exit_code != 0 || !process.orderly))
        return findings.safety("P-X11 who has left has left in order", process.name + ", and the shutdown said ok");
      continue;
    }
    // In the world's join, or with a task that never ends: the launcher or the supervisor ends those.
    if (!joined(p) || at_work_.contains(p)) continue;
    return findings.fail(sim::FindingKind::liveness, "P-X11 every executor leaves",
                         process.name + " is still there\n" + view.world().waits());
  }
}

}  // namespace tenter::protocols
