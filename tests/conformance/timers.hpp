// What every Timers keeps, in the simulator and on hardware: docs/ports/timers.md, case by case.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/action.hpp"
#include "tests/conformance/suite.hpp"

namespace tenter::conformance {

// One process with two machines, roles 0 and 1. perform: the machine of the role asks for the action. now: the process's clock.
// next: the next event of that role, however long it takes, none when no timer is armed that could still fire (one that is more
// than a minute away does not count). due: the process is busy, answers nothing, until all that is armed has become due; on
// return it is still busy, and what it performs now comes before anything is delivered. end: the process is gone.
template <class F>
concept TimersFixture = std::default_initializable<F> && requires(F& fixture, Role role, action::Arm arm, action::Cancel cancel) {
  fixture.perform(role, arm);
  fixture.perform(role, cancel);
  { fixture.now() } -> std::same_as<Time>;
  { fixture.next(role) } -> std::same_as<std::optional<Event>>;
  fixture.due();
  fixture.end();
};

template <TimersFixture Fixture>
class TimersContract {
 public:
  using Self = TimersContract;
  static std::vector<Case<Self>> cases() {
    return {
        {"a_timer_fires_once_and_not_before_its_time", &Self::a_timer_fires_once_and_not_before_its_time},
        {"a_deadline_in_the_past_fires", &Self::a_deadline_in_the_past_fires},
        {"a_cancelled_timer_is_silent", &Self::a_cancelled_timer_is_silent},
        {"a_timer_that_is_due_but_not_delivered_can_be_cancelled", &Self::a_timer_that_is_due_but_not_delivered_can_be_cancelled},
        {"cancelling_what_is_not_armed_is_fine", &Self::cancelling_what_is_not_armed_is_fine},
        {"arming_again_moves_a_timer_to_later", &Self::arming_again_moves_a_timer_to_later},
        {"arming_again_moves_a_timer_to_earlier", &Self::arming_again_moves_a_timer_to_earlier},
        {"arming_again_takes_back_a_firing_that_is_due", &Self::arming_again_takes_back_a_firing_that_is_due},
        {"a_cancelled_op_can_be_armed_again", &Self::a_cancelled_op_can_be_armed_again},
        {"timers_with_one_deadline_all_fire_once", &Self::timers_with_one_deadline_all_fire_once},
        {"no_timer_waits_for_another", &Self::no_timer_waits_for_another},
        {"the_same_op_of_two_machines_are_two_timers", &Self::the_same_op_of_two_machines_are_two_timers},
        {"the_end_of_time_never_comes", &Self::the_end_of_time_never_comes},
        {"a_timer_armed_in_answer_to_a_timer_fires", &Self::a_timer_armed_in_answer_to_a_timer_fires},
        {"the_clock_never_goes_back", &Self::the_clock_never_goes_back},
        {"nothing_fires_after_the_end_of_the_process", &Self::nothing_fires_after_the_end_of_the_process},
    };
  }

