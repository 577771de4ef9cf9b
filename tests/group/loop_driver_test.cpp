// Who drives the loop of a group's parent: a caller takes it from the thread that sleeps in it.
#include "hw/group/loop_driver.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace tenter::hw {
namespace {

// A loop whose own thread sleeps until it is nudged, and which notices two drivers at once.
struct SleepyLoop {
  std::atomic<int> inside{0}, nudges{0}, sleeps{0};
  std::atomic<bool> two_at_once{false}, holds{true};

  LoopDriver::Loop calls() {
    return {[this](const std::function<bool()>& until, Time, SleepWatch* watch) { run(until, watch); },
            [this] { return holds.load(); },
            [this] {
              ++nudges;
              nudges.notify_all();
            }};
  }
  void run(const std::function<bool()>& until, SleepWatch* watch) {
    enter();
    while (!until()) {
      const int seen = nudges.load();
      if (watch == nullptr || until()) continue;
      leave();
      watch->asleep();
      ++sleeps;
      sleeps.notify_all();
      nudges.wait(seen);
      watch->awake();
      enter();
    }
    leave();
  }
  void enter() {
    if (++inside != 1) two_at_once = true;
  }
  void leave() { --inside; }
  void await_sleep(int which) {
    for (int seen = sleeps.load(); seen < which; seen = sleeps.load()) sleeps.wait(seen);
  }
};

void call(LoopDriver& driver) {
  driver.drive([](bool) { return true; }, [] { return true; }, [] {}, end_of_time);
}

TEST(LoopDriver, a_call_takes_the_loop_from_a_sleeping_thread_and_leaves_it_asleep) {
  SleepyLoop loop;
  {
    LoopDriver driver(loop.calls());
    loop.await_sleep(1);
    for (int i = 0; i < 100; ++i) call(driver);
    EXPECT_EQ(loop.sleeps, 1);
    EXPECT_EQ(loop.nudges, 0);
  }
  EXPECT_FALSE(loop.two_at_once);
}

TEST(LoopDriver, the_sleeper_is_woken_after_a_call_that_changed_what_there_is_to_wait_for) {
  SleepyLoop loop;
  {
    LoopDriver driver(loop.calls());
    loop.await_sleep(1);
    loop.holds = false;
    call(driver);
    loop.await_sleep(2);
  }
  EXPECT_FALSE(loop.two_at_once);
}

// The sleeper wakes for a reason of its own in the middle of the call.
void long_call_that_wakes_the_sleeper(LoopDriver& driver, SleepyLoop& loop) {
  int left = 200;
  const auto done = [&] {
    std::this_thread::yield();
    return --left == 0;
  };
  const auto begin = [&](bool) {
    ++loop.nudges;
    loop.nudges.notify_all();
    return true;
  };
  driver.drive(
      begin, done, [] {}, end_of_time);
}

TEST(LoopDriver, a_sleeper_that_wakes_during_a_call_waits_for_its_end) {
  SleepyLoop loop;
  {
    LoopDriver driver(loop.calls());
    for (int i = 1; i <= 100; ++i) {
      loop.await_sleep(i);
      long_call_that_wakes_the_sleeper(driver, loop);
    }
  }
  EXPECT_FALSE(loop.two_at_once);
}

TEST(LoopDriver, many_callers_and_guests_drive_one_at_a_time) {
  SleepyLoop loop;
  loop.holds = false;
  {
    LoopDriver driver(loop.calls());
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 500; ++i) {
          call(driver);
          driver.between([&] {
            if (loop.inside != 0) loop.two_at_once = true;
          });
        }
      });
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_FALSE(loop.two_at_once);
}

}  // namespace
}  // namespace tenter::hw
