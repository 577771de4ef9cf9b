#include "bench/raw/mpi_dispatch.hpp"

#include <sched.h>

#include <vector>

namespace tenter::bench {
namespace {

void wait_yielding(MPI_Request request) {
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    sched_yield();
  }
}

template <class Round>
Elapsed run(MPI_Comm group, std::size_t request_bytes, std::size_t reply_bytes, Budget budget, Round round) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(group, &rank);
  MPI_Comm_size(group, &size);
  std::vector<char> request(request_bytes);
  std::vector<char> reply(reply_bytes);
  std::vector<char> replies(rank == 0 ? reply_bytes * static_cast<std::size_t>(size) : 0);
  Elapsed elapsed;
  const std::int64_t start = monotonic_ns();
  for (bool last = false; !last;) {
    if (rank == 0) request[0] = budget.spent(elapsed.rounds + 1, monotonic_ns() - start) ? 1 : 0;
    round(request, reply, replies);
    last = request[0] != 0;
    ++elapsed.rounds;
  }
  elapsed.nanoseconds = monotonic_ns() - start;
  return elapsed;
}

}  // namespace

Elapsed mpi_dispatch_plain(MPI_Comm group, std::size_t request_bytes, std::size_t reply_bytes, Budget budget) {
  return run(group, request_bytes, reply_bytes, budget, [&](auto& request, auto& reply, auto& replies) {
    MPI_Bcast(request.data(), static_cast<int>(request.size()), MPI_BYTE, 0, group);
    MPI_Gather(reply.data(), static_cast<int>(reply.size()), MPI_BYTE, replies.data(), static_cast<int>(reply.size()), MPI_BYTE,
               0, group);
  });
}

Elapsed mpi_dispatch_yielding(MPI_Comm group, std::size_t request_bytes, std::size_t reply_bytes, Budget budget) {
  return run(group, request_bytes, reply_bytes, budget, [&](auto& request, auto& reply, auto& replies) {
    MPI_Request posted = MPI_REQUEST_NULL;
    MPI_Ibcast(request.data(), static_cast<int>(request.size()), MPI_BYTE, 0, group, &posted);
    wait_yielding(posted);
    MPI_Igather(reply.data(), static_cast<int>(reply.size()), MPI_BYTE, replies.data(), static_cast<int>(reply.size()), MPI_BYTE,
                0, group, &posted);
    wait_yielding(posted);
  });
}

}  // namespace tenter::bench
