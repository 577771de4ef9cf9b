#include "hw/loop/park.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "hw/loop/watcher.hpp"

namespace tenter::hw {
namespace {

constexpr long futex_waitv_number = 449;  // the same on every architecture; not in older C libraries
constexpr std::size_t futex_limit = 128;  // FUTEX_WAITV_MAX
constexpr Duration chunk = milliseconds(1);

timespec timespec_of(std::int64_t ns) {
  timespec t{};
  t.tv_sec = ns / 1'000'000'000;
  t.tv_nsec = ns % 1'000'000'000;
  return t;
}

// Without futex_waitv: sleeps on one word; in bounded pieces when there are others that it cannot see.
void wait_on_one(Context& context, const WaitSet& waits, std::uint32_t seen, Time deadline) {
  const bool alone = waits.futexes.empty();
  const FutexWait wait = alone ? FutexWait{&context.nudges, seen, false} : waits.futexes.front();
  const Time at = now();
  if (!alone) deadline = std::min(deadline, at + chunk);
  const timespec left = timespec_of(std::max<std::int64_t>(0, number(deadline - at)));
  syscall(SYS_futex, wait.address, FUTEX_WAIT | (wait.shared ? 0 : FUTEX_PRIVATE_FLAG), wait.expected,
          deadline == end_of_time ? nullptr : &left, nullptr, 0);
}

void wait_on_all(Context& context, const WaitSet& waits, std::uint32_t seen) {
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
  const long woken =
      syscall(futex_waitv_number, words.data(), count, 0, deadline == end_of_time ? nullptr : &at, CLOCK_MONOTONIC);
  if (woken < 0 && (errno == ENOSYS || errno == EPERM)) wait_on_one(context, waits, seen, deadline);
}

}  // namespace

Parker::Parker(Context& context) : context_(context) {}
Parker::~Parker() = default;

void Parker::park(const WaitSet& waits, std::uint32_t seen_nudges) {
  if (!waits.descriptors.empty() && !watcher_) watcher_ = std::make_unique<Watcher>(context_);
  if (watcher_) watcher_->watch(waits.descriptors);
  wait_on_all(context_, waits, seen_nudges);
}

}  // namespace tenter::hw
