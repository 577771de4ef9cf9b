// Gets of the store by method window beside raw MPI_Get, between two ranks of one job: `scripts/bench window`, which starts
// `mpiexec -n 2 window_bench [--pairs N] [--slice-ms N] [--json FILE] [Google Benchmark's options]`.
//
// Rank 1 has the rows and the raw window's bytes. It serves whichever side is measured: our reads in the store's loop, which
// sleeps until it is rung, the raw ones by calling MPI again and again.
#include <string>

#include "bench/raw/mpi_gets.hpp"
#include "bench/shared_turn.hpp"
#include "bench/slices.hpp"
#include "bench/store_variables.hpp"
#include "hw/mpi/doorbell.hpp"
#include "hw/mpi/environment.hpp"

namespace {

using namespace tenter;
using namespace tenter::bench;

constexpr Rank owner{1};
constexpr std::uint32_t serves_store = 0, serves_raw = 1, is_over = 2;

struct Ranks {
  hw::StorePublisher& store;
  hw::Doorbell& doorbell;
  MpiGets& raw;
  SharedTurn& turn;
  StoreGets gets{};

  void give(std::uint32_t to) {
    if (turn.give(to) != to) doorbell.ring(owner, hw::Doorbell::Awaited::any());
  }
  bool get(const StoreWork& work) {
    return gets.one(work, [&](const std::string& variable, const auto& ranges, MutableBytes into) {
      return store.get(variable, ranges, into, store_patience);
    });
  }
};

void serve(Ranks& ranks) {
  while (true) {
    const std::uint32_t now = ranks.turn.now();
    if (now == is_over) return;
    if (now == serves_store)
      ranks.store.serve([&] { return ranks.turn.now() != serves_store; });
    else
      MpiGets::serve_once();
  }
}

void add_row(Report& report, Ranks& ranks, const std::string& name, const StoreWork& work, const MpiGetWork& raw) {
  const auto owner_cpu = [&ranks] { return ranks.turn.cpu_ns_of_others(); };
  report.add({.name = name + "/window",
              .candidate = {.slice =
                                [&ranks, work](Budget budget, std::vector<std::uint32_t>& round_ns) {
                                  ranks.give(serves_store);
                                  if (!ranks.get(work)) return Elapsed{};
                                  return run_rounds(budget, &round_ns, [&] { return ranks.get(work); });
                                },
                            .other_cpu_ns = owner_cpu},
              .peer = {.slice =
                           [&ranks, raw](Budget budget, std::vector<std::uint32_t>& round_ns) {
                             ranks.give(serves_raw);
                             return ranks.raw.slice(raw, budget, round_ns);
                           },
                       .other_cpu_ns = owner_cpu},
              .peer_name = "raw MPI_Get",
              .unit = "get",
              .most_ratio = 1.25});
}

int measure(Ranks& ranks, int argc, char** argv) {
  Report report("window");
  add_row(report, ranks, "get/64", {.variable = "rows-64"}, {.bytes = 64});
  add_row(report, ranks, "get/4096", {.variable = "rows-4096"}, {.bytes = 4096});
  add_row(report, ranks, "batch/64x4096", {.variable = "rows-4096", .rows = 64, .scattered = true},
          {.bytes = 4096, .gets = 64, .stride = 1'009 * 4096});
  add_row(report, ranks, "bandwidth/1048576", {.variable = "rows-1048576"}, {.bytes = 1 << 20});
  const int code = report.run(argc, argv);
  ranks.give(is_over);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  auto environment = hw::MpiEnvironment::open({2, MPI_THREAD_FUNNELED});
  if (!environment) return store_failed("start with mpiexec -n 2", environment.error().what), 70;
  auto doorbell = hw::Doorbell::open(*environment);
  if (!doorbell) return store_failed("doorbell", doorbell.error().what), 70;
  const bool owns = environment->rank() == owner;
  SharedTurn turn;
  MpiGets raw(static_cast<int>(number(owner)), store_variable_bytes);
  hw::StorePublisherOptions options;
  options.method = store::Method::window;
  auto store = hw::StorePublisher::open(options, *environment, *doorbell);
  if (!store) return store_failed("open", store.error().what), 70;
  if (!add_store_variables(**store, owns)) return 70;
  Ranks ranks{**store, *doorbell, raw, turn};
  int code = 0;
  if (owns)
    serve(ranks);
  else
    code = measure(ranks, argc, argv);
  if (auto closed = (*store)->close({}); !closed) return store_failed("close", closed.error().what), 70;
  return code;
}
