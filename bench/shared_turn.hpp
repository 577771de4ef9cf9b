// What the ranks of a benchmark world do now, in memory of all of them: rank 0 measures and says it, the others do it.
#pragma once
#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "bench/process_figures.hpp"

namespace tenter::bench {

class SharedTurn {
 public:
  // Collective over the world, of one host and at most ranks_max.
  SharedTurn() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    void* own = nullptr;
    MPI_Win_allocate_shared(rank == 0 ? sizeof(Page) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window_);
    MPI_Aint bytes = 0;
    int unit = 0;
    void* first = nullptr;
    MPI_Win_shared_query(window_, 0, &bytes, &unit, &first);
    page_ = static_cast<Page*>(first);
    if (rank == 0) new (page_) Page{};
    MPI_Barrier(MPI_COMM_WORLD);
    page_->pids[rank].store(static_cast<std::uint64_t>(getpid()));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  SharedTurn(const SharedTurn&) = delete;
  SharedTurn& operator=(const SharedTurn&) = delete;
  ~SharedTurn() { MPI_Win_free(&window_); }  // collective

  std::uint32_t now() const { return page_->now.load(std::memory_order_acquire); }
  std::uint32_t give(std::uint32_t to) { return page_->now.exchange(to); }  // what it was
  std::int64_t cpu_ns_of_others() const {
    std::int64_t sum = 0;
    for (std::size_t rank = 1; rank < ranks_max; ++rank)
      if (const std::uint64_t pid = page_->pids[rank].load(); pid != 0) sum += cpu_ns_of(pid);
    return sum;
  }
  static constexpr std::size_t ranks_max = 64;

 private:
  struct Page {
    std::atomic<std::uint32_t> now;
    std::atomic<std::uint64_t> pids[ranks_max];
  };
  MPI_Win window_ = MPI_WIN_NULL;
  Page* page_ = nullptr;
};

}  // namespace tenter::bench
