#include "hw/os/yield.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>

namespace tenter::hw {
namespace {

long switches_of_this_thread() {
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return 0;
  return usage.ru_nvcsw + usage.ru_nivcsw;
}

// How many of this thread's yields were switches, while another thread is always ready on the same CPU. Counted, not timed: what
// else runs there only adds to those that a yield can make way for.
bool most_yields_switch() {
  constexpr int enough = 64;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
  const long before = switches_of_this_thread();
  int yields = 0;
  while (yields < enough && std::chrono::steady_clock::now() < deadline) {
    sched_yield();
    ++yields;
  }
  return 2 * (switches_of_this_thread() - before) > yields;
}

bool ask_the_kernel() {
  cpu_set_t all, one;
  const int cpu = sched_getcpu();
  if (cpu < 0 || sched_getaffinity(0, sizeof all, &all) != 0) return false;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(cpu), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) return false;
  bool answer = false;
  std::atomic<bool> runs{false}, over{false};
  try {
    std::thread other([&] {  // inherits the one CPU
      runs.store(true);
      while (!over.load()) sched_yield();
    });
    while (!runs.load()) sched_yield();
    answer = most_yields_switch();
    over.store(true);
    other.join();
  } catch (const std::system_error&) {  // no thread: not asked
  }
  sched_setaffinity(0, sizeof all, &all);
  return answer;
}

}  // namespace

bool yield_makes_way() {
  static const bool answer = ask_the_kernel();
  return answer;
}

}  // namespace tenter::hw
