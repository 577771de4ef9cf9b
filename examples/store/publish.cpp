// The core job of the example: every rank makes its share of the samples and publishes them in a directory.
//
//   mkdir -m 700 D; mpiexec -n 2 store_publish D        serves until ^C
//
// Its other half is read.cpp, a job of its own.
#include <csignal>
#include <cstdio>
#include <span>
#include <vector>

#include "examples/store/samples.hpp"
#include "hw/mpi/doorbell.hpp"
#include "hw/mpi/environment.hpp"
#include "hw/store/store_publisher.hpp"

namespace {

using namespace tenter;

constexpr std::uint64_t rows_of_a_rank = 10'000;
hw::StorePublisher* serving = nullptr;
volatile std::sig_atomic_t interrupted = 0;

void on_interrupt(int) {
  interrupted = 1;
  if (serving != nullptr) serving->nudge();  // wakes the loop; may be called from a signal handler
}

Result<void> publish(const char* directory, const hw::MpiEnvironment& environment, hw::Doorbell& doorbell) {
  hw::StorePublisherOptions options;
  options.directory = directory;
  options.job = "store example";
  auto store = hw::StorePublisher::open(options, environment, doorbell);
  if (!store) return tl::unexpected(store.error());

  std::vector<samples::Sample> rows;
  const std::uint64_t first = number(environment.rank()) * rows_of_a_rank;
  for (std::uint64_t row = 0; row < rows_of_a_rank; ++row) rows.push_back(samples::sample(first + row));
  const MutableBytes bytes = std::as_writable_bytes(std::span(rows));
  if (auto added = (*store)->add({samples::variable, store::DType::float32, {samples::features + 1}, rows_of_a_rank, bytes});
      !added)
    return added;

  serving = store->get();
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  if (number(environment.rank()) == 0) std::printf("serving %s; ^C ends it\n", samples::variable), std::fflush(stdout);
  (*store)->serve([] { return interrupted != 0; });
  return (*store)->close(seconds(30));  // readers may read on for so long
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: mpiexec -n RANKS store_publish DIRECTORY\n"), 64;
  auto environment = hw::MpiEnvironment::open({0, MPI_THREAD_FUNNELED});
  if (!environment) return std::fprintf(stderr, "store_publish: %s\n", environment.error().what.c_str()), 64;
  auto doorbell = hw::Doorbell::open(*environment);
  const auto done = doorbell ? publish(argv[1], *environment, *doorbell) : tl::unexpected(doorbell.error());
  if (done) return 0;
  std::fprintf(stderr, "store_publish: rank %u: %s\n", number(environment->rank()), done.error().what.c_str());
  hw::MpiEnvironment::leave(1);  // the other ranks must not wait for this one
}
