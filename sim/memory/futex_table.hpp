// Who sleeps on which word of a page, first in, first out. The comparison before falling asleep is PageMemory's.
#pragma once
#include <cstdint>
#include <vector>

#include "core/describe.hpp"
#include "core/names.hpp"

namespace tenter::sim {

using Agent = std::uint32_t;   // one mapping of the page: a process, a small number
using Waiter = std::uint64_t;  // one wait; the caller chooses the number

// shared: keyed by page and offset, meets across processes. process: the private flag; keyed by the process, never meets another
// process (measured, spec/cases.md M6). A bug on a shared page, never a fault.
enum class FutexScope : std::uint8_t { shared, process };

constexpr const char* to_string(FutexScope scope) { return scope == FutexScope::shared ? "shared" : "process"; }

struct Sleeper {
  Agent agent = 0;
  Waiter waiter = 0;
  Word word{};
  FutexScope scope = FutexScope::shared;
  friend bool operator==(const Sleeper&, const Sleeper&) = default;
  TENTER_DESCRIBE(sleeper, agent, waiter, word, scope)
};

class FutexTable {
 public:
  static constexpr std::uint32_t all = 0xFFFFFFFFu;

  void sleep(const Sleeper& sleeper) { sleepers_.push_back(sleeper); }

  // At most `count` waiters of the word, in the order in which they fell asleep; they sleep no more.
  std::vector<Waiter> wake(Agent agent, Word word, FutexScope scope, std::uint32_t count) {
    std::vector<Waiter> woken;
    if (sleepers_.empty()) return woken;
    std::erase_if(sleepers_, [&](const Sleeper& sleeper) {
      const bool same_key =
          sleeper.word == word && sleeper.scope == scope && (scope == FutexScope::shared || sleeper.agent == agent);
      if (!same_key || woken.size() >= count) return false;
      woken.push_back(sleeper.waiter);
      return true;
    });
    return woken;
  }

  // The waiter comes back without a wake: a spurious return, a signal, a time-out, or nobody wants to know any more. False: it
  // did not sleep.
  bool cancel(Waiter waiter) {
    return std::erase_if(sleepers_, [&](const Sleeper& sleeper) { return sleeper.waiter == waiter; }) > 0;
  }
  void remove(Agent agent) {
    std::erase_if(sleepers_, [&](const Sleeper& sleeper) { return sleeper.agent == agent; });
  }

  const std::vector<Sleeper>& sleepers() const { return sleepers_; }

  friend bool operator==(const FutexTable&, const FutexTable&) = default;
  TENTER_DESCRIBE(futex_table, sleepers_)

 private:
  std::vector<Sleeper> sleepers_;
};

}  // namespace tenter::sim
