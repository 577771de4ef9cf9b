// The raw peers of a group dispatch: rank 0 broadcasts a request, every rank gathers an answer to it. No ports, no events.
#pragma once
#include <mpi.h>

#include <cstddef>

#include "bench/raw/budget.hpp"

namespace tenter::bench {

// Both are collective over `group`; rank 0's budget counts, its clock decides, and every rank returns the same number of
// rounds. The first byte of the request says whether it is the last. request_bytes and reply_bytes (a rank) are >= 1.

// Blocking MPI_Bcast and MPI_Gather. MPICH's waits never yield the core.
Elapsed mpi_dispatch_plain(MPI_Comm group, std::size_t request_bytes, std::size_t reply_bytes, Budget budget);

// MPI_Ibcast and MPI_Igather, each tested with a sched_yield between tests: the best a program without a doorbell can do.
Elapsed mpi_dispatch_yielding(MPI_Comm group, std::size_t request_bytes, std::size_t reply_bytes, Budget budget);

}  // namespace tenter::bench
