// What the kernel says of a process that is named by pid and start time (proc(5), pidfd_open(2)).
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/names.hpp"
#include "hw/posix/descriptor.hpp"

namespace tenter::hw {

// Fields of /proc/<pid>/stat.
struct ProcessStat {
  char state = 'X';  // field 3
  std::int64_t parent = 0;
  std::int64_t session = 0;
  std::uint64_t start_time = 0;  // clock ticks since boot, field 22
};

// Nothing when there is no such process.
std::optional<ProcessStat> stat_of(std::uint64_t pid);

// A pidfd of exactly this process (alive or zombie), or an empty one when it is gone, its pid is someone else's by now, or its
// start time is unknown (0), because then nobody could tell.
Descriptor open_process(const ProcessId& process);

// R runs or sleeps, T stopped, Z zombie, X gone or not the same one.
char state_letter(const ProcessId& process);

// False when the process is gone meanwhile or may not be signalled.
bool send_signal(const Descriptor& pidfd, int signal);

// Children of all threads of this process, also zombies and adopted orphans.
std::vector<std::uint64_t> children_of_self();

// The environment that the process was started with holds these bytes; false when it may not be looked at, or is a zombie.
bool environment_holds(std::uint64_t pid, std::string_view bytes);

// All such processes of the machine, this one left out.
std::vector<ProcessId> processes_whose_environment_holds(std::string_view bytes);

}  // namespace tenter::hw
