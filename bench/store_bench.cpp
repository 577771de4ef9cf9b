// Gets of the store beside raw fi_read, between two processes: `scripts/bench store`.
//   store_bench [--pairs N] [--slice-ms N] [--json FILE] [Google Benchmark's options]   rows beside their raw peer
//   store_bench quiet [--idle-s S] [--gaps N] [--gets N] [--provider P]                 idle CPU, first get after idle, growth
#include <sched.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "bench/raw/fi_reads.hpp"
#include "bench/slices.hpp"
#include "bench/store_pair.hpp"
#include "bench/store_quiet.hpp"

namespace {

using namespace tenter::bench;

constexpr std::size_t region_bytes = std::size_t{16} << 20;

// Both sides of one provider. The raw owner is forked before this process calls libfabric; the job starts with its first slice.
struct Provider {
  std::string name;
  std::unique_ptr<FiReads> raw;
  std::unique_ptr<StorePair> pair;
  double depth_1_ratio;  // target
};

Side ours(Provider& provider, StoreWork work) {
  return {.slice =
              [&provider, work](Budget budget, std::vector<std::uint32_t>& round_ns) {
                if (!provider.pair) provider.pair = StorePair::start(provider.name);
                return provider.pair ? provider.pair->slice(work, budget, &round_ns) : Elapsed{};
              },
          .other_cpu_ns = [&provider] { return provider.pair ? provider.pair->publisher_cpu_ns() : 0; }};
}

Side raw(Provider& provider, FiReadWork work) {
  return {.slice =
              [&provider, work](Budget budget, std::vector<std::uint32_t>& round_ns) mutable {
                work.round_ns = &round_ns;
                const Elapsed elapsed = provider.raw->slice(work, budget);
                if (elapsed.rounds == 0) std::fprintf(stderr, "store: %s\n", provider.raw->error().c_str());
                return elapsed;
              },
          .other_cpu_ns = [&provider] { return provider.raw->owner_cpu_ns(); }};
}

void add_rows(Report& report, Provider& provider) {
  const auto row = [&](const std::string& name, StoreWork work, FiReadWork peer, const char* unit, double most_ratio) {
    report.add({.name = name + "/" + provider.name,
                .candidate = ours(provider, std::move(work)),
                .peer = raw(provider, peer),
                .peer_name = "raw fi_read",
                .unit = unit,
                .most_ratio = most_ratio});
  };
  row("get/64", {.variable = "rows-64"}, {.bytes = 64}, "get", provider.depth_1_ratio);
  row("get/4096", {.variable = "rows-4096"}, {.bytes = 4096}, "get", provider.depth_1_ratio);
  row("batch/64x4096", {.variable = "rows-4096", .rows = 64, .scattered = true},
      {.bytes = 4096, .depth = 64, .reads = 64, .stride = 1'009 * 4096}, "batch of 64 rows", 1.15);
  row("adjoining/64x4096", {.variable = "rows-4096", .rows = 64, .one_by_one = true}, {.bytes = 4096, .depth = 64, .reads = 64},
      "64 adjoining rows, asked for one by one", 0.5);
  row("bandwidth/1048576", {.variable = "rows-1048576"}, {.bytes = 1 << 20}, "get", 1 / 0.95);
  row("bandwidth/16777216", {.variable = "rows-16777216"}, {.bytes = 1 << 20, .depth = 16, .reads = 16}, "get", 1 / 0.95);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], "publish") == 0) return publish_rows(argv[2], argv[3]);
  if (argc > 1 && std::strcmp(argv[1], "quiet") == 0) return measure_quiet(argc - 1, argv + 1);
  Provider providers[] = {{"tcp;ofi_rxm", nullptr, nullptr, 1.1}, {"shm", nullptr, nullptr, 1.25}};
  Report report("store");
  for (Provider& provider : providers) {
    provider.raw = FiReads::fork_owner(provider.name, region_bytes);
    if (!provider.raw) return std::perror("fork"), 70;
    add_rows(report, provider);
  }
  return report.run(argc, argv);
}
