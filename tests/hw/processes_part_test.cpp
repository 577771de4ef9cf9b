// Real processes: how they start, end, are told apart and leave nothing behind.
#include "hw/posix/processes_part.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "hw/loop/process.hpp"
#include "hw/posix/process_stat.hpp"

namespace tenter::hw {
namespace {

using TestPort = Port<ProcessesPart>;
static_assert(Processes<TestPort>);

struct Recorder {
  std::vector<event::Spawned> spawned;
  std::vector<event::ProcessExited> exited;
  std::string states;
  int parent_exits = 0;
  void on(const event::Spawned& e, TestPort&) { spawned.push_back(e); }
  void on(const event::ProcessExited& e, TestPort&) { exited.push_back(e); }
  void on(const event::ProcessesInspected& e, TestPort&) { states = e.states.text(); }
  void on(const event::ParentExited&, TestPort&) { ++parent_exits; }
};

Blob text(std::string_view characters) { return Blob(characters); }

class ProcessesTest : public testing::Test {
 protected:
  ProcessesTest() : port_{{context_}, {}}, process_(context_, port_, Recorder{}) { context_.current = Role{0}; }

  template <class Predicate>
  bool until(Predicate&& predicate) {
    return process_.run_until(predicate, now() + seconds(20));
  }
  Recorder& seen() { return process_.machine<0>(); }
  ProcessId spawn(Op op, Parts arguments, Parts environment = {}) {
    port_.spawn(op, std::move(arguments), std::move(environment));
    const std::size_t before = seen().spawned.size();
    EXPECT_TRUE(until([&] { return seen().spawned.size() > before; }));
    EXPECT_EQ(seen().spawned.back().status, Status::ok) << seen().spawned.back().text.text();
    return seen().spawned.back().process;
  }
  ProcessId shell(Op op, std::string_view script, Parts environment = {}) {
    return spawn(op, {text("sh"), text("-c"), text(script)}, std::move(environment));
  }
  std::string inspect(std::vector<ProcessId> processes) {
    seen().states.clear();
    port_.inspect_processes(Op{99}, std::move(processes));
    EXPECT_TRUE(until([&] { return !seen().states.empty(); }));
    return seen().states;
  }
  event::ProcessExited next_exit() {
    EXPECT_TRUE(until([&] { return !seen().exited.empty(); }));
    if (seen().exited.empty()) return {};
    const event::ProcessExited e = seen().exited.front();
    seen().exited.erase(seen().exited.begin());
    return e;
  }

