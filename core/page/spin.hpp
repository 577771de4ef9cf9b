// How long to spin before parking, as a value without a clock: it is told how long the last waits took, in spins, and answers a
// budget for the next one. Spinning pays when the answer usually comes sooner than a sleep and a wake would cost; on one CPU it
// never does, because the peer cannot run meanwhile (a fixed 20 us spin cost 3.8 times the futex there, spec/performance.md).
#pragma once
#include <algorithm>
#include <cstdint>

#include "core/describe.hpp"

namespace tenter::page {

class SpinBudget {
 public:
  // limit: spins that cost about as much as one sleep and wake; 0 switches spinning off. cpus: on which this process may run.
  constexpr SpinBudget(std::uint32_t limit, std::uint32_t cpus) : limit_(cpus > 1 ? limit : 0), typical_(limit_ / 4) {}

  // Spins to try before the next park; 0: park at once.
  constexpr std::uint32_t spins() const {
    if (limit_ == 0 || trust_ < enough) return 0;
    return std::min(limit_, 2 * typical_ + least);
  }

  // The last wait would have ended after `spins` spins. A wait that ended in a park is reported by its length divided by the
  // cost of a spin.
  constexpr void waited(std::uint64_t spins) {
    if (limit_ == 0) return;
    if (spins > limit_) {
      trust_ /= 2;
      return;
    }
    trust_ = std::min(trust_ + 1, most);
    typical_ = static_cast<std::uint32_t>((7 * std::uint64_t{typical_} + spins + 7) / 8);
  }

  friend bool operator==(const SpinBudget&, const SpinBudget&) = default;
  TENTER_DESCRIBE(spin_budget, limit_, typical_, trust_)

 private:
  static constexpr std::uint32_t least = 16;  // a budget smaller than this is noise
  static constexpr std::uint32_t enough = 4, most = 16;

  std::uint32_t limit_ = 0;
  std::uint32_t typical_ = 0;     // moving mean of the waits that were short enough
  std::uint32_t trust_ = enough;  // short waits lately: +1 each, halved by each long one
};

}  // namespace tenter::page
