#include "sim/world.hpp"

#include <algorithm>
#include <csignal>

namespace tenter::sim {
namespace {

struct CheckFailure {
  std::string text;
};

[[noreturn]] void throw_check(const char* expression, const char* file, int line) {
  std::string_view path(file);
  for (const std::string_view top : {"core/", "sim/", "cli/", "tests/", "examples/"})
    if (const std::size_t at = path.rfind(top); at != std::string_view::npos) {
      path = path.substr(at);
      break;
    }
  throw CheckFailure{std::string(expression) + " at " + std::string(path) + ":" + std::to_string(line)};
}

class CheckScope {
 public:
  CheckScope() : before_(install_check_handler(&throw_check)) {}
  ~CheckScope() { install_check_handler(before_); }
  CheckScope(const CheckScope&) = delete;

 private:
  CheckHandler before_;
};

}  // namespace

World::World(Choices& choices, Scenario& scenario, const std::vector<Property>& properties, WorldOptions options)
    : choices_(choices),
      scenario_(scenario),
      properties_(properties),
      options_(std::move(options)),
      workload_(std::move(scenario.workload_)),
      client_(*this),
      timers_(*this),
      pages_(*this),
      collectives_(*this),
      files_(*this),
      launchers_(*this),
      fabric_(*this),
      comm_(*this),
      streams_(*this),
      seen_(properties.size(), false) {
  files_.publishes_with(scenario_.publish_steps_);
  if (scenario_.eager_below_) comm_.eager_below(*scenario_.eager_below_);
  if (scenario_.stream_window_) streams_.window(*scenario_.stream_window_);
  for (const FaultKind& kind : fault_kinds())
    if (!scenario_.budgets_.contains(kind.tag)) choices_.mask(kind.tag);
  for (std::uint32_t i = 0; i < properties_.size(); ++i) {
    const Property& property = properties_[i];
    monitors_.push_back(property.kind == PropertyKind::monitor ? property.make_monitor() : nullptr);
    const bool each_step = property.kind == PropertyKind::always || (monitors_[i] && monitors_[i]->watches_steps()) ||
                           (property.kind == PropertyKind::sometimes && property.holds);
    if (each_step) each_step_.push_back(i);
  }
}

World::~World() = default;

// ---------------------------------------------------------------- the run

void World::run() {
  CheckScope checks;
  try {
    begin();
    while (step()) {
    }
    if (!finding_ && decided_) finish();
  } catch (const CheckFailure& failure) {
    fail(FindingKind::safety, "check", failure.text);
  }
}

void World::begin() {
  booting_ = scenario_.booted_ != nullptr;
  choices_.quiet(booting_);
  for (auto& spec : scenario_.processes_) start_process(add_process(std::move(*spec), no_process));
  std::vector<std::string> jobs;
  for (const auto& p : processes_)
    if (std::find(jobs.begin(), jobs.end(), p->job) == jobs.end()) jobs.push_back(p->job);
  for (const std::string& job : jobs) form_job(job);
  Item heal;
  heal.kind = Item::Kind::heal;
  schedule(scenario_.chaos_, std::move(heal));
  Item end;
  end.kind = Item::Kind::end;
  schedule(scenario_.chaos_ + scenario_.patience_, std::move(end));
  if (workload_) workload_->start(client_);
}

bool World::step() {
  if (over_ || quiescent()) return false;
  auto [when, item] = queue_.pop();
  now_ = when;
  ++turns_;
  handle(item);
  if (steps_ >= scenario_.step_limit_) {
    decided_ = false;
    over_ = true;
  }
  if (booting_ && scenario_.booted_(*workload_)) end_boot();
  return true;
}

void World::inject(ProcessIndex index, Role role, Action action) {
  Process& p = *processes_[index];
  p.backlog.push({role, std::move(action)});
  current_turn_ = index;
  while (p.life == Life::running && !p.scheduled && (p.performing || !p.backlog.empty())) advance(p);
  current_turn_ = no_process;
  if (!p.inbox.empty()) wake(index);
}

// From here on faults are possible: where a process crashes or stops is drawn anew, counted from now.
void World::end_boot() {
  booting_ = false;
  boot_steps_ = steps_;
  choices_.quiet(healed_);
  for (const auto& p : processes_)
    if (p->life == Life::running) choose_fate(*p);
}

// Nothing but the two phase marks is left: nothing more can happen.
bool World::quiescent() const { return queue_.size() <= phase_marks_; }

void World::handle(Item& item) {
  switch (item.kind) {
    case Item::Kind::none:
      break;
    case Item::Kind::turn: {
      Process& p = *processes_[item.process];
      p.scheduled = false;
      take_turn(p);
      break;
    }
    case Item::Kind::deliver: {
      Process& p = *processes_[item.process];
      if (p.life == Life::gone) break;
      p.inbox.push({item.role, item.a, std::move(item.event)});
      if (!p.scheduled) take_turn(p);
      break;
    }
    case Item::Kind::timer:
      timers_.fire(*processes_[item.process], item.role, item.a, item.b);
      break;
    case Item::Kind::watch:
      pages_.step_watch(*processes_[item.process], item.a);
      break;
    case Item::Kind::drain:
      pages_.drain(item.a, static_cast<std::uint32_t>(item.b));
      break;
    case Item::Kind::start:
      start_process(item.process);
      break;
    case Item::Kind::resume:
      signal_process(item.process, 18);
      break;
    case Item::Kind::exit:
      end_process(item.process, static_cast<std::int32_t>(item.a), static_cast<std::int32_t>(item.b));
      break;
    case Item::Kind::job:
      launchers_.job_step(item.a);
      break;
    case Item::Kind::guard:
      launchers_.guard(item.process);
      break;
    case Item::Kind::fault:
      launchers_.fault(item.a, item.b);
      break;
    case Item::Kind::scribble:
      pages_.scribble();
      break;
    case Item::Kind::nic:
      fabric_.step(item.a, item.b);
      break;
    case Item::Kind::message:
      comm_.step(item.a, item.b);
      break;
    case Item::Kind::stream:
      streams_.step(item.a, item.b);
      break;
    case Item::Kind::restart:
      restart(item.process);
      break;
    case Item::Kind::heal:
      --phase_marks_;
      healed_ = true;
      choices_.quiet();
      break;
    case Item::Kind::end:
      --phase_marks_;
      over_ = true;
      break;
  }
}

void World::take_turn(Process& p) {
  current_turn_ = p.index;
  while (p.life == Life::running && !finding_) {
    if (p.performing || !p.backlog.empty()) {
      if (!advance(p)) break;
    } else if (!p.inbox.empty()) {
      deliver(p, p.inbox.pop());
    } else {
      break;
    }
  }
  current_turn_ = no_process;
}

bool World::still_valid(Process& p, const Inbound& inbound) {
  if (inbound.ticket == 0) return true;
  if (std::holds_alternative<event::TimerFired>(inbound.event)) return timers_.take(p.index, inbound.ticket);
  if (std::holds_alternative<event::ReadDone>(inbound.event)) return fabric_.take(inbound.ticket);
  if (std::holds_alternative<event::WorldJoined>(inbound.event)) return comm_.take_join(p.index);
  if (const auto* sent = std::get_if<event::MessageSent>(&inbound.event)) return comm_.take(p.index, inbound.role, sent->op);
  if (const auto* arrived = std::get_if<event::MessageArrived>(&inbound.event))
    return comm_.take(p.index, inbound.role, arrived->op);
  if (const auto* listening = std::get_if<event::Listening>(&inbound.event))
    return streams_.take_listening(p.index, inbound.role, listening->op);
  if (const auto* connected = std::get_if<event::Connected>(&inbound.event))
    return streams_.take(p.index, inbound.role, connected->op);
  if (const auto* read = std::get_if<event::StreamRead>(&inbound.event)) return streams_.take(p.index, inbound.role, read->op);
  if (const auto* written = std::get_if<event::StreamWritten>(&inbound.event))
    return streams_.take(p.index, inbound.role, written->op);
  return pages_.take(p, inbound.ticket);
}

void World::deliver(Process& p, Inbound&& inbound) {
  if (!still_valid(p, inbound)) return;
  const Time local = p.local(now_);
  std::visit([local](auto& e) { e.now = local; }, inbound.event);
  if (inbound.role == no_role) {
    for (std::size_t role = 0; role < p.machines.size(); ++role)
      deliver_to(p, Role{static_cast<std::uint16_t>(role)}, inbound.event);
  } else {
    deliver_to(p, inbound.role, inbound.event);
  }
}

void World::deliver_to(Process& p, Role role, const Event& event) {
  if (number(role) >= p.machines.size()) {
    fail(FindingKind::safety, "totality",
         p.name + " has no machine in role " + std::to_string(number(role)) + " for " + std::string(name_of(event)));
    return;
  }
  AnyMachine& machine = p.machines[number(role)];
  const std::string_view state = machine.state_name();
  outbox_.clear();
  current_ = p.index;
  if (options_.mutation.active()) {
    if (!hand_over_mutated(p, role, machine, event)) return;
  } else if (!hand_over(machine, event)) {
    return;
  }
  digest_step(p, role, event);
  if (options_.keep_sites) note_site(machine.name(), state, event, outbox_.actions());
  if (options_.keep_log) log_.push_back({steps_, now_, p.index, role, state, event, outbox_.actions()});
  check_step({steps_, now_, p.index, role, event, outbox_.actions(), state});
  for (Action& action : outbox_.actions()) p.backlog.push({role, std::move(action)});
  if (options_.stop_after != 0 && steps_ >= options_.stop_after) over_ = true;
}

// The machine answers into the outbox; false: it has no handler for this kind of event, which ends the run.
bool World::hand_over(AnyMachine& machine, const Event& event) {
  ++steps_;
  if (steps_ == options_.break_at) std::raise(SIGTRAP);
  if (machine.deliver(event, outbox_)) return true;
  if (std::holds_alternative<event::ParentExited>(event) || std::holds_alternative<event::Started>(event)) return true;
  fail(FindingKind::safety, "totality", std::string(machine.name()) + " has no handler for " + std::string(name_of(event)));
  return false;
}

void World::digest_step(const Process& p, Role role, const Event& event) {
  digest_.add(static_cast<std::uint64_t>(number(now_)));
  digest_.add((static_cast<std::uint64_t>(p.index) << 16) | number(role));
  digest_add(digest_, event);
  for (const Action& action : outbox_.actions()) digest_add(digest_, action);
}

void World::check_step(const Step& step) {
  const View view(*this);
  for (const std::uint32_t i : each_step_) {
    if (finding_) return;
    const Property& property = properties_[i];
    switch (property.kind) {
      case PropertyKind::always:
        if (!property.holds(view)) fail(FindingKind::safety, property.name, "does not hold after this event");
        break;
      case PropertyKind::sometimes:
        if (!seen_[i] && property.holds(view)) seen_[i] = true;
        break;
      case PropertyKind::monitor:
        monitors_[i]->on_step(view, step, *this);
        break;
      case PropertyKind::eventually:
        break;
    }
  }
}

bool World::advance(Process& p) {
  if (!p.preempted) {
    if (p.actions + 1 == p.crash_at && allowed(Tag::crash)) {
      spend(Tag::crash);
      p.crash_at = 0;
      if (host_may_crash(p) && choices_.choose(Tag::host_crash, p.index, 2) != 0)
        crash_host(p.index);
      else
        end_process(p.index, 0, 9);
      return false;
    }
    if (p.actions + 1 == p.stop_at && allowed(Tag::stop)) {
      spend(Tag::stop);
      p.stop_at = 0;
      signal_process(p.index, 19);
      return false;
    }
  }
  if (!p.preempted) {
    const Duration wait = chosen_delay(Tag::preempt, p.index);
    if (number(wait) > 0) {
      p.preempted = true;
      p.scheduled = true;
      Item turn;
      turn.kind = Item::Kind::turn;
      turn.process = p.index;
      schedule(wait, std::move(turn));
      return false;
    }
  }
  p.preempted = false;
  if (!p.performing) {
    p.current = std::move(p.backlog.front());
    p.backlog.drop();
  }
  ++p.actions;
  p.performing = !perform(p, p.current.role, p.current.action);
  return true;
}

void World::finish() {
  const View view(*this);
  for (std::size_t i = 0; i < properties_.size() && !finding_; ++i) {
    if (properties_[i].kind == PropertyKind::eventually && !properties_[i].holds(view))
      fail(FindingKind::liveness, properties_[i].name, "does not hold at the end");
    if (properties_[i].kind == PropertyKind::monitor) monitors_[i]->on_end(view, *this);
  }
  if (finding_) return;
  if (workload_ && !workload_->finished()) {
    fail(FindingKind::liveness, "every call ends", "still waiting for " + workload_->waiting_for() + "\n" + waits());
    return;
  }
  check_leftovers();
}

// ---------------------------------------------------------------- findings, coverage

void World::fail(FindingKind kind, std::string property, std::string text) {
  if (finding_) return;
  finding_ =
      Finding{kind, std::move(property), std::move(text), steps_, now_, current_ == no_process ? "" : processes_[current_]->name};
  over_ = true;
}

void World::seen(std::string_view sometimes) {
  for (std::size_t i = 0; i < properties_.size(); ++i)
    if (properties_[i].kind == PropertyKind::sometimes && properties_[i].name == sometimes) seen_[i] = true;
}

void World::note_site(std::string_view machine, std::string_view state, const Event& event, const std::vector<Action>& actions) {
  const std::string_view event_name = name_of(event);
  for (Site& site : sites_) {
    if (site.machine != machine || site.state != state || site.event != event_name) continue;
    if (actions.size() > site.actions.size()) site.actions = actions;
    return;
  }
  sites_.push_back({machine, state, event_name, actions});
}

}  // namespace tenter::sim
