// What is left of a group when its parent is dead, and how it goes.
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "core/mailbox/manifest.hpp"
#include "hw/group/group_files.hpp"
#include "hw/group/guardian.hpp"
#include "hw/os/file.hpp"
#include "hw/part.hpp"
#include "hw/posix/process_stat.hpp"
#include "hw/shm/page.hpp"

namespace tenter::hw {
namespace {

namespace fs = std::filesystem;

constexpr Duration kill_time = seconds(10);

std::vector<fs::path> entries_of(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> found;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
    if (entry->path().filename().string().starts_with(prefix)) found.push_back(entry->path());
  }
  return found;
}

// Ranks by their reports; launcher, proxies and ranks that have not reported yet by their environment, which names a directory in
// our folder.
std::vector<ProcessId> processes_of(const std::string& folder) {
  std::vector<ProcessId> found = processes_whose_environment_holds(std::string(directory_variable) + "=" + folder + "/");
  for (const fs::path& group : entries_of(folder, group_prefix)) {
    for (const fs::path& file : entries_of(group, "rank-")) {
      const auto text = os::read_file(file.string(), group_file_bytes_max);
      if (!text) continue;
      if (const auto report = mailbox::read_report(*text)) found.push_back(report->process);
    }
  }
  return found;
}

// Pidfds of those that were alive.
std::vector<Descriptor> kill_processes(const std::vector<ProcessId>& processes) {
  std::vector<Descriptor> killed;
  for (const ProcessId& id : processes) {
    Descriptor process = open_process(id);
    if (!process || state_letter(id) == 'Z') continue;
    send_signal(process, SIGKILL);
    killed.push_back(std::move(process));
  }
  return killed;
}

void wait_for_ends(const std::vector<Descriptor>& processes, Time deadline) {
  for (const Descriptor& process : processes) {
    pollfd end{process.get(), POLLIN, 0};
    int ready = 0;
    do {
      ready = poll(&end, 1, static_cast<int>(std::max<std::int64_t>(0, number(deadline - now()) / 1'000'000)));
    } while (ready < 0 && errno == EINTR);
  }
}

// By the manifest, or by the directory's name while there is none yet: both carry the same number.
std::string page_of(const fs::path& group) {
  const auto manifest = manifest_in(group.string());
  return manifest ? manifest->page : page_by_directory(group.filename().string());
}

}  // namespace

bool clean_up_after_parent(const std::string& folder) {
  const Time deadline = now() + kill_time;
  std::vector<Descriptor> killed = kill_processes(processes_of(folder));
  while (!killed.empty() && now() < deadline) {
    wait_for_ends(killed, deadline);
    killed = kill_processes(processes_of(folder));  // new ones may have been started meanwhile
  }
  bool clean = killed.empty();
  for (const fs::path& group : entries_of(folder, group_prefix)) clean &= unlink_page(page_of(group)).has_value();
  std::error_code failure;
  fs::remove_all(folder, failure);
  return clean && !failure;
}

}  // namespace tenter::hw
