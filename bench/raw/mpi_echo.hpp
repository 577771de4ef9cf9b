// The raw peer of tasks: messages to the other ranks and the same bytes back, without frames, credit or beats.
#pragma once
#include <mpi.h>

#include <cstddef>
#include <vector>

namespace tenter::bench {

class MpiEcho {
 public:
  // Collective. crowded: more ranks than CPUs, so who waits yields between two tests.
  MpiEcho(std::size_t bytes_max, bool crowded);
  MpiEcho(const MpiEcho&) = delete;
  MpiEcho& operator=(const MpiEcho&) = delete;
  ~MpiEcho();  // collective; rank 0 has said the last word: end()

  // Rank 0: `window` messages of `bytes` to every other rank, and all their answers.
  void round(std::size_t bytes, int window);
  void end();
  // The others: one look; what came is sent back.
  void serve_once();

 private:
  void wait_all(std::vector<MPI_Request>& requests) const;

  MPI_Comm world_ = MPI_COMM_NULL;
  int rank_ = 0, ranks_ = 0;
  bool crowded_;
  std::vector<std::byte> bytes_;
  std::vector<std::vector<std::byte>> answers_;
  MPI_Request coming_ = MPI_REQUEST_NULL;  // of the others: the receive that waits
};

}  // namespace tenter::bench
