#include "hw/group/private_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <system_error>

#include "hw/os/file.hpp"
#include "hw/os/status.hpp"

namespace tenter::hw {
namespace {

bool is_ours_alone(const char* path) {
  struct stat found {};
  return lstat(path, &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() && (found.st_mode & 077) == 0;
}

std::string default_base() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/' && is_ours_alone(runtime)) return runtime;
  const char* temporary = std::getenv("TMPDIR");
  return temporary != nullptr && *temporary == '/' ? temporary : "/tmp";
}

tl::unexpected<Error> refused(const std::string& step, int code) { return os::system_error("private folder: " + step, code); }

}  // namespace

std::string origin() {
  std::string boot = os::read_file("/proc/sys/kernel/random/boot_id", 4096).value_or("unknown\n");
  while (!boot.empty() && boot.back() == '\n') boot.pop_back();
  struct stat space {};
  const bool known = stat("/proc/self/ns/pid", &space) == 0;
  return boot + " " + std::to_string(known ? space.st_ino : 0) + "\n";
}

namespace {

// Written with plain calls: what is not written is missing, and a folder without it is judged as one of ours.
void write_origin(const std::string& folder) {
  const int file = open((folder + "/" + origin_file).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return;
  const std::string text = origin();
  (void)os::write_all(file, std::as_bytes(std::span(text.data(), text.size())));
  close(file);
}

}  // namespace

bool is_of_another_namespace(const std::string& folder) {
  const auto text = os::read_file(folder + "/" + origin_file, 4096);
  if (!text) return false;
  const std::string here = origin();
  const std::size_t boot = here.find(' ');
  return *text != here && text->compare(0, boot + 1, here, 0, boot + 1) == 0;
}

Result<PrivateFolder> PrivateFolder::create(const std::string& asked) {
  std::error_code failure;
  const std::string base = std::filesystem::absolute(asked.empty() ? default_base() : asked, failure).string();
  struct stat found {};
  if (stat(base.c_str(), &found) != 0) return refused(base, errno);
  // Where others may rename what is ours, a private folder is none.
  if (found.st_uid != geteuid() && (found.st_mode & S_ISVTX) == 0)
    return error(Status::denied,
                 "private folder: " + base + " belongs to user " + std::to_string(found.st_uid) + " and is not sticky");
  std::string path = base + "/tenter-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) return refused("make " + path, errno);
  write_origin(path);
  return PrivateFolder(std::move(path));
}

PrivateFolder::~PrivateFolder() { (void)remove(); }

Result<void> PrivateFolder::remove() {
  if (path_.empty()) return {};
  std::error_code failure;
  std::filesystem::remove_all(path_, failure);
  if (failure) return refused("remove " + path_, failure.value());
  path_.clear();
  return {};
}

}  // namespace tenter::hw
