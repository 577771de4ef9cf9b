// What a run leaves: who still waits for what, and what was not released.
#include <algorithm>
#include <string>

#include "sim/world.hpp"

namespace tenter::sim {

// Conservation: what was acquired was released.
void World::check_leftovers() {
  std::string left;
  for (const auto& p : processes_) {
    if (p->life == Life::running && p->parent == no_process) {
      const std::uint32_t held = collectives_.held(p->index);
      if (held != 0) left = p->name + " holds " + std::to_string(held) + " communicators";
      if (pages_.mapped(p->index)) left = p->name + " still has its page mapped";
      if (left.empty()) left = fabric_.first_left(p->index);
      if (left.empty()) left = streams_.first_left(p->index);
    } else if (p->life == Life::running || p->life == Life::stopped) {
      left = "process " + p->name + " is still there";
    } else if (p->orderly && collectives_.held(p->index) != 0) {
      left = p->name + " left with " + std::to_string(collectives_.held(p->index)) + " communicators";
    }
    if (!left.empty()) break;
  }
  const bool killed = std::any_of(processes_.begin(), processes_.end(), [](const auto& p) { return p->exit_signal != 0; });
  if (left.empty() && !(killed && scenario_.files_outlive_crashes_)) left = files_.first_left();
  if (left.empty()) left = pages_.first_left();
  if (!left.empty()) fail(FindingKind::safety, "nothing is left over", left);
}

std::string World::waits() const {
  std::string text = collectives_.waits() + comm_.waits() + streams_.waits();
  for (const auto& p : processes_) {
    if (p->life == Life::gone || p->machines.empty()) continue;
    text += p->name + (p->life == Life::stopped ? " (stopped)" : "") + ":";
    for (const AnyMachine& machine : p->machines)
      text += " " + std::string(machine.name()) + " " + std::string(machine.state_name());
    const std::string watches = pages_.waits(*p);
    text += (watches.empty() ? "" : "; watches " + watches) + "\n";
  }
  return text;
}

}  // namespace tenter::sim
