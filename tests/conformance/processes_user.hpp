// Who uses Processes in a conformance case: starts programs, and takes the answers that must come.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/action.hpp"
#include "core/port.hpp"
#include "tests/conformance/suite.hpp"

namespace tenter::conformance {

inline constexpr std::int32_t signal_kill = 9, signal_terminate = 15, signal_continue = 18, signal_stop = 19;

// Three processes with two machines (roles 0 and 1) each. perform: that machine asks. next: its next event, awaited for seconds;
// none if none came. exits: arguments of a program that runs LeavesWith{code}; sleeps: of one that runs until it is killed;
// helped: the same, with a child of its own, at whose death it ends too; missing: of no program. await_death: until a process is
// dead, with no event told to anybody meanwhile. start_orphan: a further process whose parent is there; end_parent: not any more.
// end_all: ends all three; what they left, or nothing.
template <class F>
concept ProcessesFixture = std::default_initializable<F> &&
    requires(F& fixture, std::size_t process, Role role, action::WatchProcess action, ProcessId id) {
  fixture.perform(process, action, role);
  { fixture.next(process, role) } -> std::same_as<std::optional<Event>>;
  { fixture.exits(3) } -> std::same_as<Parts>;
  { fixture.sleeps() } -> std::same_as<Parts>;
  { fixture.helped() } -> std::same_as<Parts>;
  { fixture.missing() } -> std::same_as<Parts>;
  fixture.await_death(id);
  { fixture.start_orphan() } -> std::same_as<std::size_t>;
  fixture.end_parent();
  { fixture.end_all() } -> std::same_as<std::string>;
};

// Leaves at once. What it asks for after that has no effect.
struct LeavesWith {
  std::int32_t code = 0;
  template <class E, class O>
  void on(const E&, O& out) {
    if constexpr (std::is_same_v<E, event::Started>) {
      out.exit_process(code, false);
      out.exit_process(code + 1, false);
    }
  }
  std::string_view state_name() const { return "leaves"; }
  TENTER_DESCRIBE(leaves_with, code)
};

template <ProcessesFixture Fixture>
class ProcessesUser {
 protected:
  struct Child {
    Op op{};
    ProcessId id;
  };
  Op next_op() { return Op{++ops_}; }
  event::Spawned start(Parts arguments, std::size_t process = 0, Role role = Role{0}) {
    const Op op = next_op();
    world.perform(process, action::Spawn{op, std::move(arguments), {}}, role);
    const auto spawned = expect_event<event::Spawned>(world.next(process, role));
    EXPECT_EQ(spawned.op, op);
    return spawned;
  }
  Child child(Parts arguments, std::size_t process = 0, Role role = Role{0}) {
    const auto spawned = start(std::move(arguments), process, role);
    EXPECT_EQ(spawned.status, Status::ok) << spawned.text.text();
    return {spawned.op, spawned.process};
  }
  Op watch(const ProcessId& id, std::size_t process = 0, Role role = Role{0}) {
    const Op op = next_op();
    world.perform(process, action::WatchProcess{op, id}, role);
    return op;
  }
  void kill(std::vector<ProcessId> ids, std::int32_t signal = signal_kill, std::size_t process = 0) {
    world.perform(process, action::KillProcesses{signal, std::move(ids)}, Role{0});
  }
  std::string inspect(std::vector<ProcessId> ids, std::size_t process = 0) {
    const Op op = next_op();
    world.perform(process, action::InspectProcesses{op, std::move(ids)}, Role{0});
    const auto inspected = expect_event<event::ProcessesInspected>(world.next(process, Role{0}));
    EXPECT_EQ(inspected.op, op);
    return std::string(inspected.states.text());
  }
  // A signal has its effect a moment later.
  void expect_soon(const ProcessId& id, std::string_view letter) {
    std::string last;
    for (int tries = 0; tries < 2'000 && last != letter; ++tries) last = inspect({id});
    EXPECT_EQ(last, letter);
  }
  void expect_exit(Op op, std::int32_t code, std::int32_t signal, std::size_t process = 0, Role role = Role{0}) {
    const auto exited = expect_event<event::ProcessExited>(world.next(process, role));
    EXPECT_EQ(exited.op, op);
    EXPECT_EQ(exited.code, code);
    EXPECT_EQ(exited.signal, signal);
  }
  // A program that starts and ends after all else is told of last: what comes before it came unasked.
  void expect_quiet(std::size_t process = 0, Role role = Role{0}) {
    for (int fences = 0; fences < 2; ++fences) {
      const Child fence = child(world.exits(0), process, role);
      expect_exit(fence.op, 0, 0, process, role);
    }
  }
  static ProcessId with_another_start(ProcessId id) {
    ++id.start_time;
    return id;
  }

  Fixture world;
  std::uint64_t ops_ = 0;
};

}  // namespace tenter::conformance
