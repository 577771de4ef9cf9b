#include "hw/part.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <climits>

namespace tenter::hw {

Time now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return Time{static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec};
}

void Context::nudge() {
  nudges.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &nudges, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace tenter::hw
