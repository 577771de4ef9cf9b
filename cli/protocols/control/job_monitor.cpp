#include "cli/protocols/control/job_monitor.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace tenter::protocols {

using namespace control;

namespace {

constexpr Duration delays = seconds(6);          // each event may wait for half a second
constexpr Duration healthy_start = seconds(20);  // whatever strangers there are
// Asking, killing, cleaning, and an answer that does not come: SupervisorConfig.
constexpr Duration way_out = seconds(20), last_wait = seconds(30);

std::string milliseconds_text(Duration duration) { return text_of(number(duration) / 1'000'000) + " ms"; }

bool says(const Note& note, std::string_view what) { return note.text.text().find(what) != std::string_view::npos; }

const sim::Process* process_of(const sim::View& view, ProcessId id) {
  const sim::ProcessIndex found = view.world().find(id);
  return found == sim::no_process ? nullptr : &view.world().process(found);
}

}  // namespace

void JobMonitor::step(const sim::View& view, const sim::Step& step, sim::Findings& findings) {
  hears(view, step);
  if (!of_supervisor(step, supervisor_role)) return;
  for (const Action& action : step.actions) {
    if (const auto* spawn = std::get_if<action::Spawn>(&action)) spawns(view, *spawn, findings);
    if (const auto* watch = std::get_if<action::WatchProcess>(&action)) known_[watch->op] = watch->process;
    if (const auto* kill = std::get_if<action::KillProcesses>(&action)) kills(view, step, *kill, findings);
    if (const auto* file = std::get_if<action::PublishFile>(&action)) hosts_file_ = std::string(file->path.text());
    const bool makes = std::holds_alternative<action::Spawn>(action) || std::holds_alternative<action::PublishFile>(action) ||
                       std::holds_alternative<action::Tell>(action);
    anything_made_ = anything_made_ || makes;
    if (!std::holds_alternative<action::RemoveFile>(action) || supervisor_was_stopped()) continue;
    const sim::ProcessIndex launcher = view.world().find(launcher_program);
    if (launcher != sim::no_process && view.world().process(launcher).life != sim::Life::gone)
      findings.safety("B4.7 the host file stays while the launcher may read it", "it is removed, and the launcher is there");
  }
}

void JobMonitor::hears(const sim::View& view, const sim::Step& step) {
  const auto* world = std::get_if<event::WorldJoined>(&step.event);
  if (world && world->status == Status::ok) joined_.insert(number(world->rank));
  if (!of_supervisor(step, supervisor_role)) return;
  if (const auto* spawned = std::get_if<event::Spawned>(&step.event); spawned && spawned->status == Status::ok)
    known_[spawned->op] = spawned->process;
  if (const auto* exited = std::get_if<event::ProcessExited>(&step.event)) {
    known_.erase(exited->op);
    if (runs_ && !first_exit_) first_exit_ = step.now;
  }
  const auto* told = std::get_if<event::Told>(&step.event);
  if (told && is(told->note, StartNote::gate_failed) && !runs_ && step.before != "suspecting" && step.before != "terminating")
    blame_ = std::string(told->note.text.text());
  (void)view;
}

void JobMonitor::spawns(const sim::View& view, const action::Spawn& spawn, sim::Findings& findings) {
  const bool reads_a_file =
      std::any_of(spawn.arguments.begin(), spawn.arguments.end(), [](const Blob& argument) { return argument.text() == "-f"; });
  if (reads_a_file && (hosts_file_.empty() || view.world().files().content(hosts_file_) == nullptr))
    findings.safety("B4.7 the host file is there when the launcher starts", "there is none of the name \"" + hosts_file_ + "\"");
}

void JobMonitor::kills(const sim::View& view, const sim::Step& step, const action::KillProcesses& kill, sim::Findings& findings) {
  for (const ProcessId& id : kill.processes) {
    const sim::Process* target = process_of(view, id);
    if (target == nullptr || !of_job(*target))
      return findings.safety("P-C10 only the job's own processes are ended", "pid " + text_of(id.pid));
  }
  if (cause(view).empty() && !patience_is_short(view))
    return findings.safety("S7 nobody is ended without a cause", "signal " + text_of(kill.signal));
  const bool late = std::holds_alternative<event::Told>(step.event) && kill.processes.size() == 1;  // came when all were asked
  if (kill.signal == 9) findings.seen("SIGKILL was needed");
  if (late || std::holds_alternative<event::Spawned>(step.event)) return;
  for (const auto& [op, id] : known_)
    if (std::find(kill.processes.begin(), kill.processes.end(), id) == kill.processes.end())
      return findings.safety("L4 everybody is ended", "pid " + text_of(id.pid) + " is not sent signal " + text_of(kill.signal));
}

bool JobMonitor::patience_is_short(const sim::View& view) const {
  return start_workload_of(view).shape().job.patience < healthy_start;
}

// ---------------------------------------------------------------- answers

void JobMonitor::complete(const sim::View& view, const StartCall& call, const Note& outcome, sim::Findings& findings) {
  if (outcome.status != Status::ok && outcome.text.size() < 8)
    return findings.safety("an error says why", "\"" + std::string(outcome.text.text()) + "\"");
  switch (call.kind) {
    case StartNote::start:
      return call.wrong ? judge_failure(view, call, outcome, findings) : judge_start(view, call, outcome, findings);
    case StartNote::wait:
      if (outcome.status == Status::unavailable) return;  // there was no job yet
      return judge_end(view, call, outcome, findings);
    default:
      return judge_end(view, call, outcome, findings);
  }
}

