// One number of every rank, and the largest of them on every rank.
#pragma once
#include <mpi.h>

#include <cstdint>
#include <string>

#include "core/error.hpp"
#include "hw/mpi/environment.hpp"

namespace tenter::hw {

// Collective over the world; yields between tests, on the thread that makes the calls of MPI. Errors: failed.
inline Result<std::uint64_t> mpi_maximum(std::uint64_t own) {
  std::uint64_t largest = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_Iallreduce(&own, &largest, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD, &request);
  if (code == MPI_SUCCESS) code = mpi_wait_yielding(request);
  if (code != MPI_SUCCESS) return error(Status::failed, "MPI_Iallreduce: " + mpi_error_text(code), code);
  return largest;
}

}  // namespace tenter::hw
