#include "hw/posix/process_stat.hpp"

#include <dirent.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>
#include <string>

#include "hw/os/file.hpp"

namespace tenter::hw {
namespace {

constexpr std::uint64_t stat_bytes_max = 4096, environment_bytes_max = 16 * 1024 * 1024;

}  // namespace

std::optional<ProcessStat> stat_of(std::uint64_t pid) {
  const auto line = os::read_file("/proc/" + std::to_string(pid) + "/stat", stat_bytes_max);
  const std::size_t name_end = line ? line->rfind(')') : std::string::npos;  // field 2 may itself hold spaces and brackets
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream rest(line->substr(name_end + 1));
  ProcessStat stat;
  std::int64_t group = 0;
  rest >> stat.state >> stat.parent >> group >> stat.session;  // fields 3 to 6
  std::string skipped;
  for (int field = 7; field < 22; ++field) rest >> skipped;
  if (!(rest >> stat.start_time)) return std::nullopt;
  return stat;
}

// The order matters: the descriptor is bound to whoever has the pid now, then the start time tells whether that is the one.
Descriptor open_process(const ProcessId& process) {
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<pid_t>::max());
  if (process.pid == 0 || process.pid > largest || process.start_time == 0) return {};
  Descriptor pidfd(static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(process.pid), 0U)));
  if (!pidfd) return {};
  const auto stat = stat_of(process.pid);
  if (!stat || stat->start_time != process.start_time) return {};
  return pidfd;
}

char state_letter(const ProcessId& process) {
  const auto stat = stat_of(process.pid);
  if (!stat || process.start_time == 0 || stat->start_time != process.start_time) return 'X';
  switch (stat->state) {
    case 'T':
    case 't':
      return 'T';
    case 'Z':
      return 'Z';
    case 'X':
    case 'x':
      return 'X';
    default:
      return 'R';
  }
}

bool send_signal(const Descriptor& pidfd, int signal) {
  return syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0U) == 0;
}

std::vector<std::uint64_t> children_of_self() {
  std::vector<std::uint64_t> children;
  const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir("/proc/self/task"), closedir);
  if (!tasks) return children;
  while (const dirent* task = readdir(tasks.get())) {
    if (task->d_name[0] == '.') continue;
    std::ifstream file(std::string("/proc/self/task/") + task->d_name + "/children");
    std::uint64_t pid = 0;
    while (file >> pid) children.push_back(pid);
  }
  return children;
}

bool environment_holds(std::uint64_t pid, std::string_view bytes) {
  const auto content = os::read_file("/proc/" + std::to_string(pid) + "/environ", environment_bytes_max);
  return content && content->find(bytes) != std::string::npos;
}

std::vector<ProcessId> processes_whose_environment_holds(std::string_view bytes) {
  std::vector<ProcessId> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> all(opendir("/proc"), closedir);
  if (!all) return found;
  while (const dirent* entry = readdir(all.get())) {
    const std::string_view name = entry->d_name;
    std::uint64_t pid = 0;
    const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (bad != std::errc{} || end != name.data() + name.size() || pid == static_cast<std::uint64_t>(getpid())) continue;
    const auto stat = stat_of(pid);  // before the look: a number that is used again meanwhile has another start time
    if (stat && environment_holds(pid, bytes)) found.push_back({pid, stat->start_time});
  }
  return found;
}

}  // namespace tenter::hw
