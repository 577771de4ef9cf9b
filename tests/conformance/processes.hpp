// What every Processes keeps, in the simulator and on hardware: docs/ports/processes.md, case by case.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "tests/conformance/processes_user.hpp"

namespace tenter::conformance {
template <ProcessesFixture Fixture>
class ProcessesContract : private ProcessesUser<Fixture> {
 public:
  using Self = ProcessesContract;
  static std::vector<Case<Self>> cases() {
    std::vector<Case<Self>> all = exit_cases();
    for (const Case<Self>& one : watch_cases()) all.push_back(one);
    for (const Case<Self>& one : kill_cases()) all.push_back(one);
    return all;
  }

  // --- start and end ----------------------------------------------------------------------------------------------------------

  static std::vector<Case<Self>> exit_cases() {
    return {
        {"an_exit_code_is_told_once", &Self::an_exit_code_is_told_once},
        {"a_signal_is_told_once_to_who_spawned", &Self::a_signal_is_told_once_to_who_spawned},
        {"a_start_is_told_before_its_end", &Self::a_start_is_told_before_its_end},
        {"a_program_that_does_not_exist_is_not_found_and_named", &Self::a_program_that_does_not_exist_is_not_found_and_named},
        {"a_program_that_is_not_named_is_invalid", &Self::a_program_that_is_not_named_is_invalid},
        {"a_zero_byte_in_an_argument_is_invalid", &Self::a_zero_byte_in_an_argument_is_invalid},
        {"every_process_has_an_identity_of_its_own", &Self::every_process_has_an_identity_of_its_own},
        {"exits_are_told_in_their_order", &Self::exits_are_told_in_their_order},
        {"the_end_of_the_parent_is_told_to_every_machine", &Self::the_end_of_the_parent_is_told_to_every_machine},
        {"nothing_is_left_when_the_processes_end", &Self::nothing_is_left_when_the_processes_end},
    };
  }

  void an_exit_code_is_told_once() {
    for (const std::int32_t code : {0, 3, 127, 254}) {
      const Child one = child(world.exits(code));
      expect_exit(one.op, code, 0);
      EXPECT_EQ(inspect({one.id}), "X");
    }
    expect_quiet();
    expect_quiet(0, Role{1});
  }
  void a_signal_is_told_once_to_who_spawned() {
    for (const std::int32_t signal : {signal_kill, signal_terminate}) {
      const Child own = child(world.sleeps(), 0, Role{1}), others = child(world.sleeps(), 1);
      kill({own.id, others.id}, signal);
      expect_exit(own.op, -1, signal, 0, Role{1});
      expect_exit(others.op, -1, signal, 1);
      EXPECT_EQ(inspect({own.id}), "X");
    }
    expect_quiet(0, Role{0});
    expect_quiet(0, Role{1});
    expect_quiet(1);
  }
  void a_start_is_told_before_its_end() {
    std::vector<Op> ops;
    for (int i = 0; i < 8; ++i) {
      ops.push_back(next_op());
      world.perform(0, action::Spawn{ops.back(), world.exits(i), {}}, Role{0});
    }
    std::vector<Op> started;
    for (std::size_t events = 0; events < 2 * ops.size(); ++events) {
      const std::optional<Event> event = world.next(0, Role{0});
      if (!event) break;
      if (const auto* spawned = std::get_if<event::Spawned>(&*event)) started.push_back(spawned->op);
      if (const auto* exited = std::get_if<event::ProcessExited>(&*event)) {
        EXPECT_EQ(std::erase(started, exited->op), 1U) << "the end comes before the start";
        EXPECT_EQ(exited->code, static_cast<std::int32_t>(number(exited->op) - number(ops[0])));
      }
    }
    EXPECT_TRUE(started.empty()) << "an end is missing";
    expect_quiet();
  }
  void a_program_that_does_not_exist_is_not_found_and_named() {
    const Parts missing = world.missing();
    const auto spawned = start(missing);
    EXPECT_EQ(spawned.status, Status::not_found);
    EXPECT_NE(spawned.text.text().find(missing[0].text()), std::string_view::npos) << spawned.text.text();
    EXPECT_EQ(spawned.process, ProcessId{});
    expect_quiet();
  }
  void a_program_that_is_not_named_is_invalid() {
    EXPECT_EQ(start({}).status, Status::invalid);
    EXPECT_EQ(start({Blob("")}).status, Status::invalid);
    expect_quiet();
  }
  void a_zero_byte_in_an_argument_is_invalid() {
    std::vector<Blob> arguments;
    for (const Blob& argument : world.sleeps()) arguments.push_back(argument);
    arguments.emplace_back(std::string_view("a\0b", 3));
    EXPECT_EQ(start(Parts(std::move(arguments))).status, Status::invalid);
    expect_quiet();
  }
  void every_process_has_an_identity_of_its_own() {
    std::vector<ProcessId> ids;
    for (int i = 0; i < 6; ++i) {
      const bool ends = i % 2 == 1;
      const std::size_t process = static_cast<std::size_t>(i) % 3;
      const Child one = child(ends ? world.exits(1) : world.sleeps(), process);
      if (ends) expect_exit(one.op, 1, 0, process);
      EXPECT_NE(one.id.pid, 0U);
      EXPECT_NE(one.id.start_time, 0U);
      for (const ProcessId& other : ids) EXPECT_NE(other, one.id);
      ids.push_back(one.id);
    }
  }
  void exits_are_told_in_their_order() {
    std::vector<Child> children;
    for (int i = 0; i < 7; ++i) children.push_back(child(world.sleeps(), i % 2 == 0 ? 0 : 1));
    std::vector<Op> expected;
    for (const std::size_t i : {4U, 1U, 6U, 0U, 5U, 3U, 2U}) expected.push_back(watch(children[i].id, 2));
    for (const std::size_t i : {4U, 1U, 6U, 0U, 5U, 3U, 2U}) {
      kill({children[i].id}, signal_kill, 1);
      world.await_death(children[i].id);
    }
    for (const Op op : expected) expect_exit(op, -1, -1, 2);
    for (const std::size_t i : {4U, 6U, 0U, 2U}) expect_exit(children[i].op, -1, signal_kill, 0);
    for (const std::size_t i : {1U, 5U, 3U}) expect_exit(children[i].op, -1, signal_kill, 1);
  }
  void the_end_of_the_parent_is_told_to_every_machine() {
    const std::size_t orphan = world.start_orphan();
    world.end_parent();
    for (const Role role : {Role{0}, Role{1}}) expect_event<event::ParentExited>(world.next(orphan, role));
  }
  void nothing_is_left_when_the_processes_end() {
    for (const std::size_t process : {0U, 1U, 2U}) {
      child(world.sleeps(), process);
      child(world.helped(), process);
      const Child stopped = child(world.sleeps(), process);
      kill({stopped.id}, signal_stop);
      const Child ended = child(world.exits(3), process);
      world.await_death(ended.id);  // and nobody takes the event
    }
    EXPECT_EQ(world.end_all(), "");
  }

