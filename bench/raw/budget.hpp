// How long a raw peer runs, and what it did.
#pragma once
#include <time.h>

#include <cstdint>
#include <vector>

namespace tenter::bench {

// Whichever is first; 0 means no limit of that kind, one of the two must be given.
struct Budget {
  std::uint64_t rounds = 0;
  std::int64_t nanoseconds = 0;
  bool spent(std::uint64_t done, std::int64_t elapsed_ns) const {
    return (rounds != 0 && done >= rounds) || (nanoseconds != 0 && elapsed_ns >= nanoseconds);
  }
};

struct Elapsed {
  std::uint64_t rounds = 0;
  std::int64_t nanoseconds = 0;
  double ns_a_round() const { return rounds == 0 ? 0 : static_cast<double>(nanoseconds) / static_cast<double>(rounds); }
};

inline std::int64_t monotonic_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

// Rounds until the budget is spent. round_ns: what each of them took, where it is wanted. Nothing when a round failed.
template <class Round>
Elapsed run_rounds(Budget budget, std::vector<std::uint32_t>* round_ns, Round&& round) {
  Elapsed elapsed;
  const std::int64_t start = monotonic_ns();
  while (true) {
    if (!round()) return {};
    const std::int64_t so_far = monotonic_ns() - start;
    if (round_ns != nullptr) round_ns->push_back(static_cast<std::uint32_t>(so_far - elapsed.nanoseconds));
    elapsed.nanoseconds = so_far;
    if (budget.spent(++elapsed.rounds, so_far)) return elapsed;
  }
}

}  // namespace tenter::bench
