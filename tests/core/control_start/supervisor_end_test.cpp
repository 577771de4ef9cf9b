// The supervisor after GO, and its way out from everywhere. L1, L4, P-X19, R1.
#include "supervisor_kit.hpp"

namespace tenter::control {
namespace supervisor_end_test {
namespace {

using namespace tenter::control::kit;
using Log = std::vector<std::string>;

TEST(SupervisorEnd, an_orderly_end_is_awaited_with_its_code) {
  Office office;
  office.go(State::running);
  office.wait(5);
  for (std::uint32_t rank = 0; rank < 3; ++rank) office.rank_exits(rank);
  EXPECT_EQ(office.machine.state(), State::leaving);
  office.launcher_exits(0);
  EXPECT_FALSE(office.is_complete(5));
  office.removed();
  EXPECT_EQ(office.outcome(5).status, Status::ok);
  EXPECT_EQ(office.outcome(5).a, 0);
  office.wait(6);
  EXPECT_EQ(office.outcome(6).status, Status::ok);
}

TEST(SupervisorEnd, a_running_job_that_fails_names_the_first_to_go_and_the_code) {  // R1
  Office office;
  office.go(State::running);
  office.wait(5);
  office.rank_exits(2);
  office.rank_exits(0);
  office.rank_exits(1);
  office.launcher_exits(9);
  office.removed();
  EXPECT_EQ(office.outcome(5).status, Status::failed);
  EXPECT_EQ(office.outcome(5).a, 9);
  EXPECT_TRUE(names(office.why(5), "rank 2 on node-a (pid 202) is gone, the first"));
  EXPECT_TRUE(names(office.why(5), "exited with code 9 (under Hydra the bitwise OR"));
}

TEST(SupervisorEnd, the_last_wait_has_an_end) {  // P-X19
  Office office;
  office.go(State::running);
  office.wait(5);
  office.rank_exits(0);
  const Time first = office.now;
  office.take();
  office.fire(Kind::patience);
  EXPECT_EQ(office.now, first + SupervisorConfig{}.leave_wait);
  EXPECT_EQ(office.take(), (Log{"kill 15: 201 202 100"}));
  office.rank_exits(1);
  office.rank_exits(2);
  office.launcher_exits(-1, 15);
  office.removed();
  EXPECT_EQ(office.outcome(5).status, Status::timed_out);
  EXPECT_TRUE(
      names(office.why(5), "still there: rank 1 on node-a (pid 201), rank 2 on node-a (pid 202), the launcher (pid 100)"));
}

TEST(SupervisorEnd, a_launcher_that_dies_takes_its_ranks_along_or_they_are_killed) {  // M2
  Office office;
  office.go(State::running);
  office.launcher_exits(-1, 9);
  office.take();
  office.fire(Kind::patience);
  EXPECT_EQ(office.take(), (Log{"kill 15: 200 201 202"}));
}

TEST(SupervisorEnd, a_stop_ends_the_job_in_every_state_and_is_answered_when_nothing_is_left) {  // SIGINT, SIGTERM
  for (int i = number(State::describing); i <= number(State::leaving); ++i) {
    const State state{static_cast<std::uint8_t>(i)};
    Office office;
    office.go(state);
    office.stop(7);
    office.stop(8);
    if (state == State::spawning) office.spawns();
    while (office.machine.state() != State::ended && office.timers.contains(office.op(Kind::patience)))
      office.fire(Kind::patience);
    EXPECT_EQ(office.machine.state(), State::ended) << to_string(state);
    EXPECT_TRUE(office.is_complete(7) && office.is_complete(8));
    if (state < State::running) {
      EXPECT_TRUE(office.is_complete(1) && office.outcome(1).status != Status::ok) << to_string(state);
    }
    EXPECT_TRUE(office.timers.empty());
  }
}

TEST(SupervisorEnd, whose_own_parent_is_gone_ends_the_job) {
  Office office;
  office.go(State::running);
  office.wait(5);
  office.deliver(event::ParentExited{office.now});
  EXPECT_EQ(office.machine.state(), State::terminating);
  Office idle;
  idle.deliver(event::ParentExited{idle.now});
  EXPECT_EQ(idle.machine, Supervisor());
}

TEST(SupervisorEnd, who_survives_and_what_stays_is_told) {  // L4
  Office office;
  office.go(State::killing);
  office.wait(5);
  office.rank_exits(0);
  office.rank_exits(1);
  office.launcher_exits(-1, 9);
  office.fire(Kind::patience);
  office.removed(Status::denied);
  EXPECT_EQ(office.outcome(99).status, Status::failed);
  EXPECT_EQ(office.why(99),
            "after SIGKILL still there: rank 2 on node-a (pid 202); the host file hosts-2021222324252627 could not be "
            "removed: the cause");
  EXPECT_TRUE(names(office.why(5), "left behind: after SIGKILL"));
}

TEST(SupervisorEnd, calls_that_wait_for_the_end_are_bounded) {
  Office office;
  office.go(State::running);
  for (std::uint64_t ticket = 10; ticket < 10 + end_calls_max; ++ticket) office.wait(ticket);
  EXPECT_FALSE(office.is_complete(10));
  office.wait(50);
  EXPECT_EQ(office.outcome(50).status, Status::no_space);
  for (std::uint64_t ticket = 60; ticket < 60 + end_calls_max; ++ticket) office.stop(ticket);
  office.stop(90);
  EXPECT_EQ(office.outcome(90).status, Status::no_space);
}

TEST(SupervisorEnd, nothing_waits_or_is_stopped_without_a_job) {
  Office office;
  office.wait(1);
  EXPECT_EQ(office.outcome(1).status, Status::unavailable);
  office.stop(2);
  EXPECT_EQ(office.outcome(2).status, Status::ok);
}

}  // namespace
}  // namespace supervisor_end_test
}  // namespace tenter::control
