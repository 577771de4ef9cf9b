// The table of a benchmark program: rows on stdout as they are measured, tenter.bench/1 as JSON, Google Benchmark for the choice
// of rows and its own formats.
#include <benchmark/benchmark.h>
#include <sched.h>
#include <sys/utsname.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>

#include "bench/raw/spin_ping_pong.hpp"
#include "bench/slices.hpp"
#include "cli/report/atomic_file.hpp"
#include "cli/report/json_writer.hpp"

#ifndef TENTER_BENCH_COMMIT
#define TENTER_BENCH_COMMIT "unknown"
#endif

namespace tenter::bench {
namespace {

constexpr int usage_error = 64, internal_error = 70;

double probe_ns() { return spin_probe({.rounds = 0, .nanoseconds = 50'000'000}).ns_a_round(); }

int usable_cpus() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 0;
}

// Google Benchmark's own lines, when nobody asked for one of its formats.
class Silent : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

// Nanoseconds with three digits that count: "123ns", "12.3us", "1.23ms".
std::string time_text(double ns) {
  const char* units[] = {"ns", "us", "ms", "s"};
  int unit = 0;
  for (; ns >= 1000 && unit < 3; ++unit) ns /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, ns >= 100 ? "%.0f%s" : ns >= 10 ? "%.1f%s" : "%.2f%s", ns, units[unit]);
  return text;
}

std::string rate_text(double rate) {
  const char* units[] = {"", "k", "M", "G"};
  int unit = 0;
  for (; rate >= 1000 && unit < 3; ++unit) rate /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, rate >= 100 ? "%.0f%s" : "%.3g%s", rate, units[unit]);
  return text;
}

void write_side(report::JsonWriter& json, std::string_view name, const SideFigures& side) {
  json.key(name).begin_object();
  json.member("p50_ns", side.p50_ns).member("p99_ns", side.p99_ns).member("rounds_per_s", side.rate);
  json.member("cpu_ns_per_round", side.cpu_ns_a_round).member("rounds", side.rounds);
  json.end_object();
}

void write_row(report::JsonWriter& json, const RowFigures& row) {
  json.begin_object();
  json.member("name", std::string_view(row.name)).member("unit", std::string_view(row.unit)).member("pairs", row.pairs);
  write_side(json, "candidate", row.candidate);
  if (!row.peer_name.empty()) {
    json.member("peer_name", std::string_view(row.peer_name));
    write_side(json, "peer", row.peer);
    json.member("ratio", row.ratio).member("ratio_p10", row.ratio_low).member("ratio_p90", row.ratio_high);
    json.member("ratio_of_medians", row.typical_ratio);
  }
  if (row.most_ratio > 0) json.member("target_most_ratio", row.most_ratio);
  if (row.least_rate > 0) json.member("target_least_per_s", row.least_rate);
  if (row.most_ratio > 0 || row.least_rate > 0) json.member("verdict", row.verdict());
  json.end_object();
}

}  // namespace

bool Report::parse(std::vector<char*>& arguments) {
  std::vector<char*> others{arguments.front()};
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view name = arguments[i];
    const bool ours = name == "--pairs" || name == "--slice-ms" || name == "--json";
    if (ours && i + 1 == arguments.size()) return std::fprintf(stderr, "%s needs a value\n", arguments[i]), false;
    if (name == "--json") {
      options_.json = arguments[++i];
    } else if (ours) {
      const long value = std::strtol(arguments[++i], nullptr, 10);
      if (value < 1) return std::fprintf(stderr, "%s: '%s' is not a number above 0\n", arguments[i - 1], arguments[i]), false;
      if (name == "--pairs") options_.pairs = static_cast<std::size_t>(value);
      if (name == "--slice-ms") options_.slice_ns = value * 1'000'000;
    } else {
      if (name.starts_with("--benchmark_format") || name.starts_with("--benchmark_list_tests")) standard_format_ = true;
      others.push_back(arguments[i]);
    }
  }
  arguments = std::move(others);
  return true;
}

void Report::print_header() const {
  FILE* to = standard_format_ ? stderr : stdout;
  utsname system{};
  uname(&system);
  std::fprintf(to, "# tenter.bench/1 %s, commit %s, compiler %s, %s %s, %d CPUs\n", bench_.c_str(), TENTER_BENCH_COMMIT,
               __VERSION__, system.sysname, system.machine, usable_cpus());
  std::fprintf(to,
               "# %zu pairs of adjacent %lld ms slices a row; ratio: median of the pairs (p10..p90), of means; typical: of "
               "medians; cpu: all processes\n",
               options_.pairs, static_cast<long long>(options_.slice_ns / 1'000'000));
  std::fprintf(to, "# %-34s %20s %7s %8s %8s %8s %9s   %-14s %8s %8s %8s  %s\n", "row", "ratio", "typical", "p50", "p99", "cpu",
               "rate", "peer", "p50", "p99", "cpu", "target");
  std::fflush(to);
}

