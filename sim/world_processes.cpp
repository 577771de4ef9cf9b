// The world's processes and its queue: born, started, stopped, restarted, ended; what a model schedules, posts and spends.
#include <algorithm>

#include "sim/world.hpp"

namespace tenter::sim {

void World::schedule(Duration after, Item item) {
  if (item.kind == Item::Kind::heal || item.kind == Item::Kind::end) ++phase_marks_;
  const std::uint32_t tie = choices_.choose(Tag::tie, item.process, 4);
  queue_.push(now_ + after, tie, std::move(item));
}

Time World::post(ProcessIndex to, Role role, Event event, Duration base, std::uint64_t ticket) {
  Process& p = *processes_[to];
  if (p.life == Life::gone) return now_;
  const Duration wait = base + chosen_delay(Tag::delay, to);
  if (number(wait) == 0) {
    p.inbox.push({role, ticket, std::move(event)});
    wake(to);
    return now_;
  }
  Item item;
  item.kind = Item::Kind::deliver;
  item.process = to;
  item.role = role;
  item.a = ticket;
  item.event = std::move(event);
  schedule(wait, std::move(item));
  return now_ + wait;
}

void World::wake(ProcessIndex index) {
  Process& p = *processes_[index];
  if (p.scheduled || p.life != Life::running || index == current_turn_) return;
  p.scheduled = true;
  Item turn;
  turn.kind = Item::Kind::turn;
  turn.process = index;
  schedule(Duration{0}, std::move(turn));
}

// Log-uniform: 0 (no delay), or 1 us << k for k = 2..19 (4 us .. 0.5 s).
Duration World::chosen_delay(Tag tag, std::uint32_t entity) {
  const std::uint32_t answer = choices_.choose(tag, entity, 19);
  return answer == 0 ? Duration{0} : microseconds(std::int64_t{2} << answer);
}

bool World::allowed(Tag fault) {
  if (healed_) return false;
  const auto budget = scenario_.budgets_.find(fault);
  return budget != scenario_.budgets_.end() && budget->second > 0;
}

void World::spend(Tag fault) {
  auto& budget = scenario_.budgets_[fault];
  if (budget > 0) --budget;
  ++faults_spent_;
}

const LauncherSpec* World::launcher(std::string_view program) const {
  for (const LauncherSpec& spec : scenario_.launchers_)
    if (spec.program == program) return &spec;
  return nullptr;
}

ProcessIndex World::add_process(ProcessSpec spec, ProcessIndex parent) {
  const auto index = static_cast<ProcessIndex>(processes_.size());
  auto p = std::make_unique<Process>();
  p->name = std::move(spec.name);
  p->index = index;
  p->parent = parent;
  p->id = {1000 + index, 10 + index};
  p->machines = std::move(spec.machines);
  p->files_root = std::move(spec.files_root);
  p->host = std::move(spec.host);
  p->may_crash = spec.may_crash;
  p->may_stop = spec.may_stop;
  p->always_resumes = spec.always_resumes;
  p->ignores_sigterm = spec.ignores_sigterm;
  p->job = std::move(spec.job);
  p->restart_after = spec.restart_after;
  if (number(spec.restart_after) >= 0) p->reborn = p->machines;
  choose_fate(*p);
  constexpr std::int64_t drifts[] = {0, 10, -10, 50, -50, 200, -200};
  p->drift_ppm = drifts[choices_.choose(Tag::drift, index, std::size(drifts))];
  p->skew = static_cast<std::int64_t>(choices_.choose(Tag::skew, index, 4)) * 3'600'000'000'000;
  processes_.push_back(std::move(p));
  return index;
}

void World::choose_fate(Process& p) {
  const std::uint32_t crash = p.may_crash && allowed(Tag::crash) ? choices_.choose(Tag::crash, p.index, places_max) : 0;
  p.crash_at = crash == 0 ? 0 : p.actions + place_of(crash);
  const std::uint32_t stop = p.may_stop && allowed(Tag::stop) ? choices_.choose(Tag::stop, p.index, places_max) : 0;
  p.stop_at = stop == 0 ? 0 : p.actions + place_of(stop);
  if (stop == 0) return;
  const std::uint32_t length = choices_.choose(Tag::stop, p.index, 16);
  p.stopped_for =
      length == 0 && !p.always_resumes ? Duration{-1} : milliseconds(std::int64_t{1} << (length == 0 ? 15 : length - 1));
}

void World::start_process(ProcessIndex index) {
  Process& p = *processes_[index];
  if (p.life != Life::unborn) return;
  p.life = Life::running;
  if (p.machines.empty()) return;
  p.inbox.push({no_role, 0, event::Started{}});
  wake(index);
}

void World::end_process(ProcessIndex index, std::int32_t code, std::int32_t signal) {
  Process& p = *processes_[index];
  if (p.life == Life::gone) return;
  p.life = Life::gone;
  p.exit_code = code;
  p.exit_signal = signal;
  p.inbox.clear();
  p.backlog.clear();
  p.substep = 0;
  p.performing = false;
  timers_.forget(index);
  files_.forget(index);
  pages_.process_ended(p);
  fabric_.process_ended(index);
  comm_.process_ended(p);
  streams_.process_ended(index);
  launchers_.ended(p);
  abandon_tickets(index);
  if (signal != 0) end_job(index);
  if (signal == 0 || number(p.restart_after) < 0) return;
  Item item;
  item.kind = Item::Kind::restart;
  item.process = index;
  schedule(p.restart_after, std::move(item));
}

// Who was killed there before is born again once, so it must not be killed a second time.
bool World::host_may_crash(const Process& p) {
  return allowed(Tag::host_crash) && std::none_of(processes_.begin(), processes_.end(), [&](const auto& other) {
           return other->host == p.host && other->exit_signal != 0;
         });
}

// All of its processes end at once, and its file system forgets what was not synced.
void World::crash_host(ProcessIndex of) {
  spend(Tag::host_crash);
  ++host_crashes_;
  const std::string host = processes_[of]->host;
  const std::size_t count = processes_.size();
  for (std::size_t i = 0; i < count; ++i)
    if (processes_[i]->host == host) end_process(static_cast<ProcessIndex>(i), 0, 9);
  if (!host.empty()) files_.host_crashed(host, of);
}

void World::abandon_tickets(ProcessIndex index) {
  std::vector<Ticket> lost;
  std::erase_if(open_tickets_, [&](const OpenTicket& open) {
    if (open.process == index) lost.push_back(open.ticket);
    return open.process == index;
  });
  if (workload_)
    for (const Ticket ticket : lost) workload_->abandoned(client_, ticket);
}

void World::restart(ProcessIndex index) {
  for (const auto& p : processes_) {
    if (!p->doomed || p->life == Life::gone || p->job != processes_[index]->job) continue;
    Item item;  // a job begins when the one before has ended
    item.kind = Item::Kind::restart;
    item.process = index;
    return schedule(milliseconds(1), std::move(item));
  }
  ProcessSpec spec;
  spec.name = processes_[index]->name;
  spec.files_root = processes_[index]->files_root;
  spec.host = processes_[index]->host;
  spec.job = processes_[index]->job;
  spec.machines = std::move(processes_[index]->reborn);
  const ProcessIndex born = add_process(std::move(spec), processes_[index]->parent);
  start_process(born);
  form_job(processes_[born]->job);
  if (workload_) workload_->restarted(client_, born);
}

// What a launcher does when a rank dies: it kills the others, a moment later.
void World::end_job(ProcessIndex dead) {
  if (processes_[dead]->job.empty() || scenario_.ranks_outlive_each_other_) return;
  for (const auto& p : processes_) {
    if (p->job != processes_[dead]->job || p->life == Life::gone) continue;
    p->doomed = true;
    Item item;
    item.kind = Item::Kind::exit;
    item.process = p->index;
    item.b = 9;
    schedule(milliseconds(1) + chosen_delay(Tag::exit_delay, p->index), std::move(item));
  }
}

// The ranks of a job share a communicator as soon as all of them are there.
void World::form_job(const std::string& job) {
  if (job.empty()) return;
  std::vector<std::string> names;
  std::vector<ProcessIndex> ranks;
  for (const auto& p : processes_) {
    if (p->job != job || std::find(names.begin(), names.end(), p->name) != names.end()) continue;
    names.push_back(p->name);
    ranks.push_back(find(p->name));
    if (processes_[ranks.back()]->life == Life::gone) return;
  }
  const ProcessIndex member = ranks.front();
  collectives_.add_job(std::move(ranks));
  comm_.formed(member);
}

void World::signal_process(ProcessIndex index, std::int32_t signal) {
  Process& p = *processes_[index];
  if (p.life == Life::gone || signal < 1 || signal > 64) return;  // kill(2): 0 sends nothing, any other is refused
  if (signal == 15 && p.ignores_sigterm) return;
  if (signal == 19) {  // SIGSTOP
    if (p.life != Life::running) return;
    p.life = Life::stopped;
    if (number(p.stopped_for) >= 0) {
      Item resume;
      resume.kind = Item::Kind::resume;
      resume.process = index;
      schedule(p.stopped_for, std::move(resume));
    }
  } else if (signal == 18) {  // SIGCONT
    if (p.life != Life::stopped) return;
    p.life = Life::running;
    fabric_.resumed(index);
    comm_.resumed(index);
    if (p.terminated) return end_process(index, 0, 15);
    wake(index);
  } else if (signal == 15 && p.life == Life::stopped) {
    p.terminated = true;  // pending until the process goes on
  } else {
    end_process(index, 0, signal);
  }
}

ProcessIndex World::find(std::string_view name) const {
  for (std::size_t i = processes_.size(); i > 0; --i)
    if (processes_[i - 1]->name == name) return static_cast<ProcessIndex>(i - 1);
  return no_process;
}

ProcessIndex World::find(ProcessId id) const {
  for (const auto& p : processes_)
    if (p->id == id) return p->index;
  return no_process;
}

}  // namespace tenter::sim
