// The conformance World of one MPI process: its own rank, a doorbell and a collective part, driven by a small loop.
#pragma once
#include <sched.h>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "core/action.hpp"
#include "hw/mpi/collective_part.hpp"
#include "hw/mpi/doorbell.hpp"
#include "hw/mpi/environment.hpp"
#include "hw/part.hpp"
#include "hw/resource.hpp"

namespace tenter::hw {

class MpiWorld {
 public:
  // Set by main before the first case; shared by all cases of the process.
  static inline const MpiEnvironment* environment = nullptr;

  explicit MpiWorld(CollectiveLimits limits = small_limit())
      : doorbell_(require(Doorbell::open(*environment))),
        part_(context_, *environment, doorbell_, limits),
        limits_(limits),
        at_start_(counted()) {}

  static CollectiveLimits small_limit() {
    CollectiveLimits limits;
    limits.payload_bytes_max = 16u << 20;
    return limits;
  }

  std::uint32_t size() const { return environment->size(); }
  Rank self() const { return environment->rank(); }
  std::vector<Rank> local() const { return {self()}; }
  std::size_t bcast_block() const { return limits_.bcast_block_bytes - HeadBlock::header_bytes; }
  std::size_t gather_block() const { return limits_.gather_block_bytes - HeadBlock::header_bytes; }
  std::uint64_t payload_limit() const { return limits_.payload_bytes_max; }
  std::vector<event::CollectiveDone>& events(Rank) { return events_; }
  std::size_t held() const { return static_cast<std::size_t>(counted() - at_start_); }
  CollectivePart& part() { return part_; }
  Doorbell& doorbell() { return doorbell_; }

  void perform(Rank, Action action) {
    std::visit(
        [this](const auto& a) {
          if constexpr (requires(CollectivePart & part) { part.perform(a); }) part_.perform(a);
        },
        action);
  }
  bool run(std::size_t count) {
    const Time deadline = now() + seconds(60);
    while (events_.size() < count && number(now()) < number(deadline)) turn(deadline);
    return events_.size() >= count;
  }
  // Long enough for the others to have gone to sleep on their doorbells.
  void settle() {
    const Time until = now() + milliseconds(8);
    while (number(now()) < number(until)) turn(until);
  }
  void hold() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    mpi_wait_yielding(request);
  }

  // One turn of a loop: test, collect events, else sleep as the part says, at most until `deadline`.
  void turn(Time deadline) {
    part_.poll();
    collect();
    if (moved_) return;
    waits_.clear();
    part_.add_waits(waits_);
    if (number(waits_.poll_again) == 0) return void(sched_yield());
    rest(waits_, deadline);
  }

  // As the waits say, at most until `deadline`.
  static void rest(const WaitSet& waits, Time deadline) {
    Time wake = deadline;
    if (number(waits.poll_again) > 0) wake = std::min(wake, now() + waits.poll_again);
    const timespec at{number(wake) / 1'000'000'000, number(wake) % 1'000'000'000};
    static std::atomic<std::uint32_t> nobody{0};  // where there is nothing to be rung by
    const FutexWait futex = waits.futexes.empty() ? FutexWait{&nobody, 0, false} : waits.futexes.front();
    syscall(SYS_futex, futex.address, FUTEX_WAIT_BITSET, futex.expected, &at, nullptr, FUTEX_BITSET_MATCH_ANY);
  }

  static Doorbell require(Result<Doorbell> doorbell) {
    if (doorbell.has_value()) return std::move(*doorbell);
    std::fprintf(stderr, "%s\n", doorbell.error().what.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
  }

 private:
  static std::int64_t counted() { return Resources::held(Resource::communicator) + Resources::held(Resource::request); }
  void collect() {
    moved_ = !context_.inbox.empty();
    while (!context_.inbox.empty()) {
      Delivery delivery = context_.inbox.take_front();
      if (auto* done = std::get_if<event::CollectiveDone>(&delivery.event)) events_.push_back(std::move(*done));
    }
  }

  Context context_{nullptr, environment->size() > usable_cpus()};
  Doorbell doorbell_;
  CollectivePart part_;
  CollectiveLimits limits_;
  WaitSet waits_;
  std::vector<event::CollectiveDone> events_;
  bool moved_ = false;
  std::int64_t at_start_ = 0;
};

}  // namespace tenter::hw
