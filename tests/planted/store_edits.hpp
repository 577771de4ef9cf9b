// How a bug of the store is planted: a shipped machine whose events and actions are edited on their way.
#pragma once
#include <functional>
#include <string_view>
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

// An editor for Variant that may change the event and remember things.
struct Bug {
  std::function<bool(Event&, Actions&)> before = [](Event&, Actions&) { return true; };
  std::function<void(const Event&, Actions&)> after = [](const Event&, Actions&) {};
  bool operator()(std::string_view, Event& event, Actions& actions, bool answered) {
    if (!answered) return before(event, actions);
    after(event, actions);
    return true;
  }
};
template <Machine M>
AnyMachine rewritten(M machine, Bug bug) {
  return AnyMachine(Variant<M, Bug>(std::move(machine), std::move(bug)));
}

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
  machines.reader = [bug](ReaderConfig c) { return rewritten(Reader(std::move(c)), bug); };
  return machines;
}
inline StoreMachines with_publisher(Bug bug) {
  StoreMachines machines = protocols::shipped_store();
  machines.publisher = [bug](PublisherConfig c) { return rewritten(Publisher(std::move(c)), bug); };
  return machines;
}
inline StoreMachines with_joiner(Bug bug) {
  StoreMachines machines = protocols::shipped_store();
  machines.joiner = [bug](JoinerConfig c) { return rewritten(Joiner(c), bug); };
  return machines;
}
inline StoreMachines with_beacon(Bug bug) {
  StoreMachines machines = protocols::shipped_store();
  machines.beacon = [bug](Role owner) { return rewritten(Beacon(owner), bug); };
  return machines;
}
inline StoreMachines with_leases(Bug bug) {
  StoreMachines machines = protocols::shipped_store();
  machines.leases = [bug](LeasesConfig c) { return rewritten(Leases(c), bug); };
  return machines;
}

}  // namespace tenter::planted
