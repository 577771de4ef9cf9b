#include "bench/raw/mpi_echo.hpp"

#include <sched.h>

namespace tenter::bench {
namespace {

constexpr int request_tag = 1, answer_tag = 2;

}  // namespace

MpiEcho::MpiEcho(std::size_t bytes_max, bool crowded) : crowded_(crowded), bytes_(bytes_max) {
  MPI_Comm_dup(MPI_COMM_WORLD, &world_);
  MPI_Comm_rank(world_, &rank_);
  MPI_Comm_size(world_, &ranks_);
  if (rank_ != 0) MPI_Irecv(bytes_.data(), static_cast<int>(bytes_.size()), MPI_BYTE, 0, request_tag, world_, &coming_);
}

MpiEcho::~MpiEcho() {
  if (coming_ != MPI_REQUEST_NULL) MPI_Wait(&coming_, MPI_STATUS_IGNORE);
  MPI_Comm_free(&world_);
}

void MpiEcho::wait_all(std::vector<MPI_Request>& requests) const {
  int done = 0;
  while (MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE) == MPI_SUCCESS && done == 0)
    if (crowded_) sched_yield();
}

void MpiEcho::round(std::size_t bytes, int window) {
  const int count = static_cast<int>(bytes);
  answers_.resize(static_cast<std::size_t>((ranks_ - 1) * window));
  std::vector<MPI_Request> requests;
  requests.reserve(2 * answers_.size());
  std::size_t next = 0;
  for (int rank = 1; rank < ranks_; ++rank)
    for (int i = 0; i < window; ++i) {
      answers_[next].resize(bytes);
      MPI_Irecv(answers_[next].data(), count, MPI_BYTE, rank, answer_tag, world_, &requests.emplace_back());
      MPI_Isend(bytes_.data(), count, MPI_BYTE, rank, request_tag, world_, &requests.emplace_back());
      ++next;
    }
  wait_all(requests);
}

void MpiEcho::end() {
  for (int rank = 1; rank < ranks_; ++rank) MPI_Send(nullptr, 0, MPI_BYTE, rank, request_tag, world_);
}

void MpiEcho::serve_once() {
  int done = 0;
  MPI_Status status;
  MPI_Test(&coming_, &done, &status);
  if (done == 0) {
    if (crowded_) sched_yield();
    return;
  }
  int count = 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  std::vector<MPI_Request> answer(1);
  MPI_Isend(bytes_.data(), count, MPI_BYTE, 0, answer_tag, world_, answer.data());
  wait_all(answer);
  MPI_Irecv(bytes_.data(), static_cast<int>(bytes_.size()), MPI_BYTE, 0, request_tag, world_, &coming_);
}

}  // namespace tenter::bench
