// What a hardware part is to the loop. A part implements `perform(action)` for its port, and three calls for the loop:
//
//   void poll();                  makes progress without blocking; finished operations become events in the inbox
//   void add_waits(WaitSet&);     what to sleep on when nothing is left to do (only called when the inbox is empty)
//   ~Part();                      gives back everything; hw/resource.hpp counts must be zero after it
//
// All of it runs on the loop's thread. Threads of a part (work, exits) talk to the loop through `Context::nudge()` only.
#pragma once
#include <poll.h>

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/event.hpp"
#include "core/names.hpp"
#include "hw/inbox.hpp"

namespace tenter::hw {

class StepHook;  // hw/loop/step_hook.hpp

// Monotonic now, nanoseconds (CLOCK_MONOTONIC).
Time now();

// Shared by the parts of one process.
struct Context {
  explicit Context(StepHook* hook = nullptr) : step_hook(hook) {}

  Inbox inbox;                                       // events for the machines, in order of arrival; loop thread only
  Role current{};                                    // whose handler is running: the owner of the operations it starts
  StepHook* step_hook = nullptr;                     // of a test: sees every step; null in the product
  alignas(64) std::atomic<std::uint32_t> nudges{0};  // futex word: any thread may raise it to get the loop's attention

  void push(Role to, Event event) { inbox.push_back({to, std::move(event)}); }

  // When the loop last looked around: the stamp of what is found or done at once. Reading the clock costs as much as a delivery,
  // so it is read once a round of polls, when somebody asks. A part that has blocked calls look_again().
  Time round() {
    if (!looked_) round_ = now();
    looked_ = true;
    return round_;
  }
  void look_again() { looked_ = false; }
  void nudge();  // raise `nudges` and wake the loop; any thread, also a signal handler

 private:
  Time round_{};
  bool looked_ = false;
};

// One futex word the loop may sleep on: it sleeps only while *address == expected.
struct FutexWait {
  std::atomic<std::uint32_t>* address = nullptr;
  std::uint32_t expected = 0;
  bool shared = true;  // between processes
};

struct WaitSet {
  std::vector<FutexWait> futexes;
  std::vector<pollfd> descriptors;
  Time deadline = end_of_time;         // wake at the latest
  Duration poll_again = Duration{-1};  // >= 0: no wait object for something in flight; poll again after this long

  void until(Time when) {
    if (number(when) < number(deadline)) deadline = when;
  }
  void again_in(Duration d) {
    if (number(poll_again) < 0 || number(d) < number(poll_again)) poll_again = d;
  }
  void clear() {
    futexes.clear();
    descriptors.clear();
    deadline = end_of_time;
    poll_again = Duration{-1};
  }
};

}  // namespace tenter::hw
