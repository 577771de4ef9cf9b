// What is left of a group when its parent is dead, and how it goes.
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <system_error>
#include <vector>

#include "core/mailbox/manifest.hpp"
#include "hw/group/guardian.hpp"
#include "hw/posix/process_stat.hpp"
#include "hw/shm/page.hpp"

namespace tenter::hw {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
    found.push_back(entry->path());
  }
  return found;
}

std::vector<fs::path> groups_in(const fs::path& folder) {
  std::vector<fs::path> groups;
  for (const fs::path& entry : entries_of(folder)) {
    if (entry.filename().string().starts_with("group-")) groups.push_back(entry);
  }
  return groups;
}

bool kill_reported(const fs::path& group) {
  bool any = false;
  for (const fs::path& file : entries_of(group)) {
    if (!file.filename().string().starts_with("rank-")) continue;
    const auto report = mailbox::read_report(content_of(file));
    if (!report) continue;
    const Descriptor process = open_process(report->process);
    if (process && state_letter(report->process) != 'Z') any |= send_signal(process, SIGKILL);
  }
  return any;
}

// Launcher, proxies and ranks that have not reported yet: their environment names a directory in our folder.
bool kill_by_environment(const std::string& folder) {
  const std::string mark = "TENTER_MAILBOX_DIRECTORY=" + folder + "/";
  bool any = false;
  for (const fs::path& entry : entries_of("/proc")) {
    const std::string name = entry.filename().string();
    std::uint64_t pid = 0;
    const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (bad != std::errc{} || end != name.data() + name.size()) continue;
    const auto stat = stat_of(pid);
    if (!stat) continue;
    const Descriptor process = open_process({pid, stat->start_time});  // before the look: it cannot become another one
    if (!process || content_of(entry / "environ").find(mark) == std::string::npos) continue;
    any |= send_signal(process, SIGKILL);
  }
  return any;
}

// By the manifest, or by the directory's name while there is none yet: both carry the same number.
std::string page_of(const fs::path& group) {
  const auto manifest = mailbox::read_manifest(content_of(group / std::string(mailbox::manifest_path().text())));
  if (manifest) return manifest->page;
  return "tenter-mailbox-" + group.filename().string().substr(std::string_view("group-").size());
}

}  // namespace

bool clean_up_after_parent(const std::string& folder) {
  bool alive = true;
  for (int pass = 0; alive && pass < 200; ++pass) {
    alive = kill_by_environment(folder);
    for (const fs::path& group : groups_in(folder)) alive |= kill_reported(group);
    if (alive) poll(nullptr, 0, 50);  // a killed process needs a moment; new ones may have been started meanwhile
  }
  bool clean = !alive;
  for (const fs::path& group : groups_in(folder)) clean &= unlink_page(page_of(group)).has_value();
  std::error_code failure;
  fs::remove_all(folder, failure);
  return clean && !failure;
}

}  // namespace tenter::hw
