// What a recording costs: two groups of four ranks in one run, one of them recorded, requests in adjacent slices. Run by
// scripts/bench recording.
#include <memory>

#include "bench/bench_group.hpp"
#include "bench/process_figures.hpp"
#include "bench/slices.hpp"

namespace {

using namespace tenter::bench;

// How fast a group is depends on where its processes came to lie: two that do the same differ by a tenth for as long as they
// live. So each side starts anew after so many slices.
constexpr int slices_of_a_group = 100;

// Started at its first slice, so that rows that were not chosen cost nothing.
Side requests(const GroupOptions& options) {
  auto group = std::make_shared<std::unique_ptr<BenchGroup>>();
  return {.slice =
              [group, options, left = 0](Budget budget, std::vector<std::uint32_t>& round_ns) mutable {
                if (left-- == 0) {
                  group->reset();
                  *group = BenchGroup::start(options);
                  left = slices_of_a_group - 1;
                }
                return *group ? (*group)->slice(budget, round_ns) : Elapsed{};
              },
          .other_cpu_ns = [group] { return *group ? cpu_ns_of((*group)->ranks()) : 0; }};
}

void add(Report& report, const char* name, std::size_t payload_bytes) {
  report.add({.name = name,
              .candidate = requests({.recorded = true, .payload_bytes = payload_bytes}),
              .peer = requests({.payload_bytes = payload_bytes}),
              .peer_name = "not recorded",
              .unit = "request",
              .most_ratio = 1.05});
}

}  // namespace

int main(int argc, char** argv) {
  if (int code = 0; served_as_member(argc, argv, code)) return code;
  Report report("recording");
  add(report, "recording/4_ranks/64_bytes", 64);
  add(report, "recording/4_ranks/4096_bytes", 4096);
  return report.run(argc, argv);
}
