// The watch over the parent by itself.
#include "hw/group/parent_watch.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hw/posix/host_part.hpp"

namespace tenter::hw {
namespace {

constexpr int taken_for_gone = 99;

ProcessId this_process() {
  const auto pid = static_cast<std::uint64_t>(getpid());
  return {pid, start_time_of(pid)};
}

// In a process of its own, which the watch may end: its exit code, 0 when it ended by itself.
int exit_code_of(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// poll(2) of two descriptors fails with EINVAL where only one may be open. The parent lives all the time.
TEST(ParentWatch, a_poll_that_fails_is_not_the_parents_death) {
  const int code = exit_code_of([parent = this_process()] {
    auto watch = ParentWatch::open(parent);
    if (!watch) _exit(1);
    const Descriptor lifeline = watch->take_lifeline();
    const rlimit one{1, 1};
    if (setrlimit(RLIMIT_NOFILE, &one) != 0) _exit(2);
    watch->start(seconds(0), taken_for_gone);
    pollfd end{lifeline.get(), POLLIN, 0};
    if (::poll(&end, 1, 100) != 0) _exit(3);  // the life-line is at its end
  });
  EXPECT_EQ(code, 0);
}

TEST(ParentWatch, a_parent_that_goes_ends_the_lifeline_and_then_the_process) {
  int hold[2];
  ASSERT_EQ(pipe(hold), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    char byte = 0;
    close(hold[1]);
    _exit(read(hold[0], &byte, 1) == 0 ? 0 : 1);
  }
  close(hold[0]);
  const auto pid = static_cast<std::uint64_t>(parent);
  const int code = exit_code_of([&, id = ProcessId{pid, start_time_of(pid)}] {
    auto watch = ParentWatch::open(id);
    if (!watch) _exit(1);
    const Descriptor lifeline = watch->take_lifeline();
    watch->start(seconds(0), taken_for_gone);
    close(hold[1]);
    kill(parent, SIGKILL);
    while (true) pause();
  });
  EXPECT_EQ(code, taken_for_gone);
  close(hold[1]);
  EXPECT_EQ(waitpid(parent, nullptr, 0), parent);
}

}  // namespace
}  // namespace tenter::hw
