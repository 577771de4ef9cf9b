#include "hw/group/loop_driver.hpp"

#include <chrono>
#include <utility>

namespace tenter::hw {
namespace {

// A caller that has just got its answer mostly comes again at once; to take the loop over between two of its calls would cost
// each of them two switches of threads. Nothing is late by it but the notice of a death.
constexpr auto courtesy = std::chrono::milliseconds(2);

}  // namespace

LoopDriver::LoopDriver(Loop loop) : loop_(std::move(loop)), thread_([this] { stay(); }) {}

LoopDriver::~LoopDriver() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  loop_.nudge();
  changed_.notify_all();
  thread_.join();
}

void LoopDriver::await_turn(std::unique_lock<std::mutex>& lock) {
  while (!ending_ && (driving_ || caller_ || guests_ > 0)) {
    changed_.wait(lock);
    if (!caller_ && followers_ == 0) changed_.wait_for(lock, courtesy, [this] { return caller_ || followers_ > 0 || ending_; });
  }
}

void LoopDriver::stay() {
  const auto wanted = [this] {
    const std::lock_guard lock(mutex_);
    return caller_ || guests_ > 0 || ending_;
  };
  std::unique_lock lock(mutex_);
  while (true) {
    await_turn(lock);
    if (ending_) return;
    driving_ = true;
    lock.unlock();
    loop_.run(wanted, end_of_time, this);
    lock.lock();
    driving_ = false;
    changed_.notify_all();
  }
}

void LoopDriver::asleep() {
  const std::lock_guard lock(mutex_);
  driving_ = false;
  asleep_ = true;
  changed_.notify_all();
}

void LoopDriver::awake() {
  std::unique_lock lock(mutex_);
  asleep_ = false;
  await_turn(lock);
  driving_ = true;
}

void LoopDriver::drive(const std::function<bool(bool)>& begin, const std::function<bool()>& done,
                       const std::function<void()>& wait, Time deadline) {
  std::unique_lock lock(mutex_);
  if (caller_) {
    ++followers_;
    lock.unlock();
    changed_.notify_all();
    if (begin(false)) wait();
    lock.lock();
    --followers_;
    return;
  }
  caller_ = true;
  if (driving_) loop_.nudge();
  changed_.wait(lock, [this] { return !driving_ && guests_ == 0; });
  driving_ = true;
  lock.unlock();
  if (begin(true)) loop_.run(done, deadline, nullptr);
  const bool holds = loop_.sleep_holds();
  lock.lock();
  driving_ = caller_ = false;
  changed_.notify_all();
  if (asleep_ && !holds) loop_.nudge();
}

void LoopDriver::between(const std::function<void()>& look) {
  std::unique_lock lock(mutex_);
  ++guests_;
  if (driving_) loop_.nudge();
  // A driving caller is not stopped: its call ends within its deadline.
  changed_.wait(lock, [this] { return !driving_; });
  look();
  --guests_;
  changed_.notify_all();
}

}  // namespace tenter::hw
