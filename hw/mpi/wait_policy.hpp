// How often a rank tests, how long it yields before it sleeps, and how long it sleeps when nobody rings: the judgement of the
// collective part, without MPI and without a clock, so that it can be tested.
//
// The yield budget is learnt a kind of collective: waits that ended soon are worth yielding for, waits that outlasted the
// budget are not. The safety net doubles from 1 ms to 50 ms and starts again only when something really moved, so that two
// waiting ranks cannot keep each other awake.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "core/names.hpp"
#include "hw/mpi/head_block.hpp"

namespace tenter::hw {

struct WaitLimits {
  Duration yield_least = microseconds(20);
  std::uint32_t tests_least = 16;  // a schedule of MPI's goes on a step a test: never yield or sleep before these
  Duration yield_most = microseconds(100);
  Duration yield_rung = microseconds(300);  // after a ring: what it announces is on its way, through other ranks that wake first
  Duration yield_bulk = milliseconds(2);    // a long transfer moves only while both sides test: at least this long,
  std::int64_t yield_bulk_ns_a_byte = 4;    // and as long as a transfer at 250 MB/s takes
  Duration net_first = milliseconds(1);
  Duration net_most = milliseconds(50);
};

// Where more processes than CPUs wait for each other and a yield makes no way for them (hw/os/yield.hpp), it is only spinning.
// Sleeping makes way.
inline WaitLimits crowded(WaitLimits limits) {
  limits.yield_least = limits.yield_most = limits.yield_rung = Duration{0};
  return limits;
}

class WaitPolicy {
 public:
  explicit WaitPolicy(WaitLimits limits) : limits_(limits), net_(limits.net_first) { budgets_.fill(limits.yield_most); }

  // A ring was heard: a peer did something for a collective of ours, so it is worth testing again for the whole budget.
  void rung(Time now) {
    stirred_ = now;
    tests_ = 0;
    expectant_ = true;
  }
  // Something moved: an operation was posted, went on or completed.
  void moved(Time now) {
    stirred_ = now;
    tests_ = 0;
    expectant_ = false;
    net_ = limits_.net_first;
    next_poke_ = limits_.net_first * 4;
    waiting_since_ = now;
  }
  void completed(CollectiveKind kind, Duration waited) {
    Duration& budget = budgets_[static_cast<std::size_t>(kind)];
    const bool soon = number(waited) <= number(limits_.yield_most);
    budget = soon ? limits_.yield_most : Duration{std::max(number(budget) / 2, number(limits_.yield_least))};
  }

  // Another test at once is due: something stirred, and there were too few since.
  bool owes_test() { return tests_ < limits_.tests_least && ++tests_ > 0; }
  // bulk_bytes: that this rank has to send or receive beyond the head; 0 while there is only the head.
  bool yields(Time now, CollectiveKind kind, std::uint64_t bulk_bytes) const {
    const Duration learnt = expectant_ ? limits_.yield_rung : budgets_[static_cast<std::size_t>(kind)];
    const Duration budget = bulk_bytes > 0 ? bulk_budget(bulk_bytes) : learnt;
    return number(now - stirred_) < number(budget);
  }
  Duration net() const { return net_; }
  Time waiting_since() const { return waiting_since_; }
  // The net caught: nobody rang for its whole length. True when the others should be poked: a transfer may need their
  // progress (ever more rarely, so that a group that waits for a late rank comes to rest).
  bool net_caught(Time now, std::uint64_t bulk_bytes) {
    net_ = Duration{std::min(number(net_) * 2, number(limits_.net_most))};
    if (bulk_bytes > 0) stirred_ = now + limits_.yield_most + bulk_budget(bulk_bytes) * -1;  // a short look
    if (number(now - waiting_since_) < number(next_poke_)) return false;
    next_poke_ = next_poke_ * 2;
    return true;
  }

 private:
  Duration bulk_budget(std::uint64_t bytes) const {
    return limits_.yield_bulk + Duration{limits_.yield_bulk_ns_a_byte * static_cast<std::int64_t>(bytes)};
  }

  WaitLimits limits_;
  std::array<Duration, static_cast<std::size_t>(CollectiveKind::count_)> budgets_{};
  std::uint32_t tests_ = 0;  // since then
  bool expectant_ = false;   // the last stir was a ring
  Time stirred_{};           // last time that testing was worth while
  Time waiting_since_{};     // last time that something moved
  Duration net_{};           // length of the next sleep without a ring
  Duration next_poke_ = milliseconds(4);
};

}  // namespace tenter::hw
