#include "bench/process_figures.hpp"

#include <unistd.h>

#include <ctime>
#include <fstream>
#include <string>

namespace tenter::bench {

std::int64_t cpu_ns_of(std::uint64_t pid) {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(static_cast<pid_t>(pid), &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  return static_cast<std::int64_t>(used.tv_sec) * 1'000'000'000 + used.tv_nsec;
}

std::int64_t cpu_ns_of(const std::vector<ProcessId>& processes) {
  std::int64_t sum = 0;
  for (const ProcessId& process : processes) sum += cpu_ns_of(process.pid);
  return sum;
}

MemoryKib memory_of(std::uint64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  std::int64_t mapped = 0, resident = 0, shared = 0;
  file >> mapped >> resident >> shared;
  const std::int64_t kib = sysconf(_SC_PAGESIZE) / 1024;
  return {mapped * kib, resident * kib, (resident - shared) * kib};
}

}  // namespace tenter::bench
