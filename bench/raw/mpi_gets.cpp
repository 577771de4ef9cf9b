#include "bench/raw/mpi_gets.hpp"

#include <cstring>

namespace tenter::bench {

MpiGets::MpiGets(int owner, std::size_t bytes) : owner_(owner), bytes_(bytes) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto own = static_cast<MPI_Aint>(rank == owner ? bytes : 0);
  void* memory = nullptr;
  MPI_Win_allocate(own, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window_);
  if (own > 0) std::memset(memory, 7, bytes);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
}

MpiGets::~MpiGets() {
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

void MpiGets::serve_once() {
  int found = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

bool MpiGets::round(const MpiGetWork& work) {
  for (std::size_t i = 0; i < work.gets; ++i) {
    const int count = static_cast<int>(work.bytes);
    if (next_ + work.bytes > bytes_) next_ = 0;
    if (MPI_Get(landing_.data() + i * work.bytes, count, MPI_BYTE, owner_, static_cast<MPI_Aint>(next_), count, MPI_BYTE,
                window_) != MPI_SUCCESS)
      return false;
    next_ += work.stride == 0 ? work.bytes : work.stride;
  }
  return MPI_Win_flush(owner_, window_) == MPI_SUCCESS && landing_[0] == std::byte{7};
}

Elapsed MpiGets::slice(const MpiGetWork& work, Budget budget, std::vector<std::uint32_t>& round_ns) {
  landing_.resize(work.bytes * work.gets);
  if (!round(work)) return {};  // the owner is at it now
  return run_rounds(budget, &round_ns, [&] { return round(work); });
}

}  // namespace tenter::bench
