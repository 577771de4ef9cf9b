#include "sim/model/launchers.hpp"

#include <algorithm>

#include "sim/world.hpp"

namespace tenter::sim {
namespace {
constexpr Duration spawn_takes = microseconds(300);
constexpr Duration rank_start_takes = milliseconds(2);
constexpr Duration exit_notice = microseconds(50);
constexpr Duration abort_takes = milliseconds(1);

// Why no operating system would start this; nullptr when it would.
const char* refusal(const action::Spawn& a) {
  if (a.arguments.empty() || a.arguments[0].empty()) return "spawn: no program is named";
  for (const Parts* texts : {&a.arguments, &a.environment})
    for (const Blob& text : *texts)
      if (text.text().find('\0') != std::string_view::npos) return "spawn: an argument or environment entry holds a zero byte";
  return nullptr;
}
}  // namespace

void LaunchersModel::perform(Process& p, Role role, const action::Spawn& a) {
  if (const char* cause = refusal(a)) {
    world_.post(p.index, role, event::Spawned{Time{}, a.op, Status::invalid, {}, Blob(std::string_view(cause))}, spawn_takes);
    return;
  }
  const LauncherSpec* spec = world_.launcher(a.arguments[0].text());
  if (!spec) {
    const std::string program(a.arguments[0].text());
    world_.post(p.index, role, event::Spawned{Time{}, a.op, Status::not_found, {}, Blob(program + ": no such program")},
                spawn_takes);
    return;
  }
  Job job;
  job.parent = p.index;
  if (spec->cleans_up) job.cleans_up = spec->cleans_up(a);
  ProcessSpec launcher;
  launcher.name = spec->program;
  job.launcher = world_.add_process(std::move(launcher), p.index);
  for (std::uint32_t rank = 0; rank < spec->ranks; ++rank)
    job.ranks.push_back(world_.add_process(spec->make_rank(Rank{rank}, a), job.launcher));
  world_.start_process(job.launcher);
  world_.collectives().add_job(job.ranks);
  const auto number_of_job = static_cast<std::uint64_t>(jobs_.size());
  for (const ProcessIndex rank : job.ranks) {
    Item start;
    start.kind = Item::Kind::start;
    start.process = rank;
    world_.schedule(rank_start_takes + world_.chosen_delay(Tag::start_delay, rank), std::move(start));
  }
  constexpr std::pair<Tag, std::uint64_t> deaths[] = {{Tag::launcher_crash, 0}, {Tag::proxy_crash, 1}};
  for (const auto& [tag, kind] : deaths) {
    const std::uint32_t when =
        world_.allowed(tag) ? world_.choices().choose(tag, static_cast<std::uint32_t>(number_of_job), 64) : 0;
    if (when == 0) continue;
    world_.spend(tag);
    Item fault;
    fault.kind = Item::Kind::fault;
    fault.a = number_of_job;
    fault.b = kind;
    world_.schedule(microseconds(100) * (when * when), std::move(fault));
  }
  const Time told =
      world_.post(p.index, role, event::Spawned{Time{}, a.op, Status::ok, world_.process(job.launcher).id, {}}, spawn_takes);
  watchers_.push_back({p.index, role, a.op, job.launcher, true, told});
  jobs_.push_back(std::move(job));
}

void LaunchersModel::perform(Process& p, Role role, const action::WatchProcess& a) {
  const ProcessIndex target = world_.find(a.process);
  if (target == no_process || world_.process(target).life == Life::gone) {
    world_.post(p.index, role, event::ProcessExited{Time{}, a.op, -1, -1}, exit_notice);
    return;
  }
  watchers_.push_back({p.index, role, a.op, target, world_.process(target).parent == p.index, Time{}});
}

void LaunchersModel::perform(Process&, Role, const action::KillProcesses& a) {
  for (const ProcessId& id : a.processes) {
    const ProcessIndex target = world_.find(id);
    if (target != no_process) world_.signal_process(target, a.signal);
  }
}

void LaunchersModel::perform(Process& p, Role role, const action::InspectProcesses& a) {
  std::string states;
  for (const ProcessId& id : a.processes) {
    const ProcessIndex target = world_.find(id);
    const Life life = target == no_process ? Life::gone : world_.process(target).life;
    states += life == Life::gone ? 'X' : life == Life::stopped ? 'T' : 'R';
  }
  world_.post(p.index, role, event::ProcessesInspected{Time{}, a.op, Blob(states)}, microseconds(20));
}

// Only a parent learns how it ended, and nobody before its start or before an earlier exit.
void LaunchersModel::tell(const Watcher& watcher, const Process& dead) {
  world_.pages().ordered_after_death(dead.index, watcher.process);
  const std::int32_t code = dead.exit_signal != 0 ? -1 : dead.exit_code;
  const event::ProcessExited exited{Time{}, watcher.op, watcher.spawner ? code : -1, watcher.spawner ? dead.exit_signal : -1};
  const Duration wait = exit_notice + world_.chosen_delay(Tag::exit_delay, watcher.process);
  Time& last = told_[watcher.process];
  const Time earliest = std::max(std::max(watcher.from, last) + nanoseconds(1), world_.now() + wait);
  last = world_.post(watcher.process, watcher.role, exited, earliest - world_.now());
}

void LaunchersModel::ended(Process& p) {
  for (std::size_t i = 0; i < watchers_.size();) {
    const Watcher watcher = watchers_[i];
    if (watcher.process == p.index || watcher.target == p.index)
      watchers_.erase(watchers_.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
    if (watcher.target != p.index) continue;
    tell(watcher, p);
  }
  for (std::uint64_t number_of_job = 0; number_of_job < jobs_.size(); ++number_of_job) {
    Job& job = jobs_[number_of_job];
    const bool is_rank = std::find(job.ranks.begin(), job.ranks.end(), p.index) != job.ranks.end();
    if (is_rank) {
      ++job.ended;
      job.code |= p.exit_signal != 0 ? p.exit_signal : p.exit_code;
      if (p.exit_signal != 0 || p.exit_code != 0 || !p.orderly) job.aborting = job.cleans_up;
    }
    const bool of_job = is_rank || job.launcher == p.index;
    if (of_job) {
      Item step;
      step.kind = Item::Kind::job;
      step.a = number_of_job;
      world_.schedule(abort_takes + world_.chosen_delay(Tag::exit_delay, p.index), std::move(step));
    }
    if (job.parent != p.index) continue;
    for (const ProcessIndex rank : job.ranks)  // life-lines close
      world_.post(rank, no_role, event::ParentExited{}, exit_notice);
    if (p.exit_signal == 0) {  // what it did not wait for is killed as it goes; who is killed leaves that to the guardian
      Item end;
      end.kind = Item::Kind::exit;
      end.process = job.launcher;
      end.b = 9;
      world_.schedule(abort_takes, std::move(end));
    }
  }
  if (p.parent == no_process && p.exit_signal != 0) {  // its guardian, a process of its own, comes
    Item guard;
    guard.kind = Item::Kind::guard;
    guard.process = p.index;
    world_.schedule(milliseconds(500), std::move(guard));
  }
}

void LaunchersModel::job_step(std::uint64_t number_of_job) {
  Job& job = jobs_[number_of_job];
  Process& launcher = world_.process(job.launcher);
  const bool launcher_gone = launcher.life == Life::gone;
  if ((job.aborting && !job.daemon_lost) || launcher_gone || job.daemon_lost) {
    for (std::size_t i = 0; i < job.ranks.size(); ++i) world_.signal_process(jobs_[number_of_job].ranks[i], 9);
  }
  Job& after = jobs_[number_of_job];
  if (!launcher_gone && !after.daemon_lost && after.ended == after.ranks.size())
    world_.end_process(after.launcher, after.code, 0);
}

void LaunchersModel::fault(std::uint64_t number_of_job, std::uint64_t kind) {
  Job& job = jobs_[number_of_job];
  if (kind == 0) return world_.signal_process(job.launcher, 9);
  job.daemon_lost = true;  // the launcher goes on waiting; the ranks' death signal ends them
  job_step(number_of_job);
}

void LaunchersModel::guard(ProcessIndex parent) {
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    if (jobs_[i].parent != parent) continue;
    for (std::size_t k = 0; k < jobs_[i].ranks.size(); ++k) world_.signal_process(jobs_[i].ranks[k], 9);
    world_.signal_process(jobs_[i].launcher, 9);
  }
  world_.files().remove_made_by(parent);
  world_.pages().remove_made_by(parent);
}

}  // namespace tenter::sim
