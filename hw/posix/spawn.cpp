#include "hw/posix/spawn.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "hw/os/status.hpp"
#include "hw/posix/descriptor.hpp"

namespace tenter::hw {
namespace {

// Everything that the child needs, made before the fork: after it only async-signal-safe calls are allowed.
struct Program {
  std::vector<std::string> arguments, environment, paths;
  std::vector<char*> argv, envp;
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(const Parts& added, int lifeline) {
  std::vector<std::string> entries;
  entries.push_back(std::string(lifeline_variable) + "=" + std::to_string(lifeline));
  for (const Blob& entry : added) entries.emplace_back(entry.text());
  const std::size_t ours = entries.size();
  for (char** inherited = environ; inherited && *inherited; ++inherited) {
    const std::string_view entry(*inherited);
    const std::string_view name = entry.substr(0, entry.find('='));
    bool replaced = false;
    for (std::size_t i = 0; i < ours; ++i) {
      replaced |= std::string_view(entries[i]).substr(0, entries[i].find('=')) == name;
    }
    if (!replaced) entries.emplace_back(entry);
  }
  return entries;
}

[[noreturn]] void fail_in_child(int errors, int cause) {
  [[maybe_unused]] const ssize_t written = write(errors, &cause, sizeof cause);
  _exit(127);
}

// A launcher hands its standard input on to a rank and mixes what the ranks print with words of its own: what the user pipes into
// this process is not for it, and what this process prints is a result.
void redirect_standard(int errors) {
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(2, 1) < 0) fail_in_child(errors, errno);
  if (nothing > 2) close(nothing);
}

[[noreturn]] void run_in_child(const Program& program, int lifeline, int errors, pid_t parent) {
  setsid();
  redirect_standard(errors);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail_in_child(errors, errno);
  if (getppid() != parent) _exit(127);  // it died before the death signal was set
  if (fcntl(lifeline, F_SETFD, 0) != 0) fail_in_child(errors, errno);
  signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  int cause = ENOENT;
  for (const std::string& path : program.paths) {
    execve(path.c_str(), program.argv.data(), program.envp.data());
    if (errno != ENOENT && errno != ENOTDIR) cause = errno;  // the most telling one: found, but not startable
  }
  fail_in_child(errors, cause);
}

tl::unexpected<Error> spawn_error(const std::string& program, const char* phase, int cause) {
  return os::system_error("spawn of \"" + program + "\": " + phase, cause);
}

bool has_zero_byte(const Parts& texts) {
  for (const Blob& text : texts) {
    if (text.text().find('\0') != std::string_view::npos) return true;
  }
  return false;
}

// errno of the exec that failed; 0 when the program runs (close-on-exec ended the pipe).
int cause_from(int errors) {
  int cause = 0;
  ssize_t got = 0;
  while ((got = read(errors, &cause, sizeof cause)) < 0 && errno == EINTR) {
  }
  return got == static_cast<ssize_t>(sizeof cause) ? cause : 0;
}

}  // namespace

std::vector<std::string> places_of_program(const std::string& program) {
  if (program.find('/') != std::string::npos) return {program};
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/bin:/bin";
  std::vector<std::string> paths;
  while (true) {
    const std::size_t colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    paths.push_back((folder.empty() ? std::string(".") : std::string(folder)) + "/" + program);
    if (colon == std::string_view::npos) return paths;
    rest.remove_prefix(colon + 1);
  }
}

Result<pid_t> spawn_program(const Parts& arguments, const Parts& environment, int lifeline) {
  if (arguments.empty() || arguments[0].empty()) return error(Status::invalid, "spawn: no program is named");
  const std::string name(arguments[0].text());
  if (has_zero_byte(arguments) || has_zero_byte(environment)) {
    return error(Status::invalid, "spawn of \"" + name + "\": an argument or environment entry holds a zero byte");
  }
  Program program;
  for (const Blob& argument : arguments) program.arguments.emplace_back(argument.text());
  program.environment = environment_with(environment, lifeline);
  program.paths = places_of_program(name);
  program.argv = pointers_to(program.arguments);
  program.envp = pointers_to(program.environment);

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return spawn_error(name, "pipe", errno);
  const Descriptor errors_read(ends[0]);
  Descriptor errors_write(ends[1]);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) run_in_child(program, lifeline, ends[1], parent);
  if (child < 0) return spawn_error(name, "fork", errno);
  errors_write = Descriptor();
  if (const int cause = cause_from(errors_read.get()); cause != 0) {
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return spawn_error(name, "exec", cause);
  }
  return child;
}

}  // namespace tenter::hw
