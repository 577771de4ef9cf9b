// A real group: what it answers, whom it names, what it leaves.
#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "hw/group/callables.hpp"
#include "hw/group/group.hpp"
#include "hw/resource.hpp"
#include "tests/group/watching.hpp"

namespace tenter {
namespace {

constexpr Duration budget = seconds(60);

hw::GroupSpec spec_of(std::uint32_t ranks) {
  hw::GroupSpec spec;
  spec.ranks = ranks;
  spec.member = {hw::this_program(), "member"};
  return spec;
}

hw::Task text_task(std::string_view text) { return {{}, Blob(text)}; }

// What must hold once a group is gone, whichever way it went.
void expect_nothing_left(const std::string& page, const std::string& folder, const std::vector<ProcessId>& processes) {
  EXPECT_FALSE(watching::page_exists(page)) << page;
  EXPECT_FALSE(std::filesystem::exists(folder)) << folder;
  EXPECT_EQ(watching::members_of(folder), std::vector<std::string>());
  for (const ProcessId& process : processes) EXPECT_FALSE(watching::runs(process)) << process.pid;
  EXPECT_EQ(hw::Resources::held_text(), "");
}

// Kills one rank, once it is known.
void kill_rank(const hw::Group& group, std::uint32_t rank) {
  ASSERT_TRUE(watching::comes_true([&] { return group.processes().at(rank).pid != 0; }));
  ASSERT_EQ(kill(static_cast<pid_t>(group.processes().at(rank).pid), SIGKILL), 0);
}

TEST(Group, answers_come_in_rank_order_and_a_failed_task_leaves_the_group_alive) {
  auto group = hw::Group::start(spec_of(3));
  ASSERT_TRUE(group) << group.error().what;
  const std::vector<hw::Task> tasks{text_task("a"), text_task(""), text_task("ccc")};
  auto echoes = (*group)->submit_all("echo", tasks, budget);
  ASSERT_TRUE(echoes) << echoes.error().what;
  for (std::size_t rank = 0; rank < 3; ++rank) EXPECT_EQ((*echoes)[rank], tasks[rank].data);

  auto refused = (*group)->submit(2, "fail", text_task("on purpose"), budget);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status, Status::failed);
  EXPECT_NE(refused.error().what.find("rank 2"), std::string::npos) << refused.error().what;
  EXPECT_NE(refused.error().what.find("on purpose"), std::string::npos) << refused.error().what;
  EXPECT_FALSE((*group)->ended());
  auto ping = (*group)->ping(budget);
  EXPECT_TRUE(ping) << ping.error().what;

  const std::string page = (*group)->page(), folder = (*group)->folder();
  const std::vector<ProcessId> processes = (*group)->processes();
  EXPECT_TRUE(watching::page_exists(page));
  auto closed = (*group)->shutdown(budget);
  EXPECT_TRUE(closed) << closed.error().what;
  group->reset();
  expect_nothing_left(page, folder, processes);
}

TEST(Group, a_stream_in_pieces_has_the_checksum_of_the_whole) {
  auto group = hw::Group::start(spec_of(2));
  ASSERT_TRUE(group) << group.error().what;
  const std::string whole = std::string(700'000, 'x') + "end";
  std::string first(1, static_cast<char>(hw::checksum_begin | hw::checksum_update));
  std::string second(1, static_cast<char>(hw::checksum_update | hw::checksum_finish));
  auto begun = (*group)->submit(1, "checksum", text_task(first + whole.substr(0, 500'000)), budget);
  ASSERT_TRUE(begun) << begun.error().what;
  auto sum = (*group)->submit(1, "checksum", text_task(second + whole.substr(500'000)), budget);
  ASSERT_TRUE(sum) << sum.error().what;
  EXPECT_EQ(*sum, Blob(Bytes(*hw::sha256_of(std::as_bytes(std::span(whole))))));
}

TEST(Group, calls_from_many_threads_are_each_answered_with_their_own) {
  auto group = hw::Group::start(spec_of(2));
  ASSERT_TRUE(group) << group.error().what;
  std::vector<std::thread> callers;
  std::vector<int> right(8, 0);
  for (std::size_t caller = 0; caller < right.size(); ++caller) {
    callers.emplace_back([&, caller] {
      for (int i = 0; i < 20; ++i) {
        const std::string text = std::to_string(caller) + "/" + std::to_string(i);
        auto echo = (*group)->submit(static_cast<std::uint32_t>(caller % 2), "echo", text_task(text), budget);
        right[caller] += echo && echo->text() == text ? 1 : 0;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(right, std::vector<int>(8, 20));
}

TEST(Group, a_rank_killed_while_idle_is_named_and_nothing_is_left) {
  auto group = hw::Group::start(spec_of(3));
  ASSERT_TRUE(group) << group.error().what;
  const std::string page = (*group)->page(), folder = (*group)->folder();
  const std::vector<ProcessId> processes = (*group)->processes();
  kill_rank(**group, 1);
  ASSERT_TRUE(watching::comes_true([&] { return (*group)->ended(); })) << "an idle group did not notice";
  auto ping = (*group)->ping(budget);
  ASSERT_FALSE(ping);
  EXPECT_EQ(ping.error().status, Status::peer_lost);
  EXPECT_NE(ping.error().what.find("rank 1"), std::string::npos) << ping.error().what;
  group->reset();
  expect_nothing_left(page, folder, processes);
}

TEST(Group, a_rank_killed_during_a_request_is_named_with_the_phase) {
  auto group = hw::Group::start(spec_of(3));
  ASSERT_TRUE(group) << group.error().what;
  const std::string page = (*group)->page(), folder = (*group)->folder();
  const std::vector<ProcessId> processes = (*group)->processes();
  ASSERT_TRUE(watching::comes_true([&] { return (*group)->processes().at(2).pid != 0; }));
  const auto victim = static_cast<pid_t>((*group)->processes().at(2).pid);
  std::thread killer([&] {
    EXPECT_TRUE(watching::comes_true([&] { return watching::request_state(page) == mailbox::RequestState::task_accepted; }));
    EXPECT_EQ(kill(victim, SIGKILL), 0);
  });
  auto lost = (*group)->submit_all("sleep_ms", std::vector<hw::Task>(3, {{60'000}, {}}), seconds(100));
  killer.join();
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().status, Status::peer_lost);
  EXPECT_NE(lost.error().what.find("rank 2"), std::string::npos) << lost.error().what;
  EXPECT_NE(lost.error().what.find("running"), std::string::npos) << lost.error().what;
  group->reset();
  expect_nothing_left(page, folder, processes);
}

TEST(Group, a_launcher_that_cannot_be_started_is_named_and_nothing_is_left) {
  hw::GroupSpec spec = spec_of(2);
  spec.launcher = "no-such-launcher";
  auto group = hw::Group::start(spec);
  ASSERT_FALSE(group);
  EXPECT_EQ(group.error().status, Status::not_found);
  EXPECT_NE(group.error().what.find("no-such-launcher"), std::string::npos) << group.error().what;
  EXPECT_EQ(hw::Resources::held_text(), "");
}

}  // namespace
}  // namespace tenter
