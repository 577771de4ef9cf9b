#include "cli/worker_process.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace tenter::cli {
namespace {

constexpr int ended_by_exception = 70;

std::runtime_error refused(const char* call, int code) {
  return std::runtime_error(std::string(call) + " for a worker: " + std::strerror(code));
}

}  // namespace

struct WorkerProcess::Shared {
  Task task{0};
  char cause[2048] = {};  // of an exception; cut, and always with its final zero

  void set_cause(std::string_view text) { text.substr(0, sizeof cause - 1).copy(cause, sizeof cause - 1); }
};

WorkerProcess::WorkerProcess(const Work& work) {
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw refused("mmap", errno);
  shared_ = new (memory) Shared;
  int ends[2] = {-1, -1};
  const bool piped = pipe2(ends, O_CLOEXEC) == 0;
  pid_ = piped ? fork() : -1;
  if (pid_ == 0) run(work, ends[1]);
  const int code = errno;
  results_ = ends[0];
  if (piped) ::close(ends[1]);
  if (pid_ > 0) return;
  if (piped) ::close(ends[0]);
  munmap(memory, sizeof(Shared));
  throw refused(piped ? "fork" : "pipe2", code);
}

// Never leaves: an exception that went on from here would end the command's own objects, its other workers among them, twice.
void WorkerProcess::run(const Work& work, int to) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);  // the parent decides what they mean
  try {
    work(shared_->task, to);
    _exit(0);
  } catch (const std::exception& failure) {
    shared_->set_cause(failure.what());
  } catch (...) {
    shared_->set_cause("an exception that is no std::exception");
  }
  _exit(ended_by_exception);
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : shared_(std::exchange(other.shared_, nullptr)),
      pid_(std::exchange(other.pid_, -1)),
      results_(std::exchange(other.results_, -1)) {}

WorkerProcess::~WorkerProcess() {
  kill();
  (void)end();
  if (results_ >= 0) ::close(results_);
  if (shared_ != nullptr) munmap(shared_, sizeof(Shared));
}

void WorkerProcess::kill() {
  if (running()) ::kill(pid_, SIGKILL);
}

std::optional<WorkerProcess::BadEnd> WorkerProcess::end() {
  if (!running()) return std::nullopt;
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  std::string cause = shared_->cause;
  if (WIFSIGNALED(status))
    cause = "ended by signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
  else if (cause.empty())
    cause = "ended with exit code " + std::to_string(WEXITSTATUS(status));
  return BadEnd{shared_->task.load(), std::move(cause)};
}

}  // namespace tenter::cli
