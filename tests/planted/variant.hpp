// A planted bug as a variant of a machine: the shipped machine answers every event, then the variant edits what it answered, as a
// careless author would have written it. No switch in the machine.
#pragma once
#include <string_view>
#include <vector>

#include "core/machine.hpp"

namespace tenter::planted {

// state: before the event. Answers false when the machine must not see the event at all (then `actions` is what happens instead).
// The event may be changed before the machine sees it.
using Edit = bool (*)(std::string_view state, const Event& event, std::vector<Action>& actions, bool after);

// Editor: an Edit, or a bug that remembers things; what it remembers is copied with the machine.
template <Machine M, class Editor = Edit>
class Variant {
 public:
  Variant(M machine, Editor edit) : machine_(std::move(machine)), edit_(std::move(edit)) {}

  template <class E, class O>
  requires Handles<M, E>
  void on(const E& e, O& out) {
    Outbox box;
    const std::string_view state = machine_.state_name();
    Event event(e);
    if (edit_(state, event, box.actions(), false)) {
      deliver(machine_, event, box);
      edit_(state, event, box.actions(), true);
    }
    perform_all(std::move(box.actions()), out);
  }
  std::string_view state_name() const { return machine_.state_name(); }

  static constexpr std::string_view name = M::name;
  static constexpr std::string_view labels = "machine";
  template <class Self>
  static constexpr auto fields(Self& self) {
    return std::tie(self.machine_);
  }

 private:
  M machine_;
  Editor edit_;
};

// Helpers for edits.
template <class A>
A* find(std::vector<Action>& actions) {
  for (Action& action : actions)
    if (A* found = std::get_if<A>(&action)) return found;
  return nullptr;
}
template <class A>
void drop(std::vector<Action>& actions) {
  std::erase_if(actions, [](const Action& action) { return std::holds_alternative<A>(action); });
}
// Moves every A to the front, in order.
template <class A>
void first(std::vector<Action>& actions) {
  std::stable_partition(actions.begin(), actions.end(), [](const Action& action) { return std::holds_alternative<A>(action); });
}
template <class E>
const E* as(const Event& event) {
  return std::get_if<E>(&event);
}

}  // namespace tenter::planted
