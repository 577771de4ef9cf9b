// Sleeping until one of the wait objects of the parts, a nudge or the deadline.
#pragma once
#include <cstdint>
#include <memory>

#include "hw/part.hpp"

namespace tenter::hw {

// Told around every sleep. Between the two calls nothing of the loop is touched by the sleeper, so that another thread may drive
// it.
class SleepWatch {
 public:
  virtual void asleep() = 0;
  virtual void awake() = 0;

 protected:
  ~SleepWatch() = default;
};

// Futexes are slept on directly. Descriptors are watched by a thread, which starts with the first park that has some and lives
// as long as the Parker; a park with the same descriptors as the one before costs no system call for them.
class Parker {
 public:
  explicit Parker(Context& context);
  Parker(const Parker&) = delete;
  Parker& operator=(const Parker&) = delete;
  ~Parker();

  // Returns at once when `context.nudges` differs from `seen_nudges` (read before the last poll, so no nudge is lost) or when a
  // futex word differs from what its part expected. May return without a reason; the caller polls again.
  void park(const WaitSet& waits, std::uint32_t seen_nudges, SleepWatch* watch = nullptr);

 private:
  class Watcher;
  Context& context_;
  std::unique_ptr<Watcher> watcher_;
};

}  // namespace tenter::hw
