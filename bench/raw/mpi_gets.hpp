// The raw peer of a read through a window: MPI_Get and MPI_Win_flush under MPI_Win_lock_all.
#pragma once
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/raw/budget.hpp"

namespace tenter::bench {

struct MpiGetWork {
  std::size_t bytes = 64;  // of one MPI_Get
  std::size_t gets = 1;    // of one round, flushed together
  std::size_t stride = 0;  // between their places; 0: they adjoin
};

// A window of the world; `owner` has the bytes.
class MpiGets {
 public:
  MpiGets(int owner, std::size_t bytes);  // collective
  MpiGets(const MpiGets&) = delete;
  MpiGets& operator=(const MpiGets&) = delete;
  ~MpiGets();  // collective

  Elapsed slice(const MpiGetWork& work, Budget budget, std::vector<std::uint32_t>& round_ns);
  // One call of MPI: MPICH serves a get only inside calls of the owner's.
  static void serve_once();

 private:
  bool round(const MpiGetWork& work);

  int owner_;
  std::size_t bytes_, next_ = 0;
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<std::byte> landing_;
};

}  // namespace tenter::bench
