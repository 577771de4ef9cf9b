// What a group costs while nobody asks, how soon it answers after that, and whether it grows: `scripts/bench idle`.
//   idle_bench [--ranks N] [--idle-s S] [--gaps N] [--requests N] [--json FILE]    0 leaves a part out
// The gaps of three alternate: the group's, its raw peer's (BlockingGroup: futexes and the same two MPI collectives) and, for
// what MPI itself costs after idle, a FutexTree's without MPI. Exit code 1 when a target is missed.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <thread>

#include "bench/bench_group.hpp"
#include "bench/process_figures.hpp"
#include "bench/raw/blocking_group.hpp"
#include "bench/raw/budget.hpp"
#include "bench/raw/futex_tree.hpp"
#include "cli/report/atomic_file.hpp"
#include "cli/report/json_writer.hpp"

namespace {

using namespace tenter;
using namespace tenter::bench;

constexpr std::chrono::milliseconds gap{250};
constexpr double cpu_percent_max = 0.5, ratio_max = 2, p99_ms_max = 10;
constexpr std::int64_t growth_kib_max = 256;  // the allocator's own noise; 10^5 leaks of 8 bytes are 781 KiB

struct IdleOptions {
  std::uint32_t ranks = 4;
  std::uint64_t idle_s = 30, gaps = 200, requests = 100'000;
  std::string json;
};

struct Results {
  std::ostringstream text;
  report::JsonWriter json{text};
  bool met = true;
  void verdict(bool reached) { met = met && reached; }
};

const char* verdict(bool reached) { return reached ? "met" : "MISSED"; }

std::vector<ProcessId> everybody(BenchGroup& group) {
  std::vector<ProcessId> all{{static_cast<std::uint64_t>(getpid()), 0}};
  all.insert(all.end(), group.ranks().begin(), group.ranks().end());
  return all;
}
std::string name_of(std::size_t i) { return i == 0 ? "parent" : "rank " + std::to_string(i - 1); }

void measure_idle(BenchGroup& group, const IdleOptions& options, Results& results) {
  const auto processes = everybody(group);
  std::vector<std::int64_t> before;
  for (const ProcessId& process : processes) before.push_back(cpu_ns_of(process.pid));
  std::this_thread::sleep_for(std::chrono::seconds(options.idle_s));
  results.json.key("idle").begin_array();
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const double used = static_cast<double>(cpu_ns_of(processes[i].pid) - before[i]);
    const double percent = 100 * used / (static_cast<double>(options.idle_s) * 1e9);
    std::printf("idle %lu s      %-8s %.4f %% of a core, target <= %.1f %%  %s\n", static_cast<unsigned long>(options.idle_s),
                name_of(i).c_str(), percent, cpu_percent_max, verdict(percent <= cpu_percent_max));
    results.verdict(percent <= cpu_percent_max);
    results.json.begin_object().member("process", name_of(i)).member("percent_of_a_core", percent).end_object();
  }
  results.json.end_array();
}

void measure_gaps(BenchGroup& group, const IdleOptions& options, Results& results) {
  const auto peer = BlockingGroup::start(options.ranks, hw::this_program());
  const auto tree = FutexTree::start(options.ranks);
  if (!peer || !tree) return results.verdict(false);
  std::vector<double> ours, raw, bare;
  const auto after_a_gap = [](std::vector<double>& into, auto&& ask) {
    std::this_thread::sleep_for(gap);
    const std::int64_t start = monotonic_ns();
    if (!ask()) return false;
    into.push_back(static_cast<double>(monotonic_ns() - start));
    return true;
  };
  bool good = true;
  for (std::uint64_t i = 0; i < options.gaps && good; ++i)
    good = after_a_gap(ours, [&] { return group.request(); }) && after_a_gap(raw, [&] { return peer->request(); }) &&
           after_a_gap(bare, [&] { return tree->request(), true; });
  const double p50 = quantile(ours, 0.5), p99 = quantile(ours, 0.99), raw_p50 = quantile(raw, 0.5), ratio = p50 / raw_p50;
  std::printf("after %d ms     median %.0f us, %.2f x raw futex and MPI (%.0f us), target <= %.1f x  %s\n",
              static_cast<int>(gap.count()), p50 / 1e3, ratio, raw_p50 / 1e3, ratio_max, verdict(good && ratio <= ratio_max));
  std::printf("               p99 %.2f ms (raw %.2f ms), target <= %.0f ms, %zu gaps  %s\n", p99 / 1e6, quantile(raw, 0.99) / 1e6,
              p99_ms_max, ours.size(), verdict(good && p99 <= p99_ms_max * 1e6));
  std::printf("               futex wakes alone, without MPI: median %.0f us\n", quantile(bare, 0.5) / 1e3);
  results.verdict(good && ratio <= ratio_max && p99 <= p99_ms_max * 1e6);
  results.json.key("after_idle").begin_object().member("gaps", ours.size()).member("p50_ns", p50).member("p99_ns", p99);
  results.json.member("raw_p50_ns", raw_p50).member("raw_p99_ns", quantile(raw, 0.99)).member("ratio", ratio);
  results.json.member("futex_tree_p50_ns", quantile(bare, 0.5)).end_object();
}

