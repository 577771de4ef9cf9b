// A start that cannot succeed: who says so, in which order, and what the answer names.
#include <gtest/gtest.h>

#include <algorithm>

#include "launch_kit.hpp"

namespace tenter::mailbox {
namespace launch_doomed_test {
namespace {

using namespace tenter::mailbox::kit;
using List = std::vector<std::string>;

TEST(LaunchDoomed, a_terminal_group_fails_the_start_with_the_reason_of_the_page) {
  Desk desk;
  desk.go(LaunchState::awaiting_ready);
  desk.report(0);
  desk.take();
  desk.group(GroupState::terminal);
  EXPECT_EQ(desk.take(), (List{"watch"}));
  const Blob reason = encode_error(1, "ImportError", "no such library");
  desk.deliver(
      event::WordChanged{desk.now, desk.op(Kind::error_length), error_length_word, static_cast<std::uint32_t>(reason.size())});
  EXPECT_EQ(desk.last<action::CopyIn>()->offset, layout::error_area);
  desk.deliver(event::Copied{desk.now, desk.op(Kind::copy_reason), reason});
  desk.list({});
  desk.rank_exits(0);
  desk.launcher_exits(1);
  desk.removed();
  EXPECT_EQ(desk.outcome(1).status, Status::failed);
  EXPECT_EQ(desk.outcome(1).text, reason);
}

TEST(LaunchDoomed, a_terminal_group_whose_ranks_leave_at_once_still_fails_with_its_reason_not_with_the_exits) {
  Desk desk;
  desk.go(LaunchState::awaiting_ready);
  desk.launcher_exits(1);
  ASSERT_EQ(desk.machine.state(), LaunchState::suspecting);
  desk.group(GroupState::terminal);
  ASSERT_EQ(desk.machine.state(), LaunchState::explaining);
  EXPECT_FALSE(desk.timers.contains(desk.op(Kind::grace)));
  desk.deliver(event::Copied{desk.now, desk.op(Kind::copy_reason), encode_error(1, "ImportError", "no such library")});
  desk.list({});
  desk.removed();
  EXPECT_TRUE(names(desk.errors(1), "ImportError: no such library"));
}

TEST(LaunchDoomed, a_terminal_group_without_a_believable_reason_fails_the_start_and_says_so) {
  for (const bool late : {true, false}) {
    Desk desk;
    desk.go(LaunchState::awaiting_ready);
    desk.group(GroupState::terminal);
    if (late)
      desk.fire(Kind::patience);
    else
      desk.deliver(event::WordChanged{desk.now, desk.op(Kind::error_length), error_length_word, 65'537});
    desk.list({});
    desk.launcher_exits(1);
    desk.removed();
    EXPECT_TRUE(names(desk.errors(1), late ? "wrote no reason within 1000 ms" : "claims 65537 bytes"));
  }
}

TEST(LaunchDoomed, a_start_that_failed_before_there_was_a_page_for_the_ranks_is_explained_by_their_file) {
  Desk desk;
  desk.go(LaunchState::awaiting_ready);
  desk.deliver(event::FilesChanged{desk.now, desk.op(Kind::watch_directory)});
  desk.list({"manifest", "start-failure"});
  desk.file(Kind::read_reason, Status::ok, encode_error(0, "ManifestError", "line 2 has no end").text());
  desk.list({});
  desk.launcher_exits(1);
  desk.removed();
  EXPECT_TRUE(names(desk.errors(1), "line 2 has no end"));
}

TEST(LaunchDoomed, a_page_that_rank_0_refuses_is_told_with_its_reason_though_every_rank_has_reported) {
  Desk desk;
  desk.go(LaunchState::awaiting_ready);
  for (std::uint32_t rank = 0; rank < desk.world; ++rank) desk.report(rank);
  desk.take();
  desk.deliver(event::FilesChanged{desk.now, desk.op(Kind::watch_directory)});
  EXPECT_EQ(desk.take(), (List{"watch_files", "list_files"}));
  desk.list({"manifest", "start-failure"});
  desk.file(Kind::read_reason, Status::ok, encode_error(0, "PageRefused", "version at offset 8 is 2").text());
  desk.list({});
  for (std::uint32_t rank = 0; rank < desk.world; ++rank) desk.rank_exits(rank);
  desk.launcher_exits(1);
  desk.removed();
  EXPECT_TRUE(names(desk.errors(1), "version at offset 8 is 2"));
}

TEST(LaunchDoomed, a_header_that_changed_until_READY_is_refused_by_the_parent_too) {
  const auto spoiled = [](std::size_t offset) {
    const Blob whole = encode_header(fresh_header(2));
    std::vector<std::byte> bytes(whole.bytes().begin(), whole.bytes().end());
    bytes[offset] ^= std::byte{4};
    return Blob(Bytes(bytes));
  };
  const std::pair<std::size_t, const char*> cases[] = {
      {0, "magic at offset 0"},        {8, "version at offset 8"},         {12, "header_bytes at offset 12"},
      {16, "page_bytes at offset 16"}, {24, "world at offset 24"},         {39, "gap byte at offset 39"},
      {40, "sequence at offset 40"},   {80, "reserved byte at offset 80"}, {255, "reserved byte at offset 255"}};
  for (const auto& [offset, expected] : cases) {
    Desk desk;
    desk.world = 2;
    desk.go(LaunchState::awaiting_ready);
    for (std::uint32_t rank = 0; rank < desk.world; ++rank) desk.report(rank);
    desk.group(GroupState::ready);
    desk.header(spoiled(offset));
    desk.list({});
    for (std::uint32_t rank = 0; rank < desk.world; ++rank) desk.rank_exits(rank);
    desk.launcher_exits(1);
    desk.removed();
    EXPECT_TRUE(names(desk.errors(1), expected)) << offset;
    EXPECT_TRUE(names(desk.errors(1), "start: ")) << offset;
  }
}

TEST(LaunchDoomed, an_illegal_group_word_fails_the_start) {
  Desk desk;
  desk.go(LaunchState::awaiting_ready);
  desk.deliver(event::WordChanged{desk.now, desk.op(Kind::watch_group), group_word, 77});
  desk.list({});
  desk.launcher_exits(1);
  desk.removed();
  EXPECT_TRUE(names(desk.errors(1), "the group word at offset 28 holds 77"));
}

TEST(LaunchDoomed, exit_of_a_rank_exit_of_the_launcher_and_deadline_name_the_rank_in_every_order) {
  std::vector<std::string> order = {"deadline", "launcher", "rank"};
  do {
    SCOPED_TRACE(order[0] + ", " + order[1] + ", " + order[2]);
    Desk desk;
    desk.go(LaunchState::awaiting_ready);
    desk.report(1);
    for (const std::string& what : order) {
      if (what == "rank") desk.rank_exits(1);
      if (what == "launcher") desk.launcher_exits(9);
      if (what != "deadline" || !desk.timers.contains(desk.op(Kind::start_deadline))) continue;
      desk.fire(Kind::start_deadline);
      if (desk.machine.state() == LaunchState::inspecting) desk.inspected(Kind::inspect_start, "XR");
    }
    if (desk.timers.contains(desk.op(Kind::grace))) desk.fire(Kind::grace);
    desk.list({});
    desk.removed();
    const std::string text = desk.errors(1);
    EXPECT_NE(desk.outcome(1).status, Status::ok);
    // A deadline between the two exits decides with what is known by then.
    if (order != std::vector<std::string>{"launcher", "deadline", "rank"}) {
      EXPECT_TRUE(names(text, "rank 1 (pid 201) is gone"));
    }
    if (order[0] == "launcher" || (order[1] == "launcher" && order[0] == "rank")) {
      EXPECT_TRUE(names(text, "exited with code 9 (under Hydra the bitwise OR"));
    }
    EXPECT_TRUE(names(text, "never reported: rank 0"));
    EXPECT_EQ(desk.machine.state(), LaunchState::idle);
    EXPECT_TRUE(desk.timers.empty());
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(LaunchDoomed, a_launcher_that_was_ended_by_a_signal_is_told_with_the_signal) {
  Desk desk;
  desk.go(LaunchState::awaiting_ready);
  desk.launcher_exits(0, 9);
  desk.fire(Kind::grace);
  desk.list({});
  desk.removed();
  EXPECT_EQ(desk.outcome(1).status, Status::peer_lost);
  EXPECT_TRUE(names(desk.errors(1), "the launcher (pid 100) was ended by signal 9"));
  EXPECT_TRUE(names(desk.errors(1), "never reported: rank 0, rank 1"));
}

TEST(LaunchDoomed, a_report_of_another_rank_or_of_no_format_fails_the_start_and_names_the_file) {
  for (const bool foreign : {true, false}) {
    Desk desk;
    desk.go(LaunchState::awaiting_ready);
    desk.deliver(event::FilesChanged{desk.now, desk.op(Kind::watch_directory)});
    desk.list({"rank-1"});
    desk.file(Kind::read_report, Status::ok, foreign ? write_report({0, {5, 6}}).text() : std::string_view("pid 7"), 1);
    desk.list({});
    desk.launcher_exits(1);
    desk.removed();
    EXPECT_TRUE(names(desk.errors(1), directory + "/rank-1: "));
    EXPECT_EQ(decode_error_list(desk.outcome(1).text.bytes())[0].rank, 1);
  }
}

TEST(LaunchDoomed, names_that_are_no_reports_are_left_alone) {
  Desk desk(2);
  desk.go(LaunchState::awaiting_ready);
  desk.deliver(event::FilesChanged{desk.now, desk.op(Kind::watch_directory)});
  desk.take();
  desk.list({"manifest", "rank-", "rank-01", "rank-2", "rank-x", "rank-1.tmp", "rank"});
  EXPECT_TRUE(desk.take().empty());
}

}  // namespace
}  // namespace launch_doomed_test
}  // namespace tenter::mailbox
