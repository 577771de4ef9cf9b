#include "hw/group/orphans.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "hw/group/group_files.hpp"
#include "hw/group/private_folder.hpp"
#include "hw/posix/process_stat.hpp"

namespace tenter::hw {
namespace {

namespace fs = std::filesystem;

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

std::vector<std::string> places(const std::string& base) {
  if (!base.empty()) return {base};
  std::vector<std::string> all{"/tmp"};
  if (const char* temporary = std::getenv("TMPDIR"); temporary != nullptr && *temporary == '/' && all[0] != temporary)
    all.emplace_back(temporary);
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime != nullptr && *runtime == '/') all.emplace_back(runtime);
  return all;
}

// Entries of `folder` with that prefix that are directories of this user alone; symbolic links are none.
std::vector<fs::path> own_directories(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> found;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
    struct stat at {};
    if (!entry->path().filename().string().starts_with(prefix) || lstat(entry->path().c_str(), &at) != 0) continue;
    if (S_ISDIR(at.st_mode) && at.st_uid == geteuid() && (at.st_mode & 077) == 0) found.push_back(entry->path());
  }
  return found;
}

bool is_gone(const ProcessId& process) {
  const char letter = state_letter(process);
  return letter == 'X' || letter == 'Z';
}

}  // namespace

std::string FoundGroup::text() const {
  const std::string whose = "owner pid " + std::to_string(manifest.owner.pid) + " on host " + manifest.host;
  const std::string old = "; " + std::to_string(number(age) / 1'000'000'000) + " s old";
  if (elsewhere) return whose + ", in another PID namespace or on another host: not to be judged from here" + old;
  return (orphaned ? "orphaned: " + whose + " is gone" : whose) + old;
}

std::vector<FoundGroup> find_groups(const std::string& base) {
  const std::string host = host_name();
  std::vector<FoundGroup> found;
  for (const std::string& place : places(base)) {
    for (const fs::path& folder : own_directories(place, "tenter-")) {
      for (const fs::path& group : own_directories(folder, group_prefix)) {
        const fs::path path = group / std::string(mailbox::manifest_path().text());
        const auto manifest = manifest_in(group.string());
        struct stat at {};
        if (!manifest || stat(path.c_str(), &at) != 0) continue;
        FoundGroup one{*manifest, folder.string(), seconds(std::time(nullptr) - at.st_mtime), false, false};
        one.elsewhere = manifest->host != host || is_of_another_namespace(folder.string());
        one.orphaned = !one.elsewhere && manifest->host == host && manifest->owner.pid != 0 && is_gone(manifest->owner);
        found.push_back(std::move(one));
      }
    }
  }
  return found;
}

}  // namespace tenter::hw
