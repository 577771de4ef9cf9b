// A parent and a rank 0 as two processes with the real Channel and Dispatcher over a real page; a round trip is one request of
// the parent. The rank lives as long as the pair and sleeps between slices.
#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "bench/raw/four_transitions.hpp"

namespace tenter::bench {

struct PairOptions {
  PingPong work;                 // sizes, placement, warm-up rounds of each slice
  bool busy = false;             // both poll for ever during a slice; else the loop's own choice of spinning and sleeping
  bool pinned_at_birth = false;  // before the loops are made, so that they can see their CPUs; else afterwards
};

class MailboxPair {
 public:
  // Null when the page, the rank or the group could not be made; the cause was printed.
  static std::unique_ptr<MailboxPair> start(const PairOptions& options);
  ~MailboxPair();  // SHUTDOWN, then reaps the rank
  MailboxPair(const MailboxPair&) = delete;
  MailboxPair& operator=(const MailboxPair&) = delete;

  // 0 rounds when an answer was not ok.
  Elapsed slice(Budget budget, std::vector<std::uint32_t>& round_ns);
  std::int64_t rank_cpu_ns() const;

 private:
  struct Parent;
  explicit MailboxPair(const PairOptions& options);
  bool round_trip();

  PairOptions options_;
  std::atomic<std::uint32_t>* mode_ = nullptr;  // shared with the rank: what its loop does
  pid_t rank_ = -1;
  std::unique_ptr<Parent> parent_;
};

}  // namespace tenter::bench
