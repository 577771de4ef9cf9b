#include "hw/posix/files_part.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "hw/os/file.hpp"
#include "hw/os/status.hpp"

namespace tenter::hw {
namespace {

constexpr std::string_view temporary_prefix = ".tmp-";
constexpr int directory_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

tl::unexpected<Error> failure(std::string_view phase, std::string_view path, int code = errno) {
  return os::system_error(std::string(phase) + " " + std::string(path), code);
}

Result<struct stat> look_at(int fd, std::string_view path) {
  struct stat found {};
  if (fstat(fd, &found) != 0) return failure("look at", path);
  return found;
}

Result<std::vector<std::string>> names_in(const Descriptor& directory, std::string_view path) {
  const int own = openat(directory.get(), ".", directory_flags);  // fdopendir takes it over
  if (own < 0) return failure("list", path);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(own), closedir);
  if (!stream) {
    const int code = errno;
    close(own);
    return failure("list", path, code);
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return failure("list", path);
  std::sort(names.begin(), names.end());
  return names;
}

Result<Blob> write_all(int fd, Bytes bytes, std::string_view path) {
  if (const int native = os::write_all(fd, bytes).native; native != 0) return failure("write", path, native);
  if (fsync(fd) != 0) return failure("fsync", path);
  return Blob();
}

}  // namespace

Result<void> FilesPart::owned(const struct stat& found, std::string_view path) const {
  if (found.st_uid == geteuid() || also_ == found.st_uid) return {};
  return error(Status::denied, std::string(path) + " belongs to user " + std::to_string(found.st_uid) + ", not to user " +
                                   std::to_string(geteuid()) + (also_ ? " and not to user " + std::to_string(*also_) : ""));
}

FilesPart::FilesPart(Context& context, const std::string& root, std::optional<std::uint32_t> also)
    : context_(context), also_(also), root_(open(root.c_str(), directory_flags)) {
  if (!root_) throw std::runtime_error("open root folder " + root + ": " + std::generic_category().message(errno));
  const auto found = look_at(root_.get(), root);
  if (!found) throw std::runtime_error(found.error().what);
  if (const auto ours = owned(*found, root); !ours) throw std::runtime_error(ours.error().what);
}

Result<Descriptor> FilesPart::directory_of(std::string_view path) const {
  Descriptor at(openat(root_.get(), ".", directory_flags));
  if (!at) return failure("open", path);
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t slash = rest.find('/');
    const std::string name(rest.substr(0, slash));
    rest = slash == std::string_view::npos ? std::string_view{} : rest.substr(slash + 1);
    if (name == "." && path == ".") break;
    if (name.empty() || name == "." || name == ".." || name.find('\0') != std::string::npos) {
      return error(Status::invalid, "path " + std::string(path) + " is not a plain path under the root folder");
    }
    Descriptor next(openat(at.get(), name.c_str(), directory_flags));
    if (!next) return failure("open directory", path);
    const auto found = look_at(next.get(), path);
    if (!found) return tl::unexpected<Error>(found.error());
    if (const auto ours = owned(*found, path); !ours) return tl::unexpected<Error>(ours.error());
    at = std::move(next);
  }
  return at;
}

Result<FilesPart::Place> FilesPart::place_of(std::string_view path) const {
  const std::size_t slash = path.rfind('/');
  const std::string name(slash == std::string_view::npos ? path : path.substr(slash + 1));
  if (name.empty() || name == "." || name == ".." || name.find('\0') != std::string::npos || slash == 0 ||
      (slash != std::string_view::npos && path[slash - 1] == '/') || name.starts_with(temporary_prefix)) {
    return error(Status::invalid, "path " + std::string(path) + " is not a plain path under the root folder");
  }
  auto directory = directory_of(slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash));
  if (!directory) return tl::unexpected<Error>(directory.error());
  return Place{std::move(*directory), name};
}

