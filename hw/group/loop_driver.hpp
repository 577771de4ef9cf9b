// Who drives the loop: the thread of a call while it waits, else a thread of our own. One at a time, always somebody.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include "core/names.hpp"

namespace tenter::hw {

class LoopDriver {
 public:
  struct Loop {
    std::function<void(const std::function<bool()>& until, Time deadline)> run;  // drives until either
    std::function<void()> nudge;                                                 // the running drive looks at `until` soon
  };
  explicit LoopDriver(Loop loop);
  LoopDriver(const LoopDriver&) = delete;
  LoopDriver& operator=(const LoopDriver&) = delete;
  ~LoopDriver();

  // Drives until done() holds or the deadline. While another caller drives, wait() is called instead.
  void drive(const std::function<bool()>& done, const std::function<void()>& wait, Time deadline);
  // Runs `look` while nobody drives.
  void between(const std::function<void()>& look);

 private:
  void stay();

  Loop loop_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool driving_ = false;         // somebody is inside loop_.run
  bool caller_ = false;          // a caller drives or waits to
  std::uint32_t followers_ = 0;  // callers in wait()
  std::uint32_t guests_ = 0;     // callers of between()
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace tenter::hw