  Context context_;
  TestPort port_;
  Process<TestPort, Recorder> process_;
};

TEST_F(ProcessesTest, the_exit_code_of_a_child_is_told) {
  const ProcessId child = shell(Op{1}, "exit 7");
  EXPECT_GT(child.start_time, 0U);
  const auto e = next_exit();
  EXPECT_EQ(e.op, Op{1});
  EXPECT_EQ(e.code, 7);
  EXPECT_EQ(e.signal, 0);
  EXPECT_EQ(kill(static_cast<pid_t>(child.pid), 0), -1) << "a zombie is left";
}

TEST_F(ProcessesTest, a_killed_child_tells_its_signal_and_takes_its_process_group_along) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);  // inherited by both shells: at its end when both are dead
  const ProcessId child = shell(Op{1}, "sleep 1000 & wait");
  close(ends[1]);
  port_.kill_processes(SIGTERM, {child});
  const auto e = next_exit();
  EXPECT_EQ(e.code, -1);
  EXPECT_EQ(e.signal, SIGTERM);
  pollfd end{ends[0], POLLIN, 0};
  EXPECT_EQ(::poll(&end, 1, 20'000), 1) << "the background sleep lives on";
  close(ends[0]);
}

TEST_F(ProcessesTest, the_states_of_processes_are_told_by_letter) {
  const ProcessId child = spawn(Op{1}, {text("sleep"), text("1000")});
  ProcessId stranger = child;
  ++stranger.start_time;
  ProcessId unknown = child;
  unknown.start_time = 0;
  EXPECT_EQ(inspect({child, stranger, unknown, ProcessId{4'000'000'000U, 0}}), "RXXX");
  port_.kill_processes(SIGSTOP, {child});
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child.pid), &info, WSTOPPED | WNOWAIT), 0);
  EXPECT_EQ(inspect({child}), "T");
  port_.kill_processes(SIGKILL, {child});
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(state_letter(child), 'Z');
  EXPECT_EQ(next_exit().signal, SIGKILL);
  EXPECT_EQ(inspect({child}), "X");
}

TEST_F(ProcessesTest, a_process_with_another_start_time_is_never_killed) {
  const ProcessId child = spawn(Op{1}, {text("sleep"), text("1000")});
  ProcessId stranger = child;
  ++stranger.start_time;
  ProcessId unknown = child;
  unknown.start_time = 0;
  port_.kill_processes(SIGKILL, {stranger, unknown, ProcessId{0, 0}, ProcessId{0, 1}});
  port_.watch_process(Op{2}, stranger);
  const auto e = next_exit();
  EXPECT_EQ(e.op, Op{2}) << "the child died of a signal for someone else";
  EXPECT_EQ(e.code, -1);
  EXPECT_EQ(e.signal, -1);
  EXPECT_EQ(inspect({child}), "R");
}

TEST_F(ProcessesTest, a_process_that_is_not_ours_is_watched_and_not_reaped) {
  const pid_t other = fork();
  if (other == 0) {
    pause();
    _exit(0);
  }
  const auto pid = static_cast<std::uint64_t>(other);
  port_.watch_process(Op{5}, ProcessId{pid, stat_of(pid)->start_time});
  port_.kill_processes(SIGKILL, {ProcessId{pid, stat_of(pid)->start_time}});
  const auto e = next_exit();
  EXPECT_EQ(e.op, Op{5});
  EXPECT_EQ(e.code, -1);
  int status = 0;
  ASSERT_EQ(waitpid(other, &status, 0), other) << "it was reaped under its owner's feet";
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST_F(ProcessesTest, a_program_that_cannot_start_is_named_with_its_cause) {
  port_.spawn(Op{1}, {text("no-such-program-anywhere")}, {});
  port_.spawn(Op{2}, {text("/etc/passwd")}, {});
  port_.spawn(Op{3}, {}, {});
  ASSERT_TRUE(until([&] { return seen().spawned.size() == 3; }));
  EXPECT_EQ(seen().spawned[0].status, Status::not_found);
  EXPECT_NE(seen().spawned[0].text.text().find("no-such-program-anywhere"), std::string_view::npos);
  EXPECT_NE(seen().spawned[0].text.text().find("No such file"), std::string_view::npos);
  EXPECT_EQ(seen().spawned[1].status, Status::denied);
  EXPECT_EQ(seen().spawned[2].status, Status::invalid);
  EXPECT_TRUE(children_of_self().empty());
}

TEST_F(ProcessesTest, the_environment_is_inherited_and_added_to) {
  setenv("TENTER_TEST_KEPT", "kept", 1);
  setenv("TENTER_TEST_CHANGED", "old", 1);
  shell(Op{1}, "test \"$TENTER_TEST_KEPT $TENTER_TEST_CHANGED\" = 'kept new'", {text("TENTER_TEST_CHANGED=new")});
  EXPECT_EQ(next_exit().code, 0);
}

TEST_F(ProcessesTest, the_lifeline_of_a_child_is_open_while_its_parent_lives) {
  // cat would end at once if the life-line were closed or at its end.
  const ProcessId child = shell(Op{1}, "eval \"exec cat <&$TENTER_LIFELINE\"");
  EXPECT_EQ(inspect({child}), "R");
  EXPECT_TRUE(seen().exited.empty());
}

TEST_F(ProcessesTest, the_end_of_the_own_lifeline_is_told_to_every_role_given) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  setenv("TENTER_LIFELINE", std::to_string(ends[1]).c_str(), 1);
  EXPECT_FALSE(inherited_lifeline()) << "the write end is no life-line";
  setenv("TENTER_LIFELINE", std::to_string(ends[0]).c_str(), 1);
  Descriptor lifeline = inherited_lifeline();
  unsetenv("TENTER_LIFELINE");
  ASSERT_TRUE(lifeline);
  port_.watch_lifeline(std::move(lifeline), {Role{0}, Role{0}});
  process_.run_ready();
  EXPECT_EQ(seen().parent_exits, 0);
  close(ends[1]);
  EXPECT_TRUE(until([&] { return seen().parent_exits == 2; }));
}

TEST_F(ProcessesTest, an_exit_request_is_kept_for_the_owner_of_the_loop) {
  EXPECT_FALSE(port_.exit_requested());
  port_.exit_process(3, false);
  port_.exit_process(4, true);
  EXPECT_EQ(port_.exit_requested(), (ExitRequest{3, false}));
}

TEST_F(ProcessesTest, an_orphan_of_a_dead_child_is_adopted_and_reaped) {
  shell(Op{1}, "sleep 1000 & exit 0");
  EXPECT_EQ(next_exit().code, 0);
  const auto orphans = children_of_self();
  ASSERT_EQ(orphans.size(), 1U);
  const ProcessId orphan{orphans[0], stat_of(orphans[0])->start_time};
  port_.watch_process(Op{8}, orphan);
  port_.kill_processes(SIGKILL, {orphan});
  EXPECT_EQ(next_exit().op, Op{8});
  EXPECT_TRUE(children_of_self().empty());
}

TEST(Processes, nothing_is_left_when_the_part_goes) {
  Context context;
  context.current = Role{0};
  ProcessId child;
  {
    TestPort port{{context}, {}};
    port.spawn(Op{1}, {text("sh"), text("-c"), text("trap '' TERM; sleep 1000 & sleep 1000")}, {});
    port.spawn(Op{2}, {text("sh"), text("-c"), text("sleep 1000 & exec sleep 1000")}, {});
    child = std::get<event::Spawned>(context.inbox.front().event).process;
    EXPECT_EQ(Resources::held(Resource::process), 2);
  }
  EXPECT_EQ(state_letter(child), 'X');
  EXPECT_EQ(Resources::held_text(), "");
}

// The parent is a process of its own here: it is killed, so no destructor helps.
TEST(Processes, a_child_dies_with_a_parent_that_is_killed) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    Context context;
    ProcessesPart part(context);
    part.perform(action::Spawn{Op{1}, {text("sleep"), text("1000")}, {}});
    const bool spawned = std::get<event::Spawned>(context.inbox.front().event).status == Status::ok;
    if (!spawned || write(ends[1], "x", 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  close(ends[1]);  // left: the parent's and its child's
  char ready = 0;
  ASSERT_EQ(read(ends[0], &ready, 1), 1);
  kill(parent, SIGKILL);
  pollfd end{ends[0], POLLIN, 0};
  EXPECT_EQ(::poll(&end, 1, 20'000), 1) << "the child lives on";
  waitpid(parent, nullptr, 0);
  while (waitpid(-1, nullptr, 0) > 0) {  // this process is a subreaper by the tests before
  }
  close(ends[0]);
}

// The set of exits refuses everything: its descriptor is another file's.
TEST_F(ProcessesTest, an_exit_is_told_though_the_kernel_does_not_take_it_into_the_set) {
  int replaced = 0;
  for (int fd = 3; fd < 64; ++fd) {
    char target[64] = {};
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    if (readlink(link.c_str(), target, sizeof target - 1) <= 0 || std::string(target) != "anon_inode:[eventpoll]") continue;
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    ASSERT_EQ(dup3(nothing, fd, O_CLOEXEC), fd);
    close(nothing);
    ++replaced;
  }
  ASSERT_EQ(replaced, 1);
  const ProcessId ended = shell(Op{1}, "exit 5");
  const event::ProcessExited exited = next_exit();
  EXPECT_EQ(exited.op, Op{1});
  EXPECT_EQ(exited.code, 5);
  EXPECT_EQ(state_letter(ended), 'X');
  shell(Op{2}, "read forever");  // ended by the destructor, which does not throw
}

}  // namespace
}  // namespace tenter::hw