  void a_timer_fires_once_and_not_before_its_time() {
    const Time when = world.now() + milliseconds(3);
    arm(Op{1}, when);
    expect_fired(Op{1}, when);
    expect_nothing(world.next(a));
  }
  void a_deadline_in_the_past_fires() {
    const Time before = world.now();
    for (const Time when : {before, Time{number(before) - 1'000'000}, Time{1}, Time{0}, Time{-1'000'000'000}}) {
      arm(Op{1}, when);
      expect_fired(Op{1}, before);
      expect_nothing(world.next(a));
    }
  }
  void a_cancelled_timer_is_silent() {
    arm(Op{1}, world.now() + milliseconds(1));
    const Time when = world.now() + milliseconds(2);
    arm(Op{2}, when);
    world.perform(a, action::Cancel{Op{1}});
    expect_fired(Op{2}, when);
    expect_nothing(world.next(a));
  }
  void a_timer_that_is_due_but_not_delivered_can_be_cancelled() {
    arm(Op{1}, world.now());
    arm(Op{2}, world.now());
    world.due();
    world.perform(a, action::Cancel{Op{1}});
    expect_fired(Op{2}, Time{});
    expect_nothing(world.next(a));
  }
  void cancelling_what_is_not_armed_is_fine() {
    world.perform(a, action::Cancel{Op{7}});
    arm(Op{1}, world.now());
    expect_fired(Op{1}, Time{});
    world.perform(a, action::Cancel{Op{1}});
    expect_nothing(world.next(a));
  }
  void arming_again_moves_a_timer_to_later() {
    arm(Op{1}, world.now() + milliseconds(1));
    const Time when = world.now() + milliseconds(6);
    arm(Op{1}, when);
    expect_fired(Op{1}, when);
    expect_nothing(world.next(a));
  }
  void arming_again_moves_a_timer_to_earlier() {
    arm(Op{1}, world.now() + seconds(3000));
    const Time when = world.now() + milliseconds(1);
    arm(Op{1}, when);
    expect_fired(Op{1}, when);
    expect_nothing(world.next(a));
  }
  void arming_again_takes_back_a_firing_that_is_due() {
    arm(Op{1}, world.now());
    world.due();
    const Time when = world.now() + milliseconds(4);
    arm(Op{1}, when);
    expect_fired(Op{1}, when);
    expect_nothing(world.next(a));
  }
  void a_cancelled_op_can_be_armed_again() {
    arm(Op{1}, world.now() + milliseconds(1));
    world.perform(a, action::Cancel{Op{1}});
    const Time when = world.now() + milliseconds(2);
    arm(Op{1}, when);
    expect_fired(Op{1}, when);
    expect_nothing(world.next(a));
  }
  // Their order is not promised.
  void timers_with_one_deadline_all_fire_once() {
    const Time when = world.now() + milliseconds(2);
    for (const std::uint64_t op : {3, 1, 4, 2, 5}) arm(Op{op}, when);
    std::vector<Op> fired;
    for (int i = 0; i < 5; ++i) fired.push_back(next_fired(a, when).op);
    std::sort(fired.begin(), fired.end());
    EXPECT_EQ(fired, (std::vector<Op>{Op{1}, Op{2}, Op{3}, Op{4}, Op{5}}));
    expect_nothing(world.next(a));
  }
  void no_timer_waits_for_another() {
    arm(Op{1}, Time{number(end_of_time) - 1});
    arm(Op{2}, world.now() + seconds(3000));
    const Time when = world.now() + milliseconds(1);
    arm(Op{3}, when);
    expect_fired(Op{3}, when);
    world.perform(a, action::Cancel{Op{2}});
    world.perform(a, action::Cancel{Op{1}});
    expect_nothing(world.next(a));
  }
  void the_same_op_of_two_machines_are_two_timers() {
    const Time when = world.now() + milliseconds(2);
    arm(Op{1}, world.now() + milliseconds(1));
    world.perform(b, action::Arm{Op{1}, when});
    world.perform(a, action::Cancel{Op{1}});
    EXPECT_EQ(next_fired(b, when).op, Op{1});
    expect_nothing(world.next(a));
    expect_nothing(world.next(b));
  }
  void the_end_of_time_never_comes() {
    arm(Op{1}, end_of_time);
    expect_nothing(world.next(a));
    const Time when = world.now() + milliseconds(1);
    arm(Op{2}, when);
    arm(Op{3}, when);
    arm(Op{3}, end_of_time);
    expect_fired(Op{2}, when);
    expect_nothing(world.next(a));
    arm(Op{1}, world.now());
    expect_fired(Op{1}, Time{});
    expect_nothing(world.next(a));
  }
  void a_timer_armed_in_answer_to_a_timer_fires() {
    Time when = world.now() + microseconds(100);
    for (int i = 0; i < 5; ++i) {
      arm(Op{1}, when);
      when = next_fired(a, when).now + microseconds(100);
    }
    expect_nothing(world.next(a));
  }
  // In steps that are small beside whatever a clock is corrected by.
  void the_clock_never_goes_back() {
    const Time begin = world.now();
    for (std::int64_t i = 0; i < 300; ++i)
      arm(Op{static_cast<std::uint64_t>(i) + 1}, begin + (milliseconds(1) + nanoseconds(i * 37)));
    Time last = begin;
    for (int i = 0; i < 300; ++i) {
      const Time fired = next_fired(a, begin + milliseconds(1)).now;
      EXPECT_GE(number(fired), number(last));
      last = fired;
    }
    EXPECT_GE(number(world.now()), number(last));
  }
  void nothing_fires_after_the_end_of_the_process() {
    arm(Op{1}, world.now());
    arm(Op{2}, world.now() + milliseconds(1));
    world.due();
    world.end();
    expect_nothing(world.next(a));
  }

 private:
  static constexpr Role a{0}, b{1};
  void arm(Op op, Time when) { world.perform(a, action::Arm{op, when}); }
  event::TimerFired next_fired(Role role, Time not_before) {
    const auto fired = expect_event<event::TimerFired>(world.next(role));
    EXPECT_GE(number(fired.now), number(not_before)) << "early";
    EXPECT_GE(number(world.now()), number(fired.now)) << "from the future";
    return fired;
  }
  void expect_fired(Op op, Time not_before) { EXPECT_EQ(next_fired(a, not_before).op, op); }

  Fixture world;
};

// --- bugs that the cases must find --------------------------------------------------------------------------------------------

template <TimersFixture Fixture>
struct ForgetsToCancel : Fixture {
  using Fixture::perform;
  void perform(Role, const action::Cancel&) {}
};
template <TimersFixture Fixture>
struct FiresEarly : Fixture {
  using Fixture::perform;
  void perform(Role role, action::Arm arm) {
    if (arm.when != end_of_time) arm.when = arm.when + seconds(-1);
    Fixture::perform(role, arm);
  }
};
template <TimersFixture Fixture>
struct FiresTwice : Fixture {
  std::optional<Event> next(Role role) {
    if (again) return std::exchange(again, std::nullopt);
    const std::optional<Event> event = Fixture::next(role);
    if (event) again = event;
    return event;
  }
  std::optional<Event> again;
};
// The first deadline stays when a timer is moved.
template <TimersFixture Fixture>
struct KeepsTheOldDeadline : Fixture {
  using Fixture::perform;
  void perform(Role role, const action::Arm& arm) {
    const auto old = std::find_if(armed.begin(), armed.end(), [&](const action::Arm& one) { return one.op == arm.op; });
    if (old != armed.end()) return;
    armed.push_back(arm);
    Fixture::perform(role, arm);
  }
  std::optional<Event> next(Role role) {
    armed.clear();
    return Fixture::next(role);
  }
  std::vector<action::Arm> armed;
};

// Every bug is found in this world by the case that names it.
template <TimersFixture Fixture>
void expect_timer_bugs_found() {
  const auto has = [](const std::vector<std::string>& failing, const char* name) {
    return std::find(failing.begin(), failing.end(), name) != failing.end();
  };
  const auto cancel = failing_cases<TimersContract<ForgetsToCancel<Fixture>>>();
  EXPECT_TRUE(has(cancel, "a_cancelled_timer_is_silent"));
  EXPECT_TRUE(has(cancel, "a_timer_that_is_due_but_not_delivered_can_be_cancelled"));
  EXPECT_FALSE(has(cancel, "a_deadline_in_the_past_fires")) << "a case that has nothing to do with it";
  // A process that was held up until the deadline cannot tell early from punctual, so it looks again.
  bool early = false;
  for (int i = 0; i < 50 && !early; ++i)
    early = has(failing_cases<TimersContract<FiresEarly<Fixture>>>(), "a_timer_fires_once_and_not_before_its_time");
  EXPECT_TRUE(early);
  EXPECT_TRUE(has(failing_cases<TimersContract<FiresTwice<Fixture>>>(), "a_timer_fires_once_and_not_before_its_time"));
  const auto old = failing_cases<TimersContract<KeepsTheOldDeadline<Fixture>>>();
  EXPECT_TRUE(has(old, "arming_again_moves_a_timer_to_later"));
}

}  // namespace tenter::conformance
