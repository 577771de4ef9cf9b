#include "cli/report/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <span>

#include "hw/os/file.hpp"
#include "hw/os/status.hpp"

namespace tenter::report {

namespace {

tl::unexpected<Error> failed(std::string_view step, const std::string& path, int native) {
  return os::system_error(path + ": " + std::string(step), native);
}

// Owns the temporary: closes it, and unlinks it unless it was renamed.
class Temporary {
 public:
  explicit Temporary(const std::string& target) {
    // A crashed process of the same number may have left its temporary: step over it, it is not ours to remove.
    for (int attempt = 0; attempt < 100 && descriptor_ < 0; ++attempt) {
      path_ = target + "." + std::to_string(getpid()) + "." + std::to_string(attempt) + ".tmp";
      descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
      if (descriptor_ < 0 && errno != EEXIST) return;
    }
  }
  ~Temporary() {
    if (descriptor_ < 0) return;
    close(descriptor_);
    if (!renamed_) unlink(path_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  int descriptor() const { return descriptor_; }
  bool rename_to(const std::string& target) {
    renamed_ = std::rename(path_.c_str(), target.c_str()) == 0;
    return renamed_;
  }

 private:
  std::string path_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

Result<void> write_in_place(const std::string& path, Bytes bytes) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return failed("open", path, errno);
  const int native = os::write_all(descriptor, bytes).native;
  close(descriptor);
  if (native != 0) return failed("write", path, native);
  return {};
}

}  // namespace

Result<void> write_file_atomically(const std::string& asked, std::string_view content) {
  const auto bytes = std::as_bytes(std::span(content.data(), content.size()));
  struct stat found {};
  const bool exists = stat(asked.c_str(), &found) == 0;
  if (exists && !S_ISREG(found.st_mode)) return write_in_place(asked, bytes);
  std::error_code failure;
  const std::string path = exists ? std::filesystem::canonical(asked, failure).string() : asked;
  if (failure) return failed("resolve", asked, failure.value());
  Temporary temporary(path);
  if (temporary.descriptor() < 0) return failed("create", path, errno);
  if (const int native = os::write_all(temporary.descriptor(), bytes).native; native != 0) return failed("write", path, native);
  if (fsync(temporary.descriptor()) != 0) return failed("fsync", path, errno);
  if (!temporary.rename_to(path)) return failed("rename", path, errno);
  return {};
}

}  // namespace tenter::report
