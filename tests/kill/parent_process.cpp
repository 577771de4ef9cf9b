#include "tests/kill/parent_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "hw/group/group.hpp"
#include "hw/part.hpp"
#include "hw/posix/process_stat.hpp"
#include "tests/group/watching.hpp"
#include "tests/kill/plan_hook.hpp"

namespace tenter::kill_matrix {
namespace {

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int milliseconds_until(Time deadline) {
  return static_cast<int>(std::clamp<std::int64_t>(number(deadline - hw::now()) / 1'000'000, 0, 60'000));
}

}  // namespace

ParentProcess::ParentProcess(const std::string& base, const std::string& plan, bool pause) : base_(base) {
  int out[2] = {-1, -1}, in[2] = {-1, -1};
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(in, O_CLOEXEC) != 0) return;
  const std::string program = hw::this_program();
  pid_ = fork();
  if (pid_ == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    setenv(mark_variable, base.c_str(), 1);
    setenv(plan_variable, plan.c_str(), 1);
    execl(program.c_str(), program.c_str(), "script", base.c_str(), pause ? "pause" : "run", nullptr);
    _exit(127);
  }
  close(out[1]);
  close(in[0]);
  output_ = hw::Descriptor(out[0]);
  input_ = hw::Descriptor(in[1]);
  if (const auto stat = hw::stat_of(static_cast<std::uint64_t>(pid_))) start_time_ = stat->start_time;
}

ParentProcess::~ParentProcess() {
  watching::comes_true([&] {
    const std::vector<ProcessId> left = marked_processes(base_);
    for (const ProcessId& process : left) {
      if (const hw::Descriptor pidfd = hw::open_process(process)) hw::send_signal(pidfd, SIGKILL);
    }
    return left.empty();
  });
  if (!reaped_ && pid_ > 0) waitpid(pid_, nullptr, 0);
}

std::optional<std::string> ParentProcess::line(Time deadline) {
  while (true) {
    if (const std::size_t end = rest_.find('\n'); end != std::string::npos) {
      std::string found = rest_.substr(0, end);
      rest_.erase(0, end + 1);
      return found;
    }
    pollfd readable{output_.get(), POLLIN, 0};
    if (poll(&readable, 1, milliseconds_until(deadline)) <= 0) return std::nullopt;
    char buffer[4096];
    const ssize_t got = read(output_.get(), buffer, sizeof buffer);
    if (got <= 0) return std::nullopt;
    rest_.append(buffer, static_cast<std::size_t>(got));
  }
}

void ParentProcess::go_on() { [[maybe_unused]] const ssize_t sent = write(input_.get(), "\n", 1); }

bool ParentProcess::wait_for_end(Time deadline) {
  if (reaped_) return true;
  const hw::Descriptor process = hw::open_process(id());
  pollfd end{process.get(), POLLIN, 0};
  while (poll(&end, 1, milliseconds_until(deadline)) < 0 && errno == EINTR) {
  }
  reaped_ = waitpid(pid_, nullptr, WNOHANG) == pid_;
  return reaped_;
}

std::vector<ProcessId> marked_processes(const std::string& base) {
  const std::string mark = std::string(mark_variable) + "=" + base + '\0';
  std::vector<ProcessId> found;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry("/proc", failure), end; !failure && entry != end; entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    std::uint64_t pid = 0;
    const auto [last, bad] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (bad != std::errc{} || last != name.data() + name.size()) continue;
    if (content_of(entry->path() / "environ").find(mark) == std::string::npos) continue;
    const auto stat = hw::stat_of(pid);
    if (stat && stat->state != 'Z' && stat->state != 'X') found.push_back({pid, stat->start_time});
  }
  return found;
}

std::vector<std::string> marked(const std::string& base) {
  std::vector<std::string> found;
  for (const ProcessId& process : marked_processes(base)) {
    std::string name = content_of("/proc/" + std::to_string(process.pid) + "/comm");
    while (!name.empty() && name.back() == '\n') name.pop_back();
    const auto stat = hw::stat_of(process.pid);
    found.push_back(std::to_string(process.pid) + " (" + name + ", " + (stat ? stat->state : 'X') + ")");
  }
  return found;
}

}  // namespace tenter::kill_matrix
