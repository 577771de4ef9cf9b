#include "hw/group/guardian.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

namespace tenter::hw {
namespace {

constexpr char dismissed = 'c';

// Own session, no terminal, no descriptor but the line: whoever waits for the end of the parent's pipes must not wait for us.
void leave_parent(int line) {
  setsid();
  prctl(PR_SET_PDEATHSIG, 0);
  prctl(PR_SET_NAME, "tenter-guardian");
  for (const int ignored : {SIGINT, SIGHUP, SIGPIPE, SIGQUIT}) std::signal(ignored, SIG_IGN);
  for (const int normal : {SIGTERM, SIGCHLD}) std::signal(normal, SIG_DFL);
  if (line != 3) {
    dup2(line, 3);
  }
  close_range(4, ~0u, 0);
  const int nothing = open("/dev/null", O_RDWR);
  for (int standard = 0; standard < 3; ++standard) dup2(nothing, standard);
  if (nothing > 3) close(nothing);
}

[[noreturn]] void guard(int line, const std::string& folder) {
  leave_parent(line);
  char word = 0;
  ssize_t got = 0;
  while ((got = read(3, &word, 1)) < 0 && errno == EINTR) {
  }
  if (got == 1 && word == dismissed) _exit(0);
  _exit(clean_up_after_parent(folder) ? 0 : 1);
}

}  // namespace

Result<Guardian> Guardian::start(const std::string& folder) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return error(Status::failed, "guardian: pipe: " + std::generic_category().message(errno), errno);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[1]);
    guard(ends[0], folder);
  }
  const int code = errno;
  close(ends[0]);
  Descriptor line(ends[1]);
  if (child < 0) return error(Status::failed, "guardian: fork: " + std::generic_category().message(code), code);
  return Guardian(child, std::move(line));
}

Guardian::Guardian(Guardian&& other) noexcept : pid_(std::exchange(other.pid_, 0)), line_(std::move(other.line_)) {}

void Guardian::dismiss() { [[maybe_unused]] const ssize_t sent = write(line_.get(), &dismissed, 1); }

Guardian::~Guardian() {
  if (pid_ == 0) return;
  line_ = Descriptor();
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace tenter::hw
