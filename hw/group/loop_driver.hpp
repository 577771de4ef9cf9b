// Who drives the loop: the thread of a call while it waits, else a thread of our own. One at a time; while our own sleeps, a
// caller takes the loop without waking it, since two switches of threads after idle cost more than the call.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include "core/names.hpp"
#include "hw/loop/park.hpp"

namespace tenter::hw {

class LoopDriver : private SleepWatch {
 public:
  struct Loop {
    std::function<void(const std::function<bool()>& until, Time deadline, SleepWatch*)> run;  // drives until either
    std::function<bool()> sleep_holds;  // who sleeps in run() need not be woken to look again
    std::function<void()> nudge;        // who drives looks at `until` soon, who sleeps wakes
  };
  explicit LoopDriver(Loop loop);
  LoopDriver(const LoopDriver&) = delete;
  LoopDriver& operator=(const LoopDriver&) = delete;
  virtual ~LoopDriver();

  // begin(drives), then drives until done() holds or the deadline. While another caller drives, begin(false) must nudge the loop,
  // and wait() is called instead. Nothing more happens when begin() is false.
  void drive(const std::function<bool(bool drives)>& begin, const std::function<bool()>& done, const std::function<void()>& wait,
             Time deadline);
  // Runs `look` while nobody drives.
  void between(const std::function<void()>& look);

 private:
  void stay();
  void await_turn(std::unique_lock<std::mutex>& lock);
  void asleep() override;
  void awake() override;

  Loop loop_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool driving_ = false;         // somebody is inside loop_.run, and not asleep there
  bool asleep_ = false;          // our own thread
  bool caller_ = false;          // a caller drives or waits to
  std::uint32_t followers_ = 0;  // callers in wait()
  std::uint32_t guests_ = 0;     // callers of between()
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace tenter::hw
