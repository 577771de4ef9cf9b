// What an error of MPI says of the other side.
#pragma once
#include <mpi.h>

#include "core/names.hpp"

namespace tenter::hw {

inline int mpi_error_class(int code) {
  int error_class = MPI_ERR_OTHER;
  MPI_Error_class(code, &error_class);
  return error_class;
}

// peer_lost only where the library says that a process is gone; else failed.
inline Status status_of_mpi(int code) {
#ifdef MPIX_ERR_PROC_FAILED
  if (mpi_error_class(code) == MPIX_ERR_PROC_FAILED) return Status::peer_lost;
#endif
  return Status::failed;
}

}  // namespace tenter::hw
