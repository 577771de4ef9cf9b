#include "hw/shm/page.hpp"

#include <fcntl.h>
#include <pwd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "hw/os/file.hpp"
#include "hw/os/status.hpp"
#include "hw/posix/descriptor.hpp"

namespace tenter::hw {

namespace {

tl::unexpected<Error> failure(const std::string& name, const std::string& doing, int native) {
  return error(os::status_of(native), "shared page " + name + ": " + doing + ": " + std::strerror(native), native);
}

tl::unexpected<Error> refusal(Status status, const std::string& name, const std::string& why) {
  return error(status, "shared page " + name + ": refused: " + why);
}

std::string user_text(uid_t user) {
  const passwd* entry = getpwuid(user);
  return (entry != nullptr ? std::string(entry->pw_name) + " " : std::string()) + "(user " + std::to_string(user) + ")";
}

std::string octal(mode_t mode) {
  char text[8];
  std::snprintf(text, sizeof text, "0%03o", static_cast<unsigned>(mode & 07777));
  return text;
}

// The owner of a page that we may not even open; nothing where the kernel does not say.
std::string owner_of(const std::string& name) {
  struct stat found {};
  if (::stat(("/dev/shm" + name).c_str(), &found) != 0) return "";
  return ", it belongs to " + user_text(found.st_uid) + " and we are " + user_text(geteuid());
}

}  // namespace

Result<std::string> checked_page_name(std::string_view name) {
  const std::string_view plain = name.starts_with('/') ? name.substr(1) : name;
  const auto legal = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  };
  const bool dots = plain == "." || plain == "..";
  if (plain.empty() || plain.size() > 250 || dots || !std::all_of(plain.begin(), plain.end(), legal))
    return error(Status::invalid, "shared page: a name of 1 to 250 letters, digits, '.', '_' or '-' is needed, not " +
                                      std::to_string(plain.size()) + " bytes: \"" + std::string(plain.substr(0, 80)) + "\"");
  return "/" + std::string(plain);
}

Result<MappedPage> MappedPage::map(std::string name, int descriptor, std::uint64_t bytes) {
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (data == MAP_FAILED) return failure(name, "mapping " + std::to_string(bytes) + " bytes", errno);
  return MappedPage(std::move(name), static_cast<std::byte*>(data), bytes);
}

Result<MappedPage> MappedPage::create(std::string_view given, std::uint64_t bytes) {
  const Result<std::string> name = checked_page_name(given);
  if (!name) return tl::unexpected<Error>(name.error());
  if (bytes == 0 || bytes > static_cast<std::uint64_t>(INT64_MAX))
    return refusal(Status::invalid, *name, "a page of " + std::to_string(bytes) + " bytes");
  const int fd = ::shm_open(name->c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return failure(*name, "creating", errno);
  const Descriptor descriptor(fd);
  const auto give_up = [&](const std::string& doing, int native) {
    ::shm_unlink(name->c_str());
    return failure(*name, doing, native);
  };
  if (::fchmod(fd, 0600) != 0) return give_up("making it private", errno);  // whatever the umask took away
  if (const int native = os::reserve(fd, bytes); native != 0)
    return give_up("reserving " + std::to_string(bytes) + " bytes", native);
  Result<MappedPage> page = map(*name, fd, bytes);
  if (!page) ::shm_unlink(name->c_str());
  return page;
}

Result<MappedPage> MappedPage::open(std::string_view given, std::uint64_t expected_bytes) {
  const Result<std::string> name = checked_page_name(given);
  if (!name) return tl::unexpected<Error>(name.error());
  const int fd = ::shm_open(name->c_str(), O_RDWR | O_CLOEXEC, 0);  // never follows a symbolic link (shm_open adds O_NOFOLLOW)
  if (fd < 0) {
    const int native = errno;
    return failure(*name, "opening" + (native == EACCES ? owner_of(*name) : std::string()), native);
  }
  const Descriptor descriptor(fd);
  struct stat found {};
  if (::fstat(fd, &found) != 0) return failure(*name, "looking at its owner and size", errno);
  if (!S_ISREG(found.st_mode)) return refusal(Status::invalid, *name, "not a shared memory object");
  if (found.st_uid != geteuid())
    return refusal(Status::denied, *name, "it belongs to " + user_text(found.st_uid) + " and we are " + user_text(geteuid()));
  if ((found.st_mode & 07777 & ~mode_t{0600}) != 0)
    return refusal(Status::denied, *name, "its permissions " + octal(found.st_mode) + " are wider than 0600");
  const auto bytes = static_cast<std::uint64_t>(found.st_size);
  if (bytes == 0) return refusal(Status::mismatch, *name, "it is empty: not finished by its creator, or left behind");
  if (expected_bytes != 0 && bytes != expected_bytes)
    return refusal(Status::mismatch, *name, std::to_string(bytes) + " bytes, expected " + std::to_string(expected_bytes));
  const std::uint64_t backed = static_cast<std::uint64_t>(found.st_blocks) * 512;
  if (backed < bytes)
    return refusal(Status::mismatch, *name,
                   "only " + std::to_string(backed) + " of " + std::to_string(bytes) + " bytes are backed");
  return map(*name, fd, bytes);
}

MappedPage::MappedPage(MappedPage&& other) noexcept
    : name_(std::move(other.name_)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      counted_(std::move(other.counted_)) {}

MappedPage& MappedPage::operator=(MappedPage&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(counted_, other.counted_);
  return *this;
}

MappedPage::~MappedPage() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

Result<void> unlink_page(std::string_view given) {
  const Result<std::string> name = checked_page_name(given);
  if (!name) return tl::unexpected<Error>(name.error());
  if (::shm_unlink(name->c_str()) != 0 && errno != ENOENT) return failure(*name, "removing its name", errno);
  return {};
}

}  // namespace tenter::hw
