#include "sim/model/timers.hpp"

#include "sim/world.hpp"

namespace tenter::sim {

std::vector<TimersModel::Armed>& TimersModel::of(ProcessIndex process) {
  if (process >= armed_.size()) armed_.resize(process + 1);
  return armed_[process];
}

void TimersModel::perform(Process& p, Role role, const action::Arm& a) {
  perform(p, role, action::Cancel{a.op});
  const std::uint64_t ticket = next_ticket_++;
  of(p.index).push_back({role, a.op, ticket, a.when});
  const Time due = p.world(a.when);
  if (due == end_of_time) return;  // never; a delay on top would overflow and be now
  const Duration wait = number(due) > number(world_.now()) ? due - world_.now() : Duration{0};
  Item item;
  item.kind = Item::Kind::timer;
  item.process = p.index;
  item.role = role;
  item.a = number(a.op);
  item.b = ticket;
  world_.schedule(wait + world_.chosen_delay(Tag::delay, p.index), std::move(item));
}

void TimersModel::perform(Process& p, Role role, const action::Cancel& a) {
  auto& armed = of(p.index);
  for (std::size_t i = 0; i < armed.size(); ++i) {
    if (armed[i].role != role || armed[i].op != a.op) continue;
    armed[i] = armed.back();
    armed.pop_back();
    return;
  }
}

void TimersModel::fire(Process& p, Role role, std::uint64_t op, std::uint64_t ticket) {
  for (const Armed& armed : of(p.index)) {
    if (armed.ticket != ticket) continue;
    p.inbox.push({role, ticket, event::TimerFired{p.local(world_.now()), Op{op}}});
    world_.wake(p.index);
    return;
  }
}

bool TimersModel::take(ProcessIndex process, std::uint64_t ticket) {
  auto& armed = of(process);
  for (std::size_t i = 0; i < armed.size(); ++i) {
    if (armed[i].ticket != ticket) continue;
    armed[i] = armed.back();
    armed.pop_back();
    return true;
  }
  return false;
}

std::optional<Time> TimersModel::armed(ProcessIndex process, Role role, Op op) const {
  if (process >= armed_.size()) return std::nullopt;
  for (const Armed& armed : armed_[process])
    if (armed.role == role && armed.op == op) return armed.when;
  return std::nullopt;
}

void TimersModel::forget(ProcessIndex process) { of(process).clear(); }

}  // namespace tenter::sim