  // --- watches and looks ------------------------------------------------------------------------------------------------------

  static std::vector<Case<Self>> watch_cases() {
    return {
        {"every_watcher_of_a_process_hears_its_end", &Self::every_watcher_of_a_process_hears_its_end},
        {"a_watch_of_a_process_that_is_gone_answers", &Self::a_watch_of_a_process_that_is_gone_answers},
        {"a_watch_says_nothing_while_the_process_lives", &Self::a_watch_says_nothing_while_the_process_lives},
        {"a_process_with_another_start_time_is_gone", &Self::a_process_with_another_start_time_is_gone},
        {"a_look_tells_what_runs_what_is_stopped_and_what_is_gone",
         &Self::a_look_tells_what_runs_what_is_stopped_and_what_is_gone},
        {"a_look_answers_a_letter_a_process_in_the_order_asked", &Self::a_look_answers_a_letter_a_process_in_the_order_asked},
    };
  }

  // Who spawned it has the code also by a further watch, whoever else watches has it not.
  void every_watcher_of_a_process_hears_its_end() {
    const Child one = child(world.sleeps());
    const Op own = watch(one.id), other_machine = watch(one.id, 0, Role{1}), first = watch(one.id, 1), second = watch(one.id, 1),
             third = watch(one.id, 2, Role{1});
    kill({one.id}, signal_kill, 2);
    expect_exit(one.op, -1, signal_kill);
    expect_exit(own, -1, signal_kill);
    expect_exit(other_machine, -1, signal_kill, 0, Role{1});
    expect_exit(first, -1, -1, 1);
    expect_exit(second, -1, -1, 1);
    expect_exit(third, -1, -1, 2, Role{1});
    expect_quiet(0);
    expect_quiet(0, Role{1});
    expect_quiet(1);
    expect_quiet(2, Role{1});
  }
  void a_watch_of_a_process_that_is_gone_answers() {
    const Child one = child(world.exits(3));
    expect_exit(one.op, 3, 0);
    for (const std::size_t process : {0U, 1U}) {
      const Op op = watch(one.id, process);
      expect_exit(op, -1, -1, process);
      expect_quiet(process);
    }
  }
  void a_watch_says_nothing_while_the_process_lives() {
    const Child one = child(world.sleeps());
    watch(one.id, 1);
    kill({one.id}, signal_stop);
    expect_soon(one.id, "T");
    expect_quiet(0);
    expect_quiet(1);
    kill({one.id}, signal_continue);
    expect_soon(one.id, "R");
    expect_quiet(0);
    expect_quiet(1);
  }
  void a_process_with_another_start_time_is_gone() {
    const Child one = child(world.sleeps());
    ProcessId unknown = one.id;
    unknown.start_time = 0;
    for (const ProcessId& stranger : {with_another_start(one.id), unknown, ProcessId{}}) {
      for (const std::int32_t signal : {signal_stop, signal_terminate, signal_kill}) kill({stranger}, signal);
      EXPECT_EQ(inspect({stranger}), "X");
      const Op op = watch(stranger, 1);
      expect_exit(op, -1, -1, 1);
    }
    expect_quiet();
    EXPECT_EQ(inspect({one.id}), "R");
  }
  void a_look_tells_what_runs_what_is_stopped_and_what_is_gone() {
    const Child one = child(world.sleeps());
    for (const std::size_t process : {0U, 1U}) EXPECT_EQ(inspect({one.id}, process), "R");
    kill({one.id}, signal_stop);
    expect_soon(one.id, "T");
    EXPECT_EQ(inspect({one.id}, 1), "T");
    kill({one.id}, signal_continue);
    expect_soon(one.id, "R");
    kill({one.id});
    expect_exit(one.op, -1, signal_kill);
    for (const std::size_t process : {0U, 1U}) EXPECT_EQ(inspect({one.id}, process), "X");
  }
  void a_look_answers_a_letter_a_process_in_the_order_asked() {
    const Child runs = child(world.sleeps()), stopped = child(world.sleeps());
    kill({stopped.id}, signal_stop);
    expect_soon(stopped.id, "T");
    const ProcessId gone = with_another_start(runs.id);
    EXPECT_EQ(inspect({}), "");
    EXPECT_EQ(inspect({stopped.id, gone, runs.id, runs.id, stopped.id}), "TXRRT");
    EXPECT_EQ(inspect({runs.id, stopped.id, gone}), "RTX");
  }

