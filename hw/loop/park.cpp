#include "hw/loop/park.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>

#include "hw/loop/watcher.hpp"

namespace tenter::hw {
namespace {

constexpr long futex_waitv_number = 449;  // the same on every architecture; not in older C libraries
constexpr std::size_t futex_limit = 128;  // FUTEX_WAITV_MAX
constexpr Duration chunk = milliseconds(1);

std::atomic<bool> has_waitv{true};  // until the kernel refuses it

timespec timespec_of(std::int64_t ns) {
  timespec t{};
  t.tv_sec = ns / 1'000'000'000;
  t.tv_nsec = ns % 1'000'000'000;
  return t;
}

// The system call that sleeps, told to the watch; its errno, 0 when it slept.
template <class Sleep>
int slept(SleepWatch* watch, Sleep&& sleep) {
  if (watch) watch->asleep();
  const int problem = sleep() < 0 ? errno : 0;
  if (watch) watch->awake();
  return problem;
}

// Without futex_waitv: sleeps on one word; in bounded pieces when there are others that it cannot see.
void wait_on_one(Context& context, const WaitSet& waits, std::uint32_t seen, SleepWatch* watch) {
  const bool alone = waits.futexes.empty();
  const FutexWait wait = alone ? FutexWait{&context.nudges, seen, false} : waits.futexes.front();
  const Time at = now();
  Time deadline = waits.deadline;
  if (!alone) deadline = std::min(deadline, at + chunk);
  const timespec left = timespec_of(std::max<std::int64_t>(0, number(deadline - at)));
  slept(watch, [&] {
    return syscall(SYS_futex, wait.address, FUTEX_WAIT | (wait.shared ? 0 : FUTEX_PRIVATE_FLAG), wait.expected,
                   deadline == end_of_time ? nullptr : &left, nullptr, 0);
  });
}

void wait_on_all(Context& context, const WaitSet& waits, std::uint32_t seen, SleepWatch* watch) {
  std::array<futex_waitv, futex_limit> words{};
  std::size_t count = 0;
  auto add = [&](const FutexWait& wait) {
    words[count].val = wait.expected;
    words[count].uaddr = reinterpret_cast<std::uintptr_t>(wait.address);
    words[count].flags = FUTEX_32 | (wait.shared ? 0U : FUTEX_PRIVATE_FLAG);
    ++count;
  };
  add({&context.nudges, seen, false});
  for (const FutexWait& wait : waits.futexes) {
    if (count < futex_limit) add(wait);
  }
  Time deadline = waits.deadline;
  if (waits.futexes.size() >= futex_limit) deadline = std::min(deadline, now() + chunk);  // some words are not seen
  const timespec at = timespec_of(std::max<std::int64_t>(0, number(deadline)));
  const int problem = slept(watch, [&] {
    return syscall(futex_waitv_number, words.data(), count, 0, deadline == end_of_time ? nullptr : &at, CLOCK_MONOTONIC);
  });
  if (problem == ENOSYS || problem == EPERM) has_waitv.store(false, std::memory_order_relaxed);  // the caller comes again
}

}  // namespace

Parker::Parker(Context& context) : context_(context) {}
Parker::~Parker() = default;

void Parker::park(const WaitSet& waits, std::uint32_t seen_nudges, SleepWatch* watch) {
  if (!waits.descriptors.empty() && !watcher_) watcher_ = std::make_unique<Watcher>(context_);
  if (watcher_) watcher_->watch(waits.descriptors);
  if (has_waitv.load(std::memory_order_relaxed))
    wait_on_all(context_, waits, seen_nudges, watch);
  else
    wait_on_one(context_, waits, seen_nudges, watch);
}

}  // namespace tenter::hw
