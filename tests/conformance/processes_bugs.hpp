// Worlds with one bug each, which the cases of tests/conformance/processes.hpp must find.
#pragma once
#include <algorithm>
#include <map>
#include <set>

#include "tests/conformance/processes.hpp"

namespace tenter::conformance {

// Tells every exit twice.
template <ProcessesFixture Fixture>
struct TellsExitsTwice : Fixture {
  std::optional<Event> next(std::size_t process, Role role) {
    auto& again = twice[{process, role}];
    if (again) return std::exchange(again, std::nullopt);
    std::optional<Event> event = Fixture::next(process, role);
    if (event && std::holds_alternative<event::ProcessExited>(*event)) again = event;
    return event;
  }
  std::map<std::pair<std::size_t, Role>, std::optional<Event>> twice;
};

// Knows processes by their number alone, as kill(2) does.
template <ProcessesFixture Fixture>
struct KnowsNumbersOnly : Fixture {
  void perform(std::size_t process, const action::Spawn& spawn, Role role) { Fixture::perform(process, spawn, role); }
  void perform(std::size_t process, const action::ExitProcess& exit, Role role) { Fixture::perform(process, exit, role); }
  void perform(std::size_t process, action::WatchProcess watch, Role role) {
    watch.process = last_of(watch.process);
    Fixture::perform(process, watch, role);
  }
  template <class Action>
  void perform(std::size_t process, Action named, Role role) {
    for (ProcessId& id : named.processes) id = last_of(id);
    Fixture::perform(process, named, role);
  }
  std::optional<Event> next(std::size_t process, Role role) {
    std::optional<Event> event = Fixture::next(process, role);
    if (const auto* spawned = event ? std::get_if<event::Spawned>(&*event) : nullptr)
      known[spawned->process.pid] = spawned->process;
    return event;
  }
  ProcessId last_of(const ProcessId& id) const {
    const auto found = known.find(id.pid);
    return found == known.end() ? id : found->second;
  }
  std::map<std::uint64_t, ProcessId> known;
};

// A kill is for all that this process started.
template <ProcessesFixture Fixture>
struct KillsAllItStarted : Fixture {
  template <class Action>
  void perform(std::size_t process, Action action, Role role) {
    if constexpr (std::is_same_v<Action, action::KillProcesses>) {
      if (action.signal == signal_kill)
        for (const ProcessId& id : started[process]) action.processes.push_back(id);
    }
    Fixture::perform(process, action, role);
  }
  std::optional<Event> next(std::size_t process, Role role) {
    std::optional<Event> event = Fixture::next(process, role);
    if (const auto* spawned = event ? std::get_if<event::Spawned>(&*event) : nullptr)
      if (spawned->status == Status::ok) started[process].push_back(spawned->process);
    return event;
  }
  std::map<std::size_t, std::vector<ProcessId>> started;
};

// One watcher of a process in each process: a further one is forgotten.
template <ProcessesFixture Fixture>
struct KeepsOneWatcher : Fixture {
  template <class Action>
  void perform(std::size_t process, const Action& action, Role role) {
    if constexpr (std::is_same_v<Action, action::WatchProcess>)
      if (!watched.insert({process, action.process.pid, action.process.start_time}).second) return;
    Fixture::perform(process, action, role);
  }
  std::set<std::tuple<std::size_t, std::uint64_t, std::uint64_t>> watched;
};

template <ProcessesFixture Fixture>
void expect_process_bugs_found() {
  const auto finds = [](const std::vector<std::string>& failing, const char* name) {
    return std::find(failing.begin(), failing.end(), name) != failing.end();
  };
  const auto twice = failing_cases<ProcessesContract<TellsExitsTwice<Fixture>>>();
  EXPECT_TRUE(finds(twice, "an_exit_code_is_told_once"));
  EXPECT_TRUE(finds(twice, "a_signal_is_told_once_to_who_spawned"));
  EXPECT_FALSE(finds(twice, "nothing_is_left_when_the_processes_end")) << "a case that has nothing to do with it";
  EXPECT_EQ(failing_cases<ProcessesContract<KillsAllItStarted<Fixture>>>(),
            (std::vector<std::string>{"exits_are_told_in_their_order", "a_process_with_another_start_time_is_gone",
                                      "a_kill_reaches_who_is_named_and_nobody_else",
                                      "a_kill_of_a_program_spares_the_children_of_another", "a_kill_of_who_is_gone_is_nothing"}));
  EXPECT_TRUE(finds(failing_cases<ProcessesContract<KnowsNumbersOnly<Fixture>>>(), "a_process_with_another_start_time_is_gone"));
  EXPECT_EQ(failing_cases<ProcessesContract<KeepsOneWatcher<Fixture>>>(),
            std::vector<std::string>{"every_watcher_of_a_process_hears_its_end"});
}

}  // namespace tenter::conformance
