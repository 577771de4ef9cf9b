#include <gtest/gtest.h>

#include "launch_kit.hpp"

namespace tenter::mailbox {
namespace launch_end_test {
namespace {

using namespace tenter::mailbox::kit;
using List = std::vector<std::string>;

const List clean_up = {"remove_file " + directory + "/manifest", "close_page", "unlink_page " + page,
                       "remove_directory " + directory};

std::string group_broken_text(const Desk& desk) {
  const auto* told = desk.last<action::Tell>();
  if (told == nullptr || !is(told->note, NoteKind::group_broken)) return "(the channel was not told)";
  return text_of_errors(decode_error_list(told->note.text.bytes()));
}

TEST(LaunchEnd, an_orderly_shutdown_asks_the_channel_awaits_every_exit_and_cleans_up) {
  Desk desk;
  desk.go(LaunchState::running);
  desk.take();
  desk.stop(2, seconds(3));
  EXPECT_EQ(desk.take(), (List{"tell 0 1"}));
  const auto call = read_request(desk.last<action::Tell>()->note);
  ASSERT_TRUE(call);
  EXPECT_EQ(call->opcode, Opcode::shutdown);
  EXPECT_EQ(call->target, Target::group);
  EXPECT_EQ(call->patience, seconds(3));
  desk.told(plain_note(NoteKind::group_closed));
  EXPECT_EQ(desk.take(), (List{"tell 1 22"}));
  desk.rank_exits(0);
  desk.launcher_exits(0);
  EXPECT_TRUE(desk.take().empty()) << "rank 1 is still there";
  desk.rank_exits(1);
  EXPECT_EQ(desk.take(), clean_up);
  desk.removed();
  EXPECT_EQ(desk.take(), (List{"complete 2 ok"}));
  EXPECT_EQ(desk.machine.state(), LaunchState::ended);
  EXPECT_TRUE(desk.timers.empty());
}

TEST(LaunchEnd, a_second_shutdown_waits_for_the_same_end_and_a_third_is_a_success_without_effect) {
  Desk desk;
  desk.go(LaunchState::leaving);
  desk.stop(3);
  desk.rank_exits(0);
  desk.rank_exits(1);
  desk.launcher_exits(0);
  desk.removed();
  EXPECT_EQ(desk.outcome(2).status, Status::ok);
  EXPECT_EQ(desk.outcome(3).status, Status::ok);
  desk.take();
  desk.stop(4);
  EXPECT_EQ(desk.take(), (List{"complete 4 ok"}));
}

TEST(LaunchEnd, a_shutdown_without_a_group_is_a_success_without_effect) {
  Desk desk;
  desk.stop(1);
  EXPECT_EQ(desk.take(), (List{"complete 1 ok"}));
}

TEST(LaunchEnd, a_shutdown_during_the_start_cancels_it_and_both_calls_are_answered) {
  for (LaunchState state :
       {LaunchState::drawing, LaunchState::creating_page, LaunchState::spawning, LaunchState::awaiting_ready}) {
    SCOPED_TRACE(to_string(state));
    Desk desk;
    desk.go(state);
    desk.stop(2);
    if (state == LaunchState::spawning) desk.spawned();
    if (state >= LaunchState::spawning) desk.list({});
    desk.launcher_exits(0, 15);
    desk.removed();
    EXPECT_EQ(desk.outcome(1).status, Status::cancelled);
    EXPECT_TRUE(names(desk.errors(1), "cancelled by a shutdown"));
    EXPECT_EQ(desk.outcome(2).status, Status::ok);
    EXPECT_EQ(desk.machine.state(), LaunchState::idle);
  }
}

TEST(LaunchEnd, who_does_not_leave_is_asked_then_killed_then_named) {
  Desk desk;
  desk.go(LaunchState::leaving);
  desk.rank_exits(0);
  desk.take();
  desk.fire(Kind::patience);
  EXPECT_EQ(desk.take(), (List{"inspect_processes", "kill 15: 201", "kill 15: 100"})) << "looked at before they are killed";
  desk.inspected(Kind::inspect_leavers, "TH");
  desk.fire(Kind::patience);
  EXPECT_EQ(desk.take(), (List{"kill 9: 201 100"}));
  desk.launcher_exits(0, 9);
  desk.fire(Kind::patience);
  EXPECT_EQ(desk.take(), (List{"inspect_processes"}));
  desk.inspected(Kind::inspect_survivors, "R");
  EXPECT_EQ(desk.take(), clean_up) << "page and directory go all the same";
  desk.removed();
  EXPECT_EQ(desk.outcome(2).status, Status::timed_out);
  EXPECT_TRUE(
      names(desk.errors(2), "after SHUTDOWN_DONE the time is over, still there: rank 1 (pid 201), the launcher (pid 100)"));
  EXPECT_TRUE(names(desk.errors(2), "shutdown: rank 1 (pid 201) is stopped"));
  EXPECT_TRUE(names(desk.errors(2), "shutdown: a proxy of the launcher (pid 100) is stopped"));
  EXPECT_TRUE(names(desk.errors(2), "rank 1 (pid 201) survived SIGKILL"));
}

TEST(LaunchEnd, who_was_the_first_to_go_in_a_shutdown_that_failed_is_named_with_the_launchers_code) {
  Desk desk;
  desk.go(LaunchState::closing);
  desk.rank_exits(1);
  desk.told(plain_note(NoteKind::group_closed));
  desk.rank_exits(0);
  desk.launcher_exits(9);
  desk.removed();
  EXPECT_EQ(desk.outcome(2).status, Status::failed);
  EXPECT_TRUE(names(desk.errors(2), "shutdown: rank 1 (pid 201) is gone, the first of the ranks"));
  EXPECT_TRUE(names(desk.errors(2), "exited with code 9"));
}

TEST(LaunchEnd, a_proxy_that_dies_in_an_orderly_shutdown_is_named) {
  Desk desk;
  desk.go(LaunchState::leaving);
  desk.deliver(event::ProcessExited{desk.now, desk.op(Kind::watch_rank, 1), -1, 9});
  desk.rank_exits(0);
  desk.launcher_exits(255);
  desk.removed();
  EXPECT_TRUE(names(desk.errors(2), "shutdown: a proxy of the launcher (pid 100) is gone, its ranks went with it"));
}

TEST(LaunchEnd, survivors_that_cannot_be_inspected_are_named_too) {
  Desk desk;
  desk.go(LaunchState::leaving);
  for (int i = 0; i < 4; ++i) desk.fire(Kind::patience);  // leaving, terminating, killing, surveying
  desk.removed();
  EXPECT_TRUE(names(desk.errors(2), "rank 0 (pid 200) may have survived SIGKILL"));
}

TEST(LaunchEnd, a_launcher_that_fails_after_an_orderly_shutdown_fails_it_with_the_code) {
  Desk desk;
  desk.go(LaunchState::leaving);
  desk.rank_exits(0);
  desk.rank_exits(1);
  desk.launcher_exits(3);
  desk.removed();
  EXPECT_EQ(desk.outcome(2).status, Status::failed);
  EXPECT_TRUE(names(desk.errors(2), "exited with code 3"));
}

TEST(LaunchEnd, exits_that_overtake_the_channels_news_of_the_shutdown_are_no_fault) {
  Desk desk;
  desk.go(LaunchState::closing);
  desk.rank_exits(1);
  desk.rank_exits(0);
  desk.launcher_exits(0);
  EXPECT_EQ(desk.machine.state(), LaunchState::closing);
  desk.told(plain_note(NoteKind::group_closed));
  EXPECT_EQ(desk.machine.state(), LaunchState::cleaning);
  EXPECT_FALSE(desk.timers.contains(desk.op(Kind::grace)));
  desk.removed();
  EXPECT_EQ(desk.outcome(2).status, Status::ok);
}

TEST(LaunchEnd, a_launcher_that_dies_during_the_shutdown_does_not_make_it_wait_for_its_deadline) {
  Desk desk;
  desk.go(LaunchState::closing);
  desk.launcher_exits(0, 9);
  desk.fire(Kind::grace);
  EXPECT_EQ(desk.machine.state(), LaunchState::condemning);
  EXPECT_TRUE(names(group_broken_text(desk), "shutdown: the launcher (pid 100) was ended by signal 9"));
}

TEST(LaunchEnd, a_shutdown_request_that_fails_ends_the_group_by_force) {
  Desk desk;
  desk.go(LaunchState::closing);
  Note late = answer_error(Status::timed_out, "DeadlineExceeded", "a request was in the lane for too long");
  late.ticket = desk.attempt;
  desk.told(late);
  EXPECT_TRUE(names(group_broken_text(desk), "a request was in the lane for too long"));
  desk.take();
  desk.group_ended("killed for the shutdown");
  EXPECT_EQ(desk.take(), (List{"tell 1 21", "kill 9: 200 201", "kill 15: 100"}));
  desk.rank_exits(0);
  desk.rank_exits(1);
  desk.launcher_exits(0, 15);
  desk.removed();
  EXPECT_EQ(desk.outcome(2).status, Status::peer_lost);
  EXPECT_TRUE(names(desk.errors(2), "shutdown: not orderly, the group ended first"));
  EXPECT_TRUE(names(desk.errors(2), "killed for the shutdown"));
}

TEST(LaunchEnd, the_first_rank_to_die_is_the_culprit_and_the_launchers_exit_does_not_mask_it) {
  for (const bool launcher_first : {true, false}) {
    Desk desk(3);
    desk.go(LaunchState::running);
    if (launcher_first) desk.launcher_exits(9);
    desk.rank_exits(2);
    if (!launcher_first) desk.launcher_exits(9);
    desk.rank_exits(0);
    EXPECT_EQ(desk.machine.state(), LaunchState::suspecting);
    desk.fire(Kind::grace);
    EXPECT_EQ(decode_error_list(desk.last<action::Tell>()->note.text.bytes())[0].rank, 2);
    EXPECT_TRUE(names(group_broken_text(desk), "running: rank 2 (pid 202) is gone, the first of the ranks"));
    EXPECT_TRUE(names(group_broken_text(desk), "exited with code 9 (under Hydra"));
    desk.take();
    desk.group_ended("rank 2 is gone");
    EXPECT_EQ(desk.take(), (List{"tell 1 21", "kill 9: 201"})) << "only who is left";
    desk.rank_exits(1);
    desk.removed();
    EXPECT_EQ(desk.machine.state(), LaunchState::ended);
    desk.stop(2);
    EXPECT_EQ(desk.outcome(2).status, Status::ok) << "it was cleaned up before";
  }
}

TEST(LaunchEnd, a_channel_that_does_not_answer_cannot_keep_the_processes_alive) {
  Desk desk;
  desk.go(LaunchState::running);
  desk.rank_exits(0);
  desk.fire(Kind::grace);
  desk.take();
  desk.fire(Kind::patience);
  EXPECT_EQ(desk.take(), (List{"tell 1 21", "kill 9: 201", "kill 15: 100"}));
}

TEST(LaunchEnd, the_channel_is_told_who_is_stopped_when_it_asks) {
  Desk desk;
  desk.go(LaunchState::running);
  desk.told(text_note(NoteKind::who_is_to_blame, Blob("deadline")));
  desk.inspected(Kind::inspect_blame, "RTR");
  const Note answer = desk.last<action::Tell>()->note;
  EXPECT_TRUE(is(answer, NoteKind::culprit));
  const auto errors = decode_error_list(answer.text.bytes());
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].rank, 1);
  EXPECT_TRUE(names(errors[0].message, "rank 1 (pid 201) is stopped"));
  EXPECT_EQ(desk.machine.state(), LaunchState::running);
}

TEST(LaunchEnd, the_channel_is_told_at_once_when_an_exit_is_known_and_nothing_when_all_run) {
  Desk all_run;
  all_run.go(LaunchState::running);
  all_run.told(plain_note(NoteKind::who_is_to_blame));
  all_run.inspected(Kind::inspect_blame, "RRR");
  EXPECT_EQ(all_run.last<action::Tell>()->note, text_note(NoteKind::culprit, Blob()));
  Desk one_gone;
  one_gone.go(LaunchState::running);
  one_gone.rank_exits(1);
  one_gone.take();
  one_gone.told(plain_note(NoteKind::who_is_to_blame));
  EXPECT_EQ(one_gone.take(), (List{"tell 0 12"}));
  EXPECT_TRUE(names(one_gone.last<action::Tell>()->note.text.text(), "rank 1 (pid 201) is gone"));
}

TEST(LaunchEnd, a_rank_that_reports_while_the_group_is_killed_is_killed_and_awaited_too) {
  Desk desk;
  desk.go(LaunchState::awaiting_ready);
  desk.report(0);
  desk.launcher_exits(1);
  desk.fire(Kind::grace);
  desk.rank_exits(0);
  EXPECT_EQ(desk.machine.state(), LaunchState::terminating) << "the directory is looked at once more";
  desk.list({"rank-0", "rank-1"});
  desk.take();
  desk.file(Kind::read_report, Status::ok, write_report({1, {201, 20}}).text(), 1);
  EXPECT_EQ(desk.take(), (List{"watch_process", "kill 9: 201"}));
  desk.rank_exits(1);
  EXPECT_EQ(desk.take(), clean_up);
}

TEST(LaunchEnd, what_the_end_of_a_group_left_behind_is_told_by_the_shutdown_that_follows_once) {
  Desk desk;
  desk.go(LaunchState::running);
  desk.group_ended("rank 1 is gone");
  desk.rank_exits(0);
  desk.rank_exits(1);
  desk.launcher_exits(0);
  desk.file(Kind::remove_manifest);
  desk.file(Kind::remove_directory, Status::denied, "read-only");
  desk.stop(2);
  EXPECT_EQ(desk.outcome(2).status, Status::failed);
  EXPECT_TRUE(names(desk.errors(2), "could not be removed: read-only"));
  desk.stop(3);
  EXPECT_EQ(desk.outcome(3).status, Status::ok);
}

TEST(LaunchEnd, more_shutdown_calls_than_can_wait_are_refused) {
  Desk desk;
  desk.go(LaunchState::closing);
  for (std::uint64_t ticket = 10; ticket < 10 + stop_calls_max - 1; ++ticket) desk.stop(ticket);
  desk.stop(99);
  EXPECT_EQ(desk.outcome(99).status, Status::no_space);
}

TEST(LaunchEnd, notes_of_strangers_and_of_other_calls_are_ignored) {
  Desk desk;
  desk.go(LaunchState::closing);
  const Launch before = desk.machine;
  desk.deliver(event::Told{desk.now, rendezvous_role, text_note(NoteKind::group_ended, Blob("not mine to say"))});
  Note other = answer_error(Status::timed_out, "DeadlineExceeded", "of another call");
  other.ticket = 77;
  desk.told(other);
  EXPECT_EQ(desk.machine, before);
}

}  // namespace
}  // namespace launch_end_test
}  // namespace tenter::mailbox
