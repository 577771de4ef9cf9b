#include "bench/raw/spin_ping_pong.hpp"

#include <sched.h>

#include <thread>

namespace tenter::bench {
namespace {

void pause_once() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

std::uint32_t spin_until(std::atomic<std::uint32_t>& word, std::uint32_t one, std::uint32_t other) {
  for (std::uint32_t turn = 1;; ++turn) {
    const std::uint32_t value = word.load(std::memory_order_acquire);
    if (value == one || value == other) return value;
    pause_once();
    if (turn % 4096 == 0) sched_yield();
  }
}

}  // namespace

Elapsed spin_probe(Budget budget) {
  alignas(64) std::atomic<std::uint32_t> word{idle};
  std::thread other([&word] {
    while (spin_until(word, ready, stop) != stop) word.store(done, std::memory_order_release);
  });
  Elapsed elapsed;
  const std::int64_t start = monotonic_ns();
  do {
    word.store(ready, std::memory_order_release);
    spin_until(word, done, done);
    elapsed.nanoseconds = monotonic_ns() - start;
  } while (!budget.spent(++elapsed.rounds, elapsed.nanoseconds));
  word.store(stop, std::memory_order_release);
  other.join();
  return elapsed;
}

Elapsed spin_ping_pong(const PingPong& work, Budget budget) {
  return four_transitions(work, budget, spin_until, [](std::atomic<std::uint32_t>&) {});
}

}  // namespace tenter::bench
