// What the kernel says a process has used, proc(5).
#pragma once
#include <cstdint>
#include <vector>

#include "core/names.hpp"

namespace tenter::bench {

// CPU time of all threads so far, ns; 0 when the process is gone. Resolution: the kernel's own accounting, ns.
std::int64_t cpu_ns_of(std::uint64_t pid);
std::int64_t cpu_ns_of(const std::vector<ProcessId>& processes);

// KiB; all 0 when the process is gone. Own: resident, and neither of a file nor of a shared segment.
struct MemoryKib {
  std::int64_t mapped = 0, resident = 0, own = 0;
};
MemoryKib memory_of(std::uint64_t pid);

}  // namespace tenter::bench
