// One raw request over a shared page with the same four state transitions and copies as the mailbox:
//
//   caller  IDLE -> READY      copies the request in, store-release, wake
//   child   READY -> ACCEPTED  copies the request out, compare-exchange (nobody waits for it: no wake)
//   child   ACCEPTED -> DONE   copies the answer in, compare-exchange, wake
//   caller  DONE -> IDLE       copies the answer out, store-release (no wake)
#pragma once
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "bench/raw/budget.hpp"

namespace tenter::bench {

struct PingPong {
  std::size_t request_bytes = 64;
  std::size_t reply_bytes = 64;
  int caller_cpu = -1;  // pinned there; -1: left to the scheduler
  int child_cpu = -1;
  std::uint64_t warm_up = 0;                       // rounds before the clock starts: the child's birth is no round trip
  std::vector<std::uint32_t>* round_ns = nullptr;  // gets the duration of every measured round, ns
};

inline void pin_to(int cpu) {
  if (cpu < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(cpu), &set);
  sched_setaffinity(0, sizeof(set), &set);
}

enum RawState : std::uint32_t { idle, ready, accepted, done, stop };

// wait(word, one, other) returns the word's value, acquired, once it is one of the two; wake(word) wakes whoever waits on it.
// Forks the child, runs, ends it. rounds is 0 when the page or the child could not be made (errno says why).
template <class Wait, class Wake>
Elapsed four_transitions(const PingPong& work, Budget budget, Wait wait, Wake wake) {
  struct Page {
    alignas(64) std::atomic<std::uint32_t> word;
    alignas(64) std::byte areas[1];
  };
  const std::size_t bytes = sizeof(Page) + work.request_bytes + work.reply_bytes;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return {};
  Page& page = *static_cast<Page*>(memory);
  std::byte* const request = page.areas;
  std::byte* const reply = page.areas + work.request_bytes;
  std::vector<std::byte> own_request(work.request_bytes);
  std::vector<std::byte> own_reply(work.reply_bytes);

  const pid_t caller = getpid();
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != caller) _exit(1);
    pin_to(work.child_cpu);
    for (;;) {
      if (wait(page.word, ready, stop) == stop) _exit(0);
      std::memcpy(own_request.data(), request, work.request_bytes);
      std::uint32_t expected = ready;
      page.word.compare_exchange_strong(expected, accepted, std::memory_order_acq_rel);
      std::memcpy(reply, own_reply.data(), work.reply_bytes);
      expected = accepted;
      page.word.compare_exchange_strong(expected, done, std::memory_order_acq_rel);
      wake(page.word);
    }
  }
  Elapsed elapsed;
  if (child > 0) {
    cpu_set_t before;
    sched_getaffinity(0, sizeof(before), &before);
    pin_to(work.caller_cpu);
    std::int64_t start = monotonic_ns();
    for (std::uint64_t round = 0;; ++round) {
      if (round == work.warm_up) start = monotonic_ns(), elapsed = {};
      std::memcpy(request, own_request.data(), work.request_bytes);
      page.word.store(ready, std::memory_order_release);
      wake(page.word);
      wait(page.word, done, done);
      std::memcpy(own_reply.data(), reply, work.reply_bytes);
      page.word.store(idle, std::memory_order_release);
      const std::int64_t so_far = monotonic_ns() - start;
      if (round < work.warm_up) continue;
      if (work.round_ns) work.round_ns->push_back(static_cast<std::uint32_t>(so_far - elapsed.nanoseconds));
      elapsed.nanoseconds = so_far;
      if (budget.spent(++elapsed.rounds, so_far)) break;
    }
    page.word.store(stop, std::memory_order_release);
    wake(page.word);
    waitpid(child, nullptr, 0);
    sched_setaffinity(0, sizeof(before), &before);
  }
  munmap(memory, bytes);
  return elapsed;
}

}  // namespace tenter::bench
