#include "bench/slices.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace tenter::bench {
namespace {

std::int64_t ns_of(const timeval& t) { return (static_cast<std::int64_t>(t.tv_sec) * 1'000'000 + t.tv_usec) * 1'000; }

// This process with all its threads, and every child that was reaped.
std::int64_t own_cpu_ns() {
  timespec self{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &self);
  rusage children{};
  getrusage(RUSAGE_CHILDREN, &children);
  return static_cast<std::int64_t>(self.tv_sec) * 1'000'000'000 + self.tv_nsec + ns_of(children.ru_utime) +
         ns_of(children.ru_stime);
}

}  // namespace

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

PairedSlices::PairedSlices(const Row& row, std::int64_t slice_ns) : row_(row), slice_ns_(slice_ns) {}

double PairedSlices::measure(const Side& side, Collected& into) const {
  const auto cpu = [&] { return own_cpu_ns() + (side.other_cpu_ns ? side.other_cpu_ns() : 0); };
  const std::size_t seen = into.round_ns.size();
  const std::int64_t before = cpu();
  const Elapsed elapsed = side.slice({.rounds = 0, .nanoseconds = slice_ns_}, into.round_ns);
  if (elapsed.rounds == 0) return 0;
  into.cpu_ns += cpu() - before;
  into.rounds += elapsed.rounds;
  into.slice_means.push_back(elapsed.ns_a_round());
  const auto first = into.round_ns.begin() + static_cast<std::ptrdiff_t>(seen);
  const std::vector<double> each(first, into.round_ns.end());
  into.slice_medians.push_back(each.empty() ? elapsed.ns_a_round() : quantile(each, 0.5));
  return elapsed.ns_a_round();
}

double PairedSlices::measure_pair() {
  const double ours = measure(row_.candidate, candidate_);
  if (!row_.peer.slice) return ours;
  const double theirs = measure(row_.peer, peer_);
  if (ours == 0 || theirs == 0) return 0;
  ratios_.push_back(ours / theirs);
  typical_ratios_.push_back(candidate_.slice_medians.back() / peer_.slice_medians.back());
  return ours;
}

SideFigures PairedSlices::Collected::figures() const {
  if (rounds == 0) return {};
  const std::vector<double> each = round_ns.empty() ? slice_means : std::vector<double>(round_ns.begin(), round_ns.end());
  return {.p50_ns = quantile(each, 0.5),
          .p99_ns = quantile(each, 0.99),
          .rate = 1e9 / quantile(slice_means, 0.5),
          .cpu_ns_a_round = static_cast<double>(cpu_ns) / static_cast<double>(rounds),
          .rounds = rounds};
}

const char* RowFigures::verdict() const {
  if (least_rate > 0)
    return candidate.rate >= least_rate ? "met" : 1e9 / candidate.cpu_ns_a_round >= least_rate ? "unclear" : "missed";
  const bool means = ratio <= most_ratio, medians = typical_ratio <= most_ratio;
  return means != medians ? "unclear" : means ? "met" : "missed";
}

RowFigures PairedSlices::figures() const {
  return {.name = row_.name,
          .unit = row_.unit,
          .peer_name = row_.peer_name,
          .pairs = candidate_.slice_means.size(),
          .ratio = quantile(ratios_, 0.5),
          .ratio_low = quantile(ratios_, 0.1),
          .ratio_high = quantile(ratios_, 0.9),
          .typical_ratio = quantile(typical_ratios_, 0.5),
          .candidate = candidate_.figures(),
          .peer = peer_.figures(),
          .most_ratio = row_.most_ratio,
          .least_rate = row_.least_rate};
}

}  // namespace tenter::bench
