// What a hardware part is to the loop. A part implements `perform(action)` for its port, and three calls for the loop:
//
//   void poll();                  makes progress without blocking; finished operations become events in the inbox
//   void add_waits(WaitSet&);     what to sleep on when nothing is left to do (only called when the inbox is empty)
//   ~Part();                      gives back everything; hw/resource.hpp counts must be zero after it
//
// All of it runs on the loop's thread. Threads of a part (work, exits) talk to the loop through `Context::nudge()` only.
#pragma once
#include <poll.h>

#include <algorithm>
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

// CPUs that this process may run on, at least 1.
std::uint32_t usable_cpus();

// Shared by the parts of one process.
struct Context {
  explicit Context(StepHook* hook = nullptr, bool crowd = false) : step_hook(hook), crowded(crowd) {}

  Inbox inbox;                    // events for the machines, in order of arrival; loop thread only
  Role current{};                 // whose handler is running: the owner of the operations it starts
  StepHook* step_hook = nullptr;  // of a test: sees every step; null in the product
  const bool crowded;  // more processes wait for each other than there are CPUs: no spin, and no yield that makes no way
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
  // Raise `nudges` and wake the loop. Any thread, also a signal handler: a lock-free word and one system call, errno as it was.
  void nudge();
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

 private:
  Time round_{};
  bool looked_ = false;
};

// One futex word the loop may sleep on: it sleeps only while *address == expected.
struct FutexWait {
  std::atomic<std::uint32_t>* address = nullptr;
  std::uint32_t expected = 0;
  bool shared = true;  // between processes
  friend bool operator==(const FutexWait&, const FutexWait&) = default;
};

struct WaitSet {
  std::vector<FutexWait> futexes;
  std::vector<pollfd> descriptors;
  Time deadline = end_of_time;  // wake at the latest
  // >= 0: poll again after this long, because something in flight has no wait object, or as a net below one. 0: at once, after
  // giving up the CPU; the part bounds how long it asks for that.
  Duration poll_again = Duration{-1};

  void until(Time when) {
    if (number(when) < number(deadline)) deadline = when;
  }
  void again_in(Duration d) {
    if (number(poll_again) < 0 || number(d) < number(poll_again)) poll_again = d;
  }
  // The same sleep: woken by the same, and at the same time.
  bool same_as(const WaitSet& other) const {
    const auto same_descriptor = [](const pollfd& a, const pollfd& b) { return a.fd == b.fd && a.events == b.events; };
    return futexes == other.futexes && deadline == other.deadline && poll_again == other.poll_again &&
           std::equal(descriptors.begin(), descriptors.end(), other.descriptors.begin(), other.descriptors.end(),
                      same_descriptor);
  }
  bool empty() const { return futexes.empty() && descriptors.empty() && deadline == end_of_time && number(poll_again) < 0; }
  void clear() {
    futexes.clear();
    descriptors.clear();
    deadline = end_of_time;
    poll_again = Duration{-1};
  }
};

}  // namespace tenter::hw
