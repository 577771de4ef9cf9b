// How every figure is measured: candidate and raw peer in adjacent slices of one run (A B A B ...), the ratio of each pair, the
// median of the ratios. The machine's regime flips between slices, seldom within a pair, and a spin probe before and after says
// in which one it was. Source: spec/performance.md; design section 10, "How figures are defined".
//
//   bench::Report report("mailbox", options);
//   report.add({.name = "round_trip/blocking", .candidate = ours, .peer = futex, .peer_name = "raw futex", .most_ratio = 1.2});
//   return report.run();
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/raw/budget.hpp"

namespace tenter::bench {

// One side of a row. `slice` runs for the budget and appends the duration of every round (ns) when it can tell them apart.
struct Side {
  std::function<Elapsed(Budget budget, std::vector<std::uint32_t>& round_ns)> slice{};
  // CPU time so far, ns, of the processes beside this one; those that were reaped are counted anyway.
  std::function<std::int64_t()> other_cpu_ns{};
};

struct Row {
  std::string name;
  Side candidate{};
  Side peer{};                      // without a slice: the row stands alone
  std::string peer_name{};          // "raw futex"
  std::string unit = "round trip";  // what a round is
  double most_ratio = 0;            // target: candidate's time a round over the peer's; 0: none
  double least_rate = 0;            // target: rounds a second; 0: none
};

struct SideFigures {
  double p50_ns = 0, p99_ns = 0;  // of single rounds; of slice means when a slice does not tell its rounds apart
  double rate = 0;                // rounds a second: the median slice
  double cpu_ns_a_round = 0;      // of all processes involved
  std::uint64_t rounds = 0;
};

struct RowFigures {
  std::string name, unit, peer_name;
  std::size_t pairs = 0;
  double ratio = 0, ratio_low = 0, ratio_high = 0;  // median, 10 % and 90 % quantile of the pair ratios; 0 without a peer
  double typical_ratio = 0;  // the same of the slices' median rounds: what a busy machine's preemptions do not touch
  SideFigures candidate, peer;
  double most_ratio = 0, least_rate = 0;
  // "unclear" when means and medians disagree, or wall time and CPU time for a rate: on a machine with other work the means of
  // single slices are its preemptions.
  const char* verdict() const;
};

struct Options {
  std::size_t pairs = 31;
  std::int64_t slice_ns = 10'000'000;
  std::string json;  // path; empty: none
};

// The value below which `share` of the values lie; 0 of none.
double quantile(std::vector<double> values, double share);

// Collects the pairs of one row.
class PairedSlices {
 public:
  PairedSlices(const Row& row, std::int64_t slice_ns);
  // One slice of the candidate and one of the peer. Returns the candidate's nanoseconds a round; 0 when a side made no round.
  double measure_pair();
  RowFigures figures() const;

 private:
  struct Collected {
    std::vector<double> slice_means, slice_medians;
    std::vector<std::uint32_t> round_ns;
    std::uint64_t rounds = 0;
    std::int64_t cpu_ns = 0;
    SideFigures figures() const;
  };
  double measure(const Side& side, Collected& into) const;

  const Row& row_;
  std::int64_t slice_ns_;
  Collected candidate_, peer_;
  std::vector<double> ratios_, typical_ratios_;
};

// The table of one benchmark program.
class Report {
 public:
  explicit Report(std::string bench) : bench_(std::move(bench)) {}
  void add(Row row) { rows_.push_back(std::move(row)); }
  // Takes --pairs N, --slice-ms N, --json PATH and Google Benchmark's own options; prints header lines that begin with '#', then
  // a line a row as soon as it is measured. Returns the exit code: 0, 64 for a usage error, 70 when a row could not run.
  int run(int argc, char** argv);

 private:
  bool parse(std::vector<char*>& arguments);
  void print_header() const;
  void print(const RowFigures& row) const;
  bool write_json(double probe_before, double probe_after) const;

  std::string bench_;
  Options options_;
  bool standard_format_ = false;  // Google Benchmark writes stdout; our rows go to stderr
  std::vector<Row> rows_;
  std::vector<RowFigures> done_;
};

}  // namespace tenter::bench
