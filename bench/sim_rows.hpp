// The rows of sim_bench, a group a file.
#pragma once
#include "bench/slices.hpp"

namespace tenter::bench {

// The queue with a trivial handler, beside std::priority_queue of closures.
void add_queue_rows(Report& report);

// Executions of a three-thread page kernel under each memory model.
void add_page_kernel_rows(Report& report);

// Whole runs with properties, digest and choices; worlds that are set up and not run.
void add_world_rows(Report& report);

// Calls `batch` until the budget is spent; it answers how many rounds it made.
template <class Batch>
Elapsed repeat(Budget budget, Batch&& batch) {
  Elapsed elapsed;
  const std::int64_t start = monotonic_ns();
  do {
    elapsed.rounds += batch();
    elapsed.nanoseconds = monotonic_ns() - start;
  } while (!budget.spent(elapsed.rounds, elapsed.nanoseconds));
  return elapsed;
}

}  // namespace tenter::bench