Result<Blob> FilesPart::write_whole(const action::PublishFile& a) {
  const std::string_view path = a.path.text();
  const auto place = place_of(path);
  if (!place) return tl::unexpected<Error>(place.error());
  const int at = place->directory.get();
  const std::string temporary = std::string(temporary_prefix) + std::to_string(getpid()) + "-" + std::to_string(++temporaries_);
  unlinkat(at, temporary.c_str(), 0);  // of a crashed process that had our pid
  const Descriptor file(openat(at, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return failure("create", path);
  auto done = write_all(file.get(), a.content.bytes(), path);
  if (done && renameat(at, temporary.c_str(), at, place->name.c_str()) != 0) done = failure("rename", path);
  if (!done) {
    unlinkat(at, temporary.c_str(), 0);
    return done;
  }
  if (fsync(at) != 0) return failure("fsync the directory of", path);
  return done;
}

Result<Blob> FilesPart::read(const action::ReadFile& a) const {
  const std::string_view path = a.path.text();
  const auto place = place_of(path);
  if (!place) return tl::unexpected<Error>(place.error());
  const Descriptor file(openat(place->directory.get(), place->name.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return failure("open", path);
  const auto found = look_at(file.get(), path);
  if (!found) return tl::unexpected<Error>(found.error());
  if (const auto ours = owned(*found, path); !ours) return tl::unexpected<Error>(ours.error());
  if (!S_ISREG(found->st_mode)) return error(Status::invalid, std::string(path) + " is not a regular file");
  const auto size = static_cast<std::uint64_t>(found->st_size);
  if (size > a.limit) {
    return error(Status::invalid,
                 std::string(path) + " has " + std::to_string(size) + " bytes, the limit is " + std::to_string(a.limit));
  }
  std::vector<std::byte> bytes(size);
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("read", path);
    if (got == 0) break;  // it was shortened meanwhile
    have += static_cast<std::size_t>(got);
  }
  return Blob(Bytes(bytes.data(), have));
}

void FilesPart::answer(Op op, const Result<Blob>& result) {
  context_.push(context_.current, event::FileDone{now(), op, result ? Status::ok : result.error().status,
                                                  result ? *result : Blob(std::string_view(result.error().what))});
}

void FilesPart::perform(const action::PublishFile& a) { answer(a.op, write_whole(a)); }
void FilesPart::perform(const action::ReadFile& a) { answer(a.op, read(a)); }

void FilesPart::perform(const action::RemoveFile& a) {
  const auto place = place_of(a.path.text());
  if (!place) {
    if (place.error().status == Status::not_found) return answer(a.op, Blob());
    return answer(a.op, tl::unexpected<Error>(place.error()));
  }
  if (unlinkat(place->directory.get(), place->name.c_str(), 0) != 0 && errno != ENOENT) {
    return answer(a.op, failure("remove", a.path.text()));
  }
  answer(a.op, Blob());
}

void FilesPart::perform(const action::MakeDirectory& a) {
  const auto place = place_of(a.path.text());
  if (!place) return answer(a.op, tl::unexpected<Error>(place.error()));
  if (mkdirat(place->directory.get(), place->name.c_str(), 0700) != 0) return answer(a.op, failure("make", a.path.text()));
  answer(a.op, Blob());
}

void FilesPart::perform(const action::RemoveDirectory& a) {
  const std::string_view path = a.path.text();
  const auto place = place_of(path);
  const auto directory = place ? directory_of(path) : Result<Descriptor>(tl::unexpected<Error>(place.error()));
  if (!directory) {
    if (directory.error().status == Status::not_found) return answer(a.op, Blob());
    return answer(a.op, tl::unexpected<Error>(directory.error()));
  }
  const auto names = names_in(*directory, path);
  if (!names) return answer(a.op, tl::unexpected<Error>(names.error()));
  for (const std::string& name : *names) {
    if (unlinkat(directory->get(), name.c_str(), 0) != 0 && errno != ENOENT)
      return answer(a.op, failure("remove " + name + " in", path));
  }
  if (unlinkat(place->directory.get(), place->name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) {
    return answer(a.op, failure("remove", path));
  }
  answer(a.op, Blob());
}

void FilesPart::perform(const action::ListFiles& a) {
  const auto directory = directory_of(a.directory.text());
  const auto names = directory ? names_in(*directory, a.directory.text())
                               : Result<std::vector<std::string>>(tl::unexpected<Error>(directory.error()));
  std::vector<Blob> listed;
  if (names) {
    for (const std::string& name : *names) {
      if (!name.starts_with(temporary_prefix)) listed.emplace_back(std::string_view(name));
    }
  }
  context_.push(context_.current,
                event::FilesListed{now(), a.op, names ? Status::ok : names.error().status, Parts(std::move(listed))});
}

// A watch that cannot be set answers at once: FilesChanged may come without a reason, a lost change may not.
void FilesPart::perform(const action::WatchFiles& a) {
  if (!inotify_) inotify_ = Descriptor(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  const auto directory = directory_of(a.directory.text());
  int watch = -1;
  if (directory && inotify_) {
    const std::string self = "/proc/self/fd/" + std::to_string(directory->get());
    watch = inotify_add_watch(inotify_.get(), self.c_str(),
                              IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE | IN_DELETE_SELF);
  }
  if (watch < 0) return context_.push(context_.current, event::FilesChanged{now(), a.op});
  watches_.emplace(watch, std::pair{context_.current, a.op});
}

void FilesPart::poll() {
  if (watches_.empty()) return;
  alignas(inotify_event) std::array<char, 4096> buffer;
  ssize_t got = 0;
  while ((got = ::read(inotify_.get(), buffer.data(), buffer.size())) > 0) {
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      inotify_event change{};
      std::memcpy(&change, buffer.data() + at, sizeof change);
      at += sizeof change + change.len;
      const bool all = (change.mask & IN_Q_OVERFLOW) != 0;  // changes were lost: everyone looks again
      const auto first = all ? watches_.begin() : watches_.lower_bound(change.wd);
      const auto last = all ? watches_.end() : watches_.upper_bound(change.wd);
      for (auto i = first; i != last; ++i) context_.push(i->second.first, event::FilesChanged{now(), i->second.second});
      watches_.erase(first, last);
    }
  }
}

void FilesPart::add_waits(WaitSet& waits) const {
  if (!watches_.empty()) waits.descriptors.push_back({inotify_.get(), POLLIN, 0});
}

}  // namespace tenter::hw
