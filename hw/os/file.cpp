#include "hw/os/file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "hw/os/status.hpp"

namespace tenter::os {
namespace {

// While it lives, SIGXFSZ does not reach this thread, whatever its action is; the write that raised it has said EFBIG already.
class WithoutSizeSignal {
 public:
  WithoutSizeSignal() noexcept {
    sigset_t pending;
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    sigpending(&pending);
    pending_before_ = sigismember(&pending, SIGXFSZ) == 1;
  }
  WithoutSizeSignal(const WithoutSizeSignal&) = delete;
  WithoutSizeSignal& operator=(const WithoutSizeSignal&) = delete;
  ~WithoutSizeSignal() {
    const timespec at_once{};
    while (!pending_before_ && sigtimedwait(&signal_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t signal_, before_;
  bool pending_before_ = false;
};

}  // namespace

Result<std::string> read_to_end(int descriptor, const std::string& name, std::uint64_t limit) {
  std::string content;
  while (true) {
    constexpr std::size_t piece = 64 * 1024;
    const std::size_t have = content.size();
    content.resize(have + std::min<std::uint64_t>(piece, limit - have + 1));  // one more, to see that there is more
    const ssize_t got = read(descriptor, content.data() + have, content.size() - have);
    const int code = errno;
    content.resize(have + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && code == EINTR) continue;
    if (got < 0) return system_error(name, code);
    if (got == 0) return content;
    if (content.size() > limit) return error(Status::invalid, name + ": more than " + std::to_string(limit) + " bytes");
  }
}

Result<std::string> read_file(const std::string& path, std::uint64_t limit) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return system_error(path, errno);
  auto content = read_to_end(file, path, limit);
  close(file);
  return content;
}

Written write_all(int descriptor, Bytes head, Bytes tail) noexcept {
  const WithoutSizeSignal guard;
  Written written;
  while (!head.empty() || !tail.empty()) {
    const iovec parts[] = {{const_cast<std::byte*>(head.data()), head.size()},
                           {const_cast<std::byte*>(tail.data()), tail.size()}};
    const ssize_t wrote = writev(descriptor, parts, 2);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      written.native = wrote < 0 ? errno : EIO;  // writing nothing for ever is no progress
      return written;
    }
    const auto taken = static_cast<std::size_t>(wrote);
    written.bytes += taken;
    const std::size_t of_head = std::min(taken, head.size());
    head = head.subspan(of_head);
    tail = tail.subspan(taken - of_head);
  }
  return written;
}

int reserve(int descriptor, std::uint64_t bytes) noexcept {
  const WithoutSizeSignal guard;
  int native = 0;
  do {
    native = posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
  } while (native == EINTR);
  return native;
}

}  // namespace tenter::os
