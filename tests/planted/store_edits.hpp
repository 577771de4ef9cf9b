// How a bug of the store is planted: a shipped machine whose events and actions are edited on their way.
#pragma once
#include <functional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "cli/protocols/store/store_scenario.hpp"
#include "tests/planted/variant.hpp"

namespace tenter::planted {

using namespace store;
using protocols::StoreMachines;
using protocols::StoreScenario;
using Actions = std::vector<Action>;

inline constexpr Role beacon_role{2}, owner_role{0};

// Sees an event before the machine does, may change it or hide it, and edits what the machine answered. What it remembers is
// copied with the machine.
struct Bug {
  std::function<bool(Event&, Actions&)> before = [](Event&, Actions&) { return true; };
  std::function<void(const Event&, Actions&)> after = [](const Event&, Actions&) {};
};

template <Machine M>
class Rewritten {
 public:
  Rewritten(M machine, Bug bug) : machine_(std::move(machine)), bug_(std::move(bug)) {}
  template <class E, class O>
  requires Handles<M, E>
  void on(const E& e, O& out) {
    Outbox box;
    Event event(e);
    if (bug_.before(event, box.actions())) {
      deliver(machine_, event, box);
      bug_.after(event, box.actions());
    }
    for (const Action& action : box.actions()) std::visit([&](const auto& a) { out.perform(a); }, action);
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
  Bug bug_;
};

inline Bug after(std::function<void(const Event&, Actions&)> edit) {
  Bug bug;
  bug.after = std::move(edit);
  return bug;
}
template <class A>
Bug without(std::function<bool(const A&)> which = [](const A&) { return true; }) {
  return after([which](const Event&, Actions& actions) {
    std::erase_if(actions, [&](const Action& action) {
      const A* a = std::get_if<A>(&action);
      return a && which(*a);
    });
  });
}
template <class Kind>
std::function<bool(const action::Arm&)> armed(Kind kind) {
  return [kind](const action::Arm& arm) { return (number(arm.op) & 0xFF) == static_cast<std::uint64_t>(kind); };
}
inline std::function<bool(const action::Tell&)> told(NoteKind kind) {
  return [kind](const action::Tell& tell) { return is(tell.note, kind); };
}
inline bool is_read_of_rows(const action::ReadRemote& read) { return read.offset != 0; }

inline StoreMachines with_reader(Bug bug) {
  StoreMachines machines = protocols::shipped_store();
  machines.reader = [bug](ReaderConfig c) { return AnyMachine(Rewritten(Reader(std::move(c)), bug)); };
  return machines;
}
inline StoreMachines with_publisher(Bug bug) {
  StoreMachines machines = protocols::shipped_store();
  machines.publisher = [bug](PublisherConfig c) { return AnyMachine(Rewritten(Publisher(std::move(c)), bug)); };
  return machines;
}
inline StoreMachines with_joiner(Bug bug) {
  StoreMachines machines = protocols::shipped_store();
  machines.joiner = [bug](JoinerConfig c) { return AnyMachine(Rewritten(Joiner(c), bug)); };
  return machines;
}
inline StoreMachines with_beacon(Bug bug) {
  StoreMachines machines = protocols::shipped_store();
  machines.beacon = [bug](Role owner) { return AnyMachine(Rewritten(Beacon(owner), bug)); };
  return machines;
}
inline StoreMachines with_leases(Bug bug) {
  StoreMachines machines = protocols::shipped_store();
  machines.leases = [bug](LeasesConfig c) { return AnyMachine(Rewritten(Leases(c), bug)); };
  return machines;
}

}  // namespace tenter::planted
