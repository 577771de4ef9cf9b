#include "bench/raw/futex_ping_pong.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tenter::bench {

Elapsed futex_ping_pong(const PingPong& work, Budget budget) {
  const auto wait = [](std::atomic<std::uint32_t>& word, std::uint32_t one, std::uint32_t other) {
    for (;;) {
      const std::uint32_t value = word.load(std::memory_order_acquire);
      if (value == one || value == other) return value;
      syscall(SYS_futex, &word, FUTEX_WAIT, value, nullptr, nullptr, 0);
    }
  };
  const auto wake = [](std::atomic<std::uint32_t>& word) { syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0); };
  return four_transitions(work, budget, wait, wake);
}

}  // namespace tenter::bench
