// Runs the cases in every rank of one mpiexec. Rank 0 alone speaks for the run: its exit code is 1 when a case failed on any
// rank; the other ranks print their failures with their number and end 0.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "hw/mpi/environment.hpp"
#include "hw/mpi/large_buffers.hpp"
#include "tests/mpi/mpi_world.hpp"

namespace {

class RankPrinter : public ::testing::EmptyTestEventListener {
 public:
  explicit RankPrinter(unsigned rank) : rank_(rank) {}

 private:
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (result.failed())
      std::fprintf(stderr, "[rank %u] %s:%d: %s\n", rank_, result.file_name() ? result.file_name() : "?", result.line_number(),
                   result.summary());
  }
  unsigned rank_;
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tenter::hw::keep_large_buffers();
  tenter::hw::MpiOptions options;
  options.thread_level = MPI_THREAD_SERIALIZED;  // of Comm; one thread makes all calls here
  if (argc > 1) options.expected_world = static_cast<std::uint32_t>(std::atoi(argv[1]));
  auto environment = tenter::hw::MpiEnvironment::open(options);
  if (!environment.has_value()) {
    std::fprintf(stderr, "%s\n", environment.error().what.c_str());
    return 2;
  }
  const unsigned rank = number(environment->rank());
  alarm(240);  // a rank that waits for ever ends the group
  if (rank != 0) {
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new RankPrinter(rank));
  }
  tenter::hw::MpiWorld::environment = &*environment;
  const int failed_here = RUN_ALL_TESTS() != 0 ? 1 : 0;
  const std::string held = tenter::hw::Resources::held_text();
  if (!held.empty()) std::fprintf(stderr, "[rank %u] still held at the end: %s\n", rank, held.c_str());
  if (tenter::hw::MpiEnvironment::abandoned()) tenter::hw::MpiEnvironment::leave(1);
  const int own = failed_here != 0 || !held.empty() ? 1 : 0;
  int anywhere = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&own, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
  tenter::hw::mpi_wait_yielding(request);
  return rank == 0 ? anywhere : 0;
}
