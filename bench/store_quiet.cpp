#include "bench/store_quiet.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/process_figures.hpp"
#include "bench/raw/fi_reads.hpp"
#include "bench/slices.hpp"
#include "bench/store_pair.hpp"
#include "hw/resource.hpp"

namespace tenter::bench {
namespace {

constexpr int gap_ms = 250;
constexpr double cpu_percent_max = 0.5;
constexpr std::int64_t warm_kib = 64;
constexpr std::uint64_t warm_gets_max = 1'500'000;
constexpr std::int64_t growth_kib_max = 1'024;  // 10^6 leaks of 8 bytes are 7,813 KiB

struct QuietOptions {
  std::string provider = "tcp;ofi_rxm";
  std::uint64_t idle_s = 10, gaps = 200, gets = 1'000'000;
};

bool verdict(bool met) {
  std::printf("  %s\n", met ? "met" : "MISSED");
  return met;
}

// Silence is what is measured: nothing else happens in this process meanwhile. False: the publisher ended in it.
bool silence(const StorePair& pair, std::uint64_t milliseconds) {
  pollfd end{static_cast<int>(syscall(SYS_pidfd_open, pair.publisher(), 0)), POLLIN, 0};
  if (end.fd < 0) return false;
  const int ended = poll(&end, 1, static_cast<int>(milliseconds));
  close(end.fd);
  return ended == 0;
}

std::int64_t descriptors_of(std::uint64_t pid) {
  std::int64_t count = 0;
  std::error_code failed;
  for (std::filesystem::directory_iterator at("/proc/" + std::to_string(pid) + "/fd", failed), end; !failed && at != end; ++at)
    ++count;
  return count;
}

bool measure_idle(StorePair& pair, const QuietOptions& options) {
  const std::uint64_t pids[] = {static_cast<std::uint64_t>(getpid()), static_cast<std::uint64_t>(pair.publisher())};
  const char* names[] = {"reader", "publisher"};
  std::int64_t before[2];
  for (int i = 0; i < 2; ++i) before[i] = cpu_ns_of(pids[i]);
  bool met = silence(pair, options.idle_s * 1'000);
  for (int i = 0; i < 2; ++i) {
    const double percent = static_cast<double>(cpu_ns_of(pids[i]) - before[i]) / (static_cast<double>(options.idle_s) * 1e7);
    std::printf("idle %llu s     %-10s %.3f %% of a core, target <= %.1f %%", static_cast<unsigned long long>(options.idle_s),
                names[i], percent, cpu_percent_max);
    met = verdict(percent <= cpu_percent_max) && met;
  }
  return met;
}

bool measure_gaps(StorePair& pair, const QuietOptions& options) {
  const StoreWork work{.variable = "rows-4096"};
  std::vector<double> taken;
  for (std::uint64_t i = 0; i < options.gaps; ++i) {
    if (!silence(pair, gap_ms)) return false;
    const std::int64_t before = monotonic_ns();
    if (!pair.get(work)) return false;
    taken.push_back(static_cast<double>(monotonic_ns() - before));
  }
  std::printf("after %d ms    first get: median %.0f us, p99 %.0f us, %zu gaps\n", gap_ms, quantile(taken, 0.5) / 1e3,
              quantile(taken, 0.99) / 1e3, taken.size());
  return true;
}

// The provider touches the pages of the buffers that it has allocated one after the other (tcp;ofi_rxm: 84 MiB, 48 bytes further
// a get), which is no growth; it is waited for, and how much it was is printed.
bool warm_up(StorePair& pair, const StoreWork& work) {
  const auto self = static_cast<std::uint64_t>(getpid());
  const std::int64_t begin = memory_of(self).own;
  std::int64_t before = begin, grown = warm_kib + 1;
  std::uint64_t gets = 0;
  while (grown > warm_kib && gets < warm_gets_max) {
    const Elapsed elapsed = pair.slice(work, {.rounds = 50'000, .nanoseconds = 0});
    if (elapsed.rounds == 0) return false;
    gets += elapsed.rounds;
    grown = memory_of(self).own - before;
    before += grown;
  }
  std::printf("warm after %llu gets, resident %+lld KiB meanwhile\n", static_cast<unsigned long long>(gets),
              static_cast<long long>(before - begin));
  return true;
}

bool measure_growth(StorePair& pair, const QuietOptions& options) {
  const StoreWork work{.variable = "rows-64"};
  const std::uint64_t pids[] = {static_cast<std::uint64_t>(getpid()), static_cast<std::uint64_t>(pair.publisher())};
  if (!warm_up(pair, work)) return false;
  std::int64_t resident[2], descriptors[2];
  for (int i = 0; i < 2; ++i) resident[i] = memory_of(pids[i]).resident, descriptors[i] = descriptors_of(pids[i]);
  const std::string held = hw::Resources::held_text();
  if (pair.slice(work, {.rounds = options.gets, .nanoseconds = 0}).rounds == 0) return false;
  bool met = hw::Resources::held_text() == held;
  for (int i = 0; i < 2; ++i) {
    const std::int64_t grown = memory_of(pids[i]).resident - resident[i], opened = descriptors_of(pids[i]) - descriptors[i];
    std::printf("%s: resident %+lld KiB (<= %lld), descriptors %+lld; ", i == 0 ? "reader" : "publisher",
                static_cast<long long>(grown), static_cast<long long>(growth_kib_max), static_cast<long long>(opened));
    met = met && grown <= growth_kib_max && opened == 0;
  }
  std::printf("%llu gets; held before: %s; after: %s", static_cast<unsigned long long>(options.gets), held.c_str(),
              hw::Resources::held_text().c_str());
  return verdict(met);
}

bool parse(int argc, char** argv, QuietOptions& options) {
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) return false;
    char* end = nullptr;
    const std::uint64_t number = std::strtoull(argv[i + 1], &end, 10);
    if (name == "--provider")
      options.provider = argv[i + 1];
    else if (*end != '\0' || end == argv[i + 1])
      return false;
    else if (name == "--idle-s")
      options.idle_s = number;
    else if (name == "--gaps")
      options.gaps = number;
    else if (name == "--gets")
      options.gets = number;
    else
      return false;
  }
  return true;
}

}  // namespace

int measure_quiet(int argc, char** argv) {
  QuietOptions options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr, "store_bench quiet [--idle-s S] [--gaps N] [--gets N] [--provider P]\n");
    return 64;
  }
  const auto pair = StorePair::start(options.provider);
  if (!pair || !pair->get({.variable = "rows-4096"})) return 70;
  std::printf("# %s\n", options.provider.c_str());
  bool met = options.idle_s == 0 || measure_idle(*pair, options);
  met = (options.gaps == 0 || measure_gaps(*pair, options)) && met;
  met = (options.gets == 0 || measure_growth(*pair, options)) && met;
  return met ? 0 : 1;
}

}  // namespace tenter::bench
