// The raw peer of a store's get: fi_read between two processes, as plain as libfabric lets it be. The owner's process looks at
// its completion queue without a pause while a slice of this peer runs, and sleeps on a futex otherwise; the reader spins.
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/raw/budget.hpp"

namespace tenter::bench {

struct FiReadWork {
  std::size_t bytes = 64;                          // of one fi_read
  std::size_t depth = 1;                           // reads posted before they are waited for
  std::size_t reads = 1;                           // of one round; more than depth: as one completes the next is posted
  std::size_t stride = 0;                          // between the places that are read, by turns over the whole region
  std::vector<std::uint32_t>* round_ns = nullptr;  // gets the duration of every round, ns
};

class FiReads {
 public:
  // Forks the owner's process, before this process has called libfabric. Null: no memory or process.
  static std::unique_ptr<FiReads> fork_owner(const std::string& provider, std::size_t region_bytes);
  ~FiReads();
  FiReads(const FiReads&) = delete;
  FiReads& operator=(const FiReads&) = delete;

  // 0 rounds when something failed; `error()` says what.
  Elapsed slice(const FiReadWork& work, Budget budget);
  std::int64_t owner_cpu_ns() const;
  const std::string& error() const { return error_; }

 private:
  struct Shared;
  struct Link;
  FiReads() = default;
  bool connect();
  bool round(const FiReadWork& work);

  std::string provider_, error_;
  std::size_t region_bytes_ = 0, next_ = 0;
  Shared* shared_ = nullptr;  // mapped by both processes
  pid_t owner_ = -1;
  std::unique_ptr<Link> link_;
};

}  // namespace tenter::bench
