// A /dev/shm of one's own, as small as a test wants it: in a child process with a mount namespace of its own.
#pragma once
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>

namespace tenter {

inline const std::string no_private_memory = "no private /dev/shm";

// What `check` found wrong, empty when nothing, run in a child that sees an empty tmpfs of `size` ("8m") as /dev/shm; or
// no_private_memory when this user may not mount. A child that a signal ended is told by its number.
inline std::string run_with_private_memory(const std::string& size, const std::function<std::string()>& check) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "pipe failed";
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const bool mounted = unshare(CLONE_NEWNS) == 0 && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, ("mode=1777,size=" + size).c_str()) == 0;
    const std::string wrong = mounted ? check() : no_private_memory;
    const ssize_t wrote = write(ends[1], wrong.data(), wrong.size());
    _exit(wrote == static_cast<ssize_t>(wrong.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string wrong;
  std::array<char, 4096> piece{};
  for (ssize_t got = 0; (got = read(ends[0], piece.data(), piece.size())) > 0;)
    wrong.append(piece.data(), static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return "fork or wait failed";
  if (WIFSIGNALED(status))
    wrong += "ended by signal " + std::to_string(WTERMSIG(status));
  else if (WEXITSTATUS(status) != 0)
    wrong += "its finding could not be told";
  return wrong;
}

}  // namespace tenter
