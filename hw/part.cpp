#include "hw/part.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

namespace tenter::hw {

Time now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return Time{static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec};
}

std::uint32_t usable_cpus() {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? static_cast<std::uint32_t>(CPU_COUNT(&allowed)) : 1;
}

void Context::nudge() {
  const int interrupted_error = errno;  // of whom a signal handler interrupts
  nudges.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &nudges, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX, nullptr, nullptr, 0);
  errno = interrupted_error;
}

}  // namespace tenter::hw
