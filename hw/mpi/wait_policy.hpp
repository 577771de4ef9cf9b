// How long a rank tests and yields before it sleeps, and how long it sleeps when nobody rings: the judgement of the collective
// part, without MPI and without a clock, so that it can be tested.
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
  Duration yield_most = microseconds(500);
  Duration yield_bulk = milliseconds(4);  // a long transfer moves only while both sides test
  Duration net_first = milliseconds(1);
  Duration net_most = milliseconds(50);
};

class WaitPolicy {
 public:
  explicit WaitPolicy(WaitLimits limits) : limits_(limits), net_(limits.net_first) { budgets_.fill(limits.yield_most); }

  // A collective was posted, a ring was heard: worth testing again for a while.
  void stirred(Time now) { stirred_ = now; }
  // Something moved: an operation was posted, went on or completed.
  void moved(Time now) {
    stirred_ = now;
    net_ = limits_.net_first;
    next_poke_ = limits_.net_first * 4;
    waiting_since_ = now;
  }
  void completed(CollectiveKind kind, Duration waited) {
    Duration& budget = budgets_[static_cast<std::size_t>(kind)];
    const bool soon = number(waited) <= number(limits_.yield_most);
    budget = soon ? limits_.yield_most : Duration{std::max(number(budget) / 2, number(limits_.yield_least))};
  }

  bool yields(Time now, CollectiveKind kind, bool bulk) const {
    const Duration budget = bulk ? limits_.yield_bulk : budgets_[static_cast<std::size_t>(kind)];
    return number(now - stirred_) < number(budget);
  }
  Duration net() const { return net_; }
  // The net caught: nobody rang for its whole length. True when the others should be poked: a transfer may need their
  // progress (ever more rarely, so that a group that waits for a late rank comes to rest).
  bool net_caught(Time now, bool bulk) {
    net_ = Duration{std::min(number(net_) * 2, number(limits_.net_most))};
    if (bulk) stirred_ = now + Duration{-number(limits_.yield_bulk) + number(limits_.yield_most)};
    if (number(now - waiting_since_) < number(next_poke_)) return false;
    next_poke_ = next_poke_ * 2;
    return true;
  }

 private:
  WaitLimits limits_;
  std::array<Duration, static_cast<std::size_t>(CollectiveKind::count_)> budgets_{};
  Time stirred_{};        // last time that testing was worth while
  Time waiting_since_{};  // last time that something moved
  Duration net_{};        // length of the next sleep without a ring
  Duration next_poke_ = milliseconds(4);
};

}  // namespace tenter::hw
