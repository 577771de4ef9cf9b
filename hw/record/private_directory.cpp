#include "hw/record/private_directory.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "hw/os/status.hpp"

namespace tenter::hw {
namespace {

std::string octal(mode_t mode) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%04o", mode & 07777u);
  return text.data();
}

}  // namespace

Result<void> make_recording_directory(const std::string& directory) {
  const std::string who = "recording " + directory + ": ";
  if (directory.empty()) return error(Status::invalid, "recording: the name of the directory is empty");
  if (::mkdir(directory.c_str(), 0700) == 0) return {};
  if (const int code = errno; code != EEXIST) return os::system_error(who + "mkdir", code);
  struct stat found {};
  if (::stat(directory.c_str(), &found) != 0) return os::system_error(who + "stat", errno);
  if (!S_ISDIR(found.st_mode)) return error(Status::invalid, who + "not a directory");
  if (found.st_uid != geteuid())
    return error(Status::denied,
                 who + "belongs to user " + std::to_string(found.st_uid) + ", this process to " + std::to_string(geteuid()));
  if ((found.st_mode & 0077u) != 0)
    return error(Status::denied, who + "others may enter it (mode " + octal(found.st_mode) +
                                     ") and a recording holds payloads: chmod 700 it, or name a new one");
  return {};
}

}  // namespace tenter::hw