  // --- signals ----------------------------------------------------------------------------------------------------------------

  static std::vector<Case<Self>> kill_cases() {
    return {
        {"a_kill_reaches_who_is_named_and_nobody_else", &Self::a_kill_reaches_who_is_named_and_nobody_else},
        {"a_kill_of_a_program_spares_the_children_of_another", &Self::a_kill_of_a_program_spares_the_children_of_another},
        {"a_stopped_process_is_killed", &Self::a_stopped_process_is_killed},
        {"a_stopped_process_terminates_when_it_goes_on", &Self::a_stopped_process_terminates_when_it_goes_on},
        {"a_kill_of_who_is_gone_is_nothing", &Self::a_kill_of_who_is_gone_is_nothing},
        {"a_signal_that_is_none_is_nothing", &Self::a_signal_that_is_none_is_nothing},
    };
  }

  void a_kill_reaches_who_is_named_and_nobody_else() {
    const Child a = child(world.sleeps()), b = child(world.sleeps()), c = child(world.sleeps()), d = child(world.sleeps(), 1);
    kill({c.id, a.id});
    for (const Child& one : {a, c}) world.await_death(one.id);
    std::vector<Op> told;
    for (int i = 0; i < 2; ++i) told.push_back(expect_event<event::ProcessExited>(world.next(0, Role{0})).op);
    EXPECT_TRUE(told == (std::vector<Op>{a.op, c.op}) || told == (std::vector<Op>{c.op, a.op}));
    expect_quiet(0);
    expect_quiet(1);
    EXPECT_EQ(inspect({a.id, b.id, c.id, d.id}), "XRXR");
  }
  void a_kill_of_a_program_spares_the_children_of_another() {
    const Child a = child(world.helped()), b = child(world.helped()), c = child(world.helped(), 1);
    kill({a.id});
    expect_exit(a.op, -1, signal_kill);
    expect_quiet(0);
    expect_quiet(1);
    EXPECT_EQ(inspect({b.id, c.id}), "RR");
  }
  void a_stopped_process_is_killed() {
    const Child one = child(world.sleeps());
    kill({one.id}, signal_stop);
    expect_soon(one.id, "T");
    kill({one.id});
    expect_exit(one.op, -1, signal_kill);
  }
  void a_stopped_process_terminates_when_it_goes_on() {
    const Child one = child(world.sleeps());
    kill({one.id}, signal_stop);
    expect_soon(one.id, "T");
    kill({one.id}, signal_terminate);
    expect_quiet();
    EXPECT_EQ(inspect({one.id}), "T");
    kill({one.id}, signal_continue);
    expect_exit(one.op, -1, signal_terminate);
  }
  void a_kill_of_who_is_gone_is_nothing() {
    const Child gone = child(world.exits(3));
    expect_exit(gone.op, 3, 0);
    const Child runs = child(world.sleeps());
    kill({gone.id});
    kill({});
    expect_quiet();
    kill({gone.id, runs.id});
    expect_exit(runs.op, -1, signal_kill);
  }
  void a_signal_that_is_none_is_nothing() {
    const Child one = child(world.sleeps());
    for (const std::int32_t signal : {0, -1, -9, 65, 1000}) kill({one.id}, signal);
    expect_quiet();
    EXPECT_EQ(inspect({one.id}), "R");
  }

 private:
  using User = ProcessesUser<Fixture>;
  using typename User::Child;
  using User::child;
  using User::expect_exit;
  using User::expect_quiet;
  using User::expect_soon;
  using User::inspect;
  using User::kill;
  using User::next_op;
  using User::start;
  using User::watch;
  using User::with_another_start;
  using User::world;
};

}  // namespace tenter::conformance
