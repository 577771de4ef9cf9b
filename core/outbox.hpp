// The recording port: performs nothing, keeps the actions in order. The simulator runs every machine against it, and a unit
// test asks `actions_of(machine, event)`.
#pragma once
#include <vector>

#include "core/action.hpp"
#include "core/port.hpp"

namespace tenter {

class Outbox : public Actions<Outbox> {
 public:
  template <class A>
  requires std::is_constructible_v<Action, A>
  void perform(A action) { actions_.emplace_back(std::move(action)); }
  const std::vector<Action>& actions() const { return actions_; }
  std::vector<Action>& actions() { return actions_; }
  void clear() { actions_.clear(); }

 private:
  std::vector<Action> actions_;
};

// Performs actions that another outbox kept, in their order.
template <class O>
void perform_all(std::vector<Action> actions, O& out) {
  if constexpr (std::is_same_v<O, Outbox>) {
    for (Action& action : actions) out.actions().push_back(std::move(action));
  } else {
    for (const Action& action : actions) std::visit([&](const auto& a) { out.perform(a); }, action);
  }
}

// The actions that `machine` answers `event` with.
template <class Machine, class E>
std::vector<Action> actions_of(Machine& machine, const E& event) {
  Outbox out;
  machine.on(event, out);
  return std::move(out.actions());
}

}  // namespace tenter