void JobMonitor::judge_start(const sim::View& view, const StartCall& call, const Note& outcome, sim::Findings& findings) {
  const StartShape& shape = start_workload_of(view).shape();
  const Duration took = view.now() - call.submitted;
  if (outcome.status != Status::ok) return judge_failure(view, call, outcome, findings);
  runs_ = true;
  findings.seen("a start succeeded");
  for (std::uint32_t rank = 0; rank < shape.world(); ++rank)
    if (!joined_.contains(rank))
      return findings.safety("P-X10 success means that every rank has joined", "rank " + text_of(rank) + " has not");
  if (supervisor_was_stopped()) return;
  if (took > shape.job.patience + delays)
    return findings.fail(sim::FindingKind::liveness, "L6 a start ends in its time", "GO came after " + milliseconds_text(took));
  if (cause(view).empty() && took > healthy_start)
    findings.fail(sim::FindingKind::liveness, "P-X9 strangers cost the ranks little time",
                  "GO came after " + milliseconds_text(took));
}

// Of a start call that started nothing, for whatever reason.
void JobMonitor::judge_failure(const sim::View& view, const StartCall& call, const Note& outcome, sim::Findings& findings) {
  const StartShape& shape = start_workload_of(view).shape();
  const Duration took = view.now() - call.submitted;
  if (call.wrong) {
    if (outcome.status != Status::invalid || anything_made_)
      findings.safety("S8 a wrong call is refused before anything is made", to_string(outcome.status));
    return findings.seen("a wrong call was refused");
  }
  findings.seen("a start failed");
  const bool in_time = outcome.status == Status::timed_out && number(took) < number(shape.job.patience) / 100 * 98;
  if (in_time) return findings.safety("P-X8 no deadline passes before its time", "after " + milliseconds_text(took));
  const bool late = outcome.status == Status::timed_out && patience_is_short(view);
  if (cause(view).empty() && !late)
    return findings.safety("S7 a start fails for a cause",
                           std::string(to_string(outcome.status)) + " " + std::string(outcome.text.text()));
  if (!blame_.empty() && !says(outcome, blame_))
    return findings.safety("P-C8 who cannot start is named with its reason",
                           "the gate said: " + blame_ + ", the answer is: " + std::string(outcome.text.text()));
  if (took > shape.job.patience + way_out + delays && !supervisor_was_stopped())
    return findings.fail(sim::FindingKind::liveness, "L6 a start ends in its time", "it took " + milliseconds_text(took));
  if (const std::string left = left_of_job(view, outcome); !left.empty())
    findings.safety("L4 nothing is left when the end is told", left);
}

void JobMonitor::judge_end(const sim::View& view, const StartCall& call, const Note& outcome, sim::Findings& findings) {
  findings.seen(call.kind == StartNote::stop ? "a job was ended by a call" : "a job came to its end");
  if (const std::string left = left_of_job(view, outcome); !left.empty())
    return findings.safety("L4 nothing is left when the end is told", left);
  if (call.kind == StartNote::stop) {
    if (view.now() - call.submitted > way_out + delays && !supervisor_was_stopped())
      findings.fail(sim::FindingKind::liveness, "L1 an end that is asked for comes in time",
                    "it took " + milliseconds_text(view.now() - call.submitted));
    return;
  }
  if (first_exit_ && view.now() - *first_exit_ > last_wait + way_out + delays && !supervisor_was_stopped())
    return findings.fail(sim::FindingKind::liveness, "P-X19 the supervisor's last wait has an end",
                         "the first process left " + milliseconds_text(view.now() - *first_exit_) + " before");
  if (outcome.status != Status::ok) {
    if (cause(view).empty() && !patience_is_short(view))
      findings.safety("S7 a job fails for a cause", std::string(outcome.text.text()));
    return;
  }
  for (sim::ProcessIndex p = 0; p < view.world().process_count(); ++p) {
    const sim::Process& process = view.world().process(p);
    if (of_job(process) && (process.exit_code != 0 || process.exit_signal != 0))
      return findings.safety("a job's end is told as it was", process.name + " ended with code " + text_of(process.exit_code) +
                                                                  ", signal " + text_of(process.exit_signal) +
                                                                  ", and the end is ok");
  }
}

// What a supervisor that says that it has ended has not ended; what it confesses does not count.
std::string JobMonitor::left_of_job(const sim::View& view, const Note& outcome) const {
  if (says(outcome, "left behind") || supervisor_was_stopped()) return {};
  for (const auto& [op, id] : known_)
    if (const sim::Process* process = process_of(view, id); process && process->life != sim::Life::gone)
      return process->name + " is still there";
  const sim::ProcessIndex launcher = view.world().find(launcher_program);
  if (launcher != sim::no_process && view.world().process(launcher).life != sim::Life::gone) return "the launcher is still there";
  if (!hosts_file_.empty() && view.world().files().content(hosts_file_) != nullptr) return "the host file is still there";
  if (view.world().streams().open_listeners(supervisor_process) != 0) return "the gate still listens";
  if (view.world().streams().open_streams(supervisor_process) != 0) return "the gate still has connections";
  return {};
}

}  // namespace tenter::protocols