void Report::print(const RowFigures& row) const {
  FILE* to = standard_format_ ? stderr : stdout;
  char ratio[48] = "-", typical[16] = "-";
  if (!row.peer_name.empty()) std::snprintf(typical, sizeof typical, "%.2f", row.typical_ratio);
  if (!row.peer_name.empty()) std::snprintf(ratio, sizeof ratio, "%.2f (%.2f..%.2f)", row.ratio, row.ratio_low, row.ratio_high);
  std::string target = "none";
  if (row.most_ratio > 0) target = "<= " + rate_text(row.most_ratio) + " x";
  if (row.least_rate > 0) target = ">= " + rate_text(row.least_rate) + "/s";
  if (target != "none") target += std::string(": ") + row.verdict();
  std::fprintf(to, "  %-34s %20s %7s %8s %8s %8s %7s/s   ", row.name.c_str(), ratio, typical,
               time_text(row.candidate.p50_ns).c_str(), time_text(row.candidate.p99_ns).c_str(),
               time_text(row.candidate.cpu_ns_a_round).c_str(), rate_text(row.candidate.rate).c_str());
  const bool alone = row.peer_name.empty();
  std::fprintf(to, "%-14s %8s %8s %8s  %s\n", alone ? "-" : row.peer_name.c_str(),
               alone ? "-" : time_text(row.peer.p50_ns).c_str(), alone ? "-" : time_text(row.peer.p99_ns).c_str(),
               alone ? "-" : time_text(row.peer.cpu_ns_a_round).c_str(), target.c_str());
  std::fflush(to);
}

bool Report::write_json(double probe_before, double probe_after) const {
  std::ostringstream text;
  report::JsonWriter json(text);
  json.begin_object();
  json.member("schema", "tenter.bench/1").member("bench", std::string_view(bench_)).member("commit", TENTER_BENCH_COMMIT);
  json.member("compiler", __VERSION__).member("cpus", usable_cpus());
  json.member("slice_ms", options_.slice_ns / 1'000'000);
  json.key("spin_probe_ns").begin_object().member("before", probe_before).member("after", probe_after).end_object();
  json.key("rows").begin_array();
  for (const RowFigures& row : done_) write_row(json, row);
  json.close();
  const auto written = report::write_file_atomically(options_.json, text.str() + "\n");
  if (!written) std::fprintf(stderr, "%s\n", written.error().what.c_str());
  return written.has_value();
}

int Report::run(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  if (!parse(arguments)) return usage_error;
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  for (const char* argument : arguments)
    if (argument && std::strcmp(argument, "--help") == 0)
      std::printf("%s_bench [--pairs N] [--slice-ms N] [--json PATH], and of Google Benchmark:\n", bench_.c_str());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return usage_error;

  bool failed = false;
  for (const Row& row : rows_) {
    auto* registered = benchmark::RegisterBenchmark(row.name.c_str(), [this, &row, &failed](benchmark::State& state) {
      PairedSlices slices(row, options_.slice_ns);
      for (auto _ : state) {
        const double ns = slices.measure_pair();
        if (ns == 0) {
          failed = true;
          std::fprintf(stderr, "%s: a side made no round\n", row.name.c_str());
          state.SkipWithError("a side made no round");
          return;
        }
        state.SetIterationTime(ns * 1e-9);
      }
      done_.push_back(slices.figures());
      const RowFigures& figures = done_.back();
      if (!figures.peer_name.empty()) state.counters["ratio"] = figures.ratio;
      state.counters["rounds_per_s"] = figures.candidate.rate;
      print(figures);
    });
    registered->UseManualTime()->Iterations(static_cast<benchmark::IterationCount>(options_.pairs));
  }
  print_header();
  const double before = probe_ns();
  FILE* to = standard_format_ ? stderr : stdout;
  std::fprintf(to, "# spin probe before: %s a round trip\n", time_text(before).c_str());
  std::fflush(to);
  Silent silent;
  if (standard_format_)
    benchmark::RunSpecifiedBenchmarks();
  else
    benchmark::RunSpecifiedBenchmarks(&silent);
  const double after = probe_ns();
  std::fprintf(to, "# spin probe after: %s a round trip\n", time_text(after).c_str());
  if (!options_.json.empty() && !write_json(before, after)) return internal_error;
  return failed ? internal_error : 0;
}

}  // namespace tenter::bench