// The processes' memory before and after as many requests, a tenth of them as a warm-up before the first look.
template <class Request>
bool soak(const std::vector<std::uint64_t>& pids, std::uint64_t requests, std::vector<MemoryKib>& before,
          std::vector<MemoryKib>& after, Request&& request) {
  bool good = true;
  for (std::uint64_t i = 0; i < requests / 10 && good; ++i) good = request();
  for (const std::uint64_t pid : pids) before.push_back(memory_of(pid));
  for (std::uint64_t i = 0; i < requests && good; ++i) good = request();
  for (const std::uint64_t pid : pids) after.push_back(memory_of(pid));
  return good;
}

void measure_growth(BenchGroup& group, const IdleOptions& options, Results& results) {
  std::vector<std::uint64_t> pids;
  for (const ProcessId& process : everybody(group)) pids.push_back(process.pid);
  std::vector<MemoryKib> before, after;
  const bool good = soak(pids, options.requests, before, after, [&] { return group.request(); });
  results.json.key("resident").begin_array();
  for (std::size_t i = 0; i < pids.size(); ++i) {
    const std::int64_t grown = after[i].resident - before[i].resident, own = after[i].own - before[i].own;
    const std::int64_t mapped = after[i].mapped - before[i].mapped;
    // Pages of a file or a segment that was mapped all the time may be touched late, and are no growth of the process.
    const bool touched = own <= growth_kib_max && mapped <= growth_kib_max;
    const bool flat = good && after[i].resident > 0 && (grown <= growth_kib_max || touched);
    std::printf("%lu requests %-8s %ld KiB resident, %+ld KiB (own %+ld, mapped %+ld), target <= +%ld KiB  %s\n",
                static_cast<unsigned long>(options.requests), name_of(i).c_str(), static_cast<long>(after[i].resident),
                static_cast<long>(grown), static_cast<long>(own), static_cast<long>(mapped), static_cast<long>(growth_kib_max),
                verdict(flat));
    results.verdict(flat);
    results.json.begin_object().member("process", name_of(i)).member("kib", after[i].resident).member("grown_kib", grown);
    results.json.member("own_grown_kib", own).member("mapped_grown_kib", mapped).end_object();
  }
  results.json.end_array();
}

// What MPI's own pools grow by in ranks that do nothing but the same two collectives.
void measure_raw_growth(const IdleOptions& options, Results& results) {
  const auto raw = BlockingGroup::start(options.ranks, hw::this_program());
  if (!raw) return results.verdict(false);
  std::vector<std::uint64_t> pids;
  for (std::uint32_t rank = 0; rank < options.ranks; ++rank) pids.push_back(raw->pid_of(rank));
  std::vector<MemoryKib> before, after;
  results.verdict(soak(pids, options.requests, before, after, [&] { return raw->request(); }));
  results.json.key("raw_resident").begin_array();
  for (std::size_t i = 0; i < pids.size(); ++i) {
    const std::int64_t grown = after[i].resident - before[i].resident, own = after[i].own - before[i].own;
    std::printf("%lu requests raw rank %zu: %ld KiB resident, %+ld KiB (own %+ld)\n",
                static_cast<unsigned long>(options.requests), i, static_cast<long>(after[i].resident), static_cast<long>(grown),
                static_cast<long>(own));
    results.json.begin_object().member("rank", i).member("grown_kib", grown).member("own_grown_kib", own).end_object();
  }
  results.json.end_array();
}

bool parse(int argc, char** argv, IdleOptions& options) {
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (i + 1 == argc) return false;
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(argv[i + 1], &end, 10);
    if (name == "--json")
      options.json = argv[i + 1];
    else if (*end != '\0')
      return false;
    else if (name == "--ranks" && value >= 1 && value <= 64)
      options.ranks = static_cast<std::uint32_t>(value);
    else if (name == "--idle-s")
      options.idle_s = value;
    else if (name == "--gaps")
      options.gaps = value;
    else if (name == "--requests")
      options.requests = value;
    else
      return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (int code = 0; served_as_member(argc, argv, code) || served_as_raw_rank(argc, argv, code)) return code;
  IdleOptions options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr, "usage: idle_bench [--ranks 1..64] [--idle-s S] [--gaps N] [--requests N] [--json FILE]\n");
    return 64;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const auto group = BenchGroup::start({.ranks = options.ranks});
  if (!group) return 70;
  if (!group->request()) return 70;
  Results results;
  results.json.begin_object().member("schema", "tenter.bench/1").member("bench", "idle").member("ranks", options.ranks);
  if (options.idle_s > 0) measure_idle(*group, options, results);
  if (options.gaps > 0) measure_gaps(*group, options, results);
  if (options.requests > 0) measure_growth(*group, options, results);
  if (options.requests > 0) measure_raw_growth(options, results);
  results.json.member("met", results.met).end_object();
  if (!options.json.empty())
    if (const auto written = report::write_file_atomically(options.json, results.text.str() + "\n"); !written) {
      std::fprintf(stderr, "idle_bench: %s\n", written.error().what.c_str());
      return 70;
    }
  return results.met ? 0 : 1;
}
