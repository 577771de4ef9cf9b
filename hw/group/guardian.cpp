#include "hw/group/guardian.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/names.hpp"
#include "hw/os/status.hpp"
#include "hw/part.hpp"

namespace tenter::hw {
namespace {

constexpr char guards = 'g', dismissed = 'c';  // the two words on the line
constexpr int line_number = 3;                 // the line in the guardian
constexpr Duration answer_patience = seconds(30);
constexpr Duration end_patience = seconds(15);       // above what its clean-up may take
constexpr Duration dismissed_patience = seconds(2);  // it has nothing left to do, so nothing is lost when it is killed

int milliseconds_until(Time deadline) {
  return static_cast<int>(std::max<std::int64_t>(0, number(deadline - now()) / 1'000'000));
}

tl::unexpected<Error> refused(const std::string& program, const std::string& step, int code) {
  return os::system_error("guardian (" + program + "): " + step, code);
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_of_guardian(const std::string& folder) {
  const std::string name = std::string(guardian_variable) + "=";
  std::vector<std::string> entries{name + folder};
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    if (!std::string_view(*entry).starts_with(name)) entries.emplace_back(*entry);
  return entries;
}

// posix_spawn(3)'s objects; the first call that fails is kept.
struct SpawnPlan {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int failure = 0;

  // Own session, no terminal, no descriptor but the line: whoever waits for the end of the parent's pipes must not wait for us.
  explicit SpawnPlan(int line) {
    check(posix_spawn_file_actions_init(&actions));
    check(posix_spawnattr_init(&attributes));
    check(posix_spawn_file_actions_adddup2(&actions, line, line_number));
    for (int standard = 0; standard < 3; ++standard)
      check(posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0));
    check(posix_spawn_file_actions_addclosefrom_np(&actions, line_number + 1));
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    check(posix_spawnattr_setsigmask(&attributes, &none));
    check(posix_spawnattr_setsigdefault(&attributes, &all));
    check(posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  void check(int code) {
    if (failure == 0) failure = code;
  }
};

ssize_t receive_word(int line, char& word) {
  ssize_t got = 0;
  while ((got = recv(line, &word, 1, 0)) < 0 && errno == EINTR) {
  }
  return got;
}

}  // namespace

Result<Guardian> Guardian::start(const std::string& folder, const std::vector<std::string>& member) {
  if (member.empty()) return error(Status::invalid, "guardian: no program is named");
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return refused(member[0], "socketpair", errno);
  Descriptor ours(ends[0]);
  Descriptor theirs(ends[1]);
  SpawnPlan plan(theirs.get());
  if (plan.failure != 0) return refused(member[0], "prepare", plan.failure);
  std::vector<std::string> arguments = member, environment = environment_of_guardian(folder);
  pid_t child = 0;
  const int code = posix_spawnp(&child, member[0].c_str(), &plan.actions, &plan.attributes, pointers_to(arguments).data(),
                                pointers_to(environment).data());
  if (code != 0) return refused(member[0], "start", code);
  theirs = Descriptor();
  Guardian guardian(child, std::move(ours));
  if (auto answer = guardian.wait_until_it_guards(member[0]); !answer) return tl::unexpected(answer.error());
  return guardian;
}

Result<void> Guardian::wait_until_it_guards(const std::string& program) {
  const Time deadline = now() + answer_patience;
  pollfd answer{line_.get(), POLLIN, 0};
  int ready = 0;
  do {
    ready = poll(&answer, 1, milliseconds_until(deadline));
  } while (ready < 0 && errno == EINTR);
  const int code = errno;
  char word = 0;
  if (ready > 0 && receive_word(line_.get(), word) == 1 && word == guards) return {};
  kill(pid_, SIGKILL);  // it may be anything; the destructor reaps it
  if (ready < 0) return refused(program, "poll", code);
  return error(Status::invalid, "guardian (" + program + "): it " + (ready > 0 ? "ended" : "ran 30 s") +
                                    " and did not guard: a member program calls run_member() at its start");
}

Guardian::Guardian(Guardian&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), dismissed_(other.dismissed_), line_(std::move(other.line_)) {}

// A socket, because a write to a pipe whose reader was killed would send SIGPIPE to this process.
void Guardian::dismiss() {
  dismissed_ = true;
  while (send(line_.get(), &dismissed, 1, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

// A guardian that is stopped, or whose file system hangs, must not keep the parent from its end.
Guardian::~Guardian() {
  if (pid_ == 0) return;
  line_ = Descriptor();
  const Time deadline = now() + (dismissed_ ? dismissed_patience : end_patience);
  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  pollfd end{process.get(), POLLIN, 0};
  while (process && poll(&end, 1, milliseconds_until(deadline)) < 0 && errno == EINTR) {
  }
  if (process && (end.revents & POLLIN) == 0) kill(pid_, SIGKILL);  // ours and not reaped: the number is no stranger's
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<int> serve_as_guardian() {
  const char* folder = std::getenv(guardian_variable);
  struct stat line {};
  if (folder == nullptr || *folder != '/' || fstat(line_number, &line) != 0 || !S_ISSOCK(line.st_mode)) return std::nullopt;
  prctl(PR_SET_NAME, "tenter-guardian");
  for (const int ignored : {SIGINT, SIGHUP, SIGQUIT}) std::signal(ignored, SIG_IGN);
  // No answer: the parent is gone already, and the read below sees its end.
  while (send(line_number, &guards, 1, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
  char word = 0;
  if (receive_word(line_number, word) == 1 && word == dismissed) return 0;
  return clean_up_after_parent(folder) ? 0 : 1;
}

}  // namespace tenter::hw
