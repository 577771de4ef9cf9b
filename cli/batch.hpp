// Many seeds over several processes: each worker runs every j-th seed and sends fixed-size results through a pipe, so the outcome
// is the same for any number of workers.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/run.hpp"

namespace tenter::cli {

struct BatchOptions {
  std::uint64_t first_seed = 1;
  std::uint64_t count = 1;
  unsigned workers = 1;
  bool keep_going = false;  // do not stop at the first failure
  double seconds_max = 0;   // 0: no limit
};

struct BatchProgress {
  std::uint64_t done = 0, failed = 0, unknown = 0, events = 0;
};

struct BatchResult {
  std::uint64_t seeds = 0, unknown = 0, events = 0, doubled = 0;
  std::uint64_t digest = 0;                                     // over the digests in seed order
  std::uint64_t file_operations = 0, file_operations_most = 0;  // in all, and of the run that had most
  std::vector<std::uint64_t> failed;                            // seeds, ascending
  std::vector<std::uint64_t> mismatched;
  std::vector<std::uint64_t> unknown_seeds;
  std::vector<std::uint64_t> seen;  // by property: runs in which it was seen
  double wall_seconds = 0;
  bool interrupted = false;
};

// `progress` is called a few times a second; false ends the batch early. Throws std::runtime_error when a worker cannot be
// started or ends badly (the text has the seed that it was at, and the cause); a violated property is a result and no exception.
BatchResult run_batch(const sim::Subject& subject, const BatchOptions& options,
                      const std::function<bool(const BatchProgress&)>& progress);

}  // namespace tenter::cli
