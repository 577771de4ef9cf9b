// Group operations whose members come one by one, and controls, on real ranks. Spec A1, B4; MB-09, MB-19.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "core/mailbox/frame.hpp"
#include "hw/group/group.hpp"
#include "hw/resource.hpp"

namespace tenter {
namespace {

constexpr Duration budget = seconds(60);
constexpr std::uint32_t ranks = 3;

std::unique_ptr<hw::Group> started() {
  hw::GroupSpec spec;
  spec.ranks = ranks;
  spec.member = {hw::this_program(), "member"};
  auto group = hw::Group::start(spec);
  EXPECT_TRUE(group) << group.error().what;
  return group ? std::move(*group) : nullptr;
}

using Answers = std::vector<Result<Blob>>;

// Every listed rank's part from a thread of its own; the answers in rank order, `unavailable` for a rank that did not come.
Answers joined(hw::Group& group, const hw::GroupOperation& operation, const std::vector<std::uint32_t>& members,
               std::string_view callable, Duration patience) {
  Answers answers(ranks, error(Status::unavailable, "it did not come"));
  std::vector<std::thread> threads;
  for (const std::uint32_t rank : members)
    threads.emplace_back([&, rank] {
      const hw::Task task{{}, Blob("of rank " + std::to_string(rank))};
      answers[rank] = group.join(operation, rank, callable, task, patience);
    });
  for (std::thread& thread : threads) thread.join();
  return answers;
}

TEST(GroupOperation, members_that_come_one_by_one_each_get_their_own_answer) {
  const auto group = started();
  ASSERT_TRUE(group);
  for (std::uint64_t generation = 1; generation <= 20; ++generation) {
    const Answers answers = joined(*group, {7, generation}, {2, 0, 1}, "echo", budget);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      ASSERT_TRUE(answers[rank]) << answers[rank].error().what;
      EXPECT_EQ(answers[rank]->text(), "of rank " + std::to_string(rank));
    }
  }
}

// G4. Its first member comes while twenty other batches come and go.
TEST(GroupOperation, a_batch_that_waits_for_its_last_member_delays_no_other) {
  const auto group = started();
  ASSERT_TRUE(group);
  Answers first;
  std::thread early([&] { first = joined(*group, {1, 1}, {0}, "echo", budget); });
  for (std::uint64_t generation = 1; generation <= 20; ++generation) {
    const Answers answers = joined(*group, {2, generation}, {0, 1, 2}, "echo", budget);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) EXPECT_TRUE(answers[rank]) << answers[rank].error().what;
  }
  const Answers late = joined(*group, {1, 1}, {1, 2}, "echo", budget);
  early.join();
  EXPECT_TRUE(first[0]) << first[0].error().what;
  for (const std::uint32_t rank : {1u, 2u}) EXPECT_TRUE(late[rank]) << late[rank].error().what;
}

TEST(GroupOperation, one_that_waits_in_vain_is_told_who_was_absent_and_the_slot_can_be_used_again) {
  const auto group = started();
  ASSERT_TRUE(group);
  const Answers early = joined(*group, {7, 1}, {0, 2}, "echo", milliseconds(50));
  for (const std::uint32_t rank : {0u, 2u}) {
    ASSERT_FALSE(early[rank]);
    EXPECT_EQ(early[rank].error().status, Status::timed_out);
    EXPECT_NE(early[rank].error().what.find("1"), std::string::npos) << early[rank].error().what;
  }
  EXPECT_FALSE(group->ended());
  const Answers answers = joined(*group, {7, 1}, {0, 1, 2}, "echo", budget);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) EXPECT_TRUE(answers[rank]) << answers[rank].error().what;
}

TEST(GroupOperation, a_member_that_fails_fails_for_all_and_each_is_told_what_it_was_to_itself) {
  const auto group = started();
  ASSERT_TRUE(group);
  Answers answers(ranks, error(Status::unavailable, "it did not come"));
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      const hw::Task task{{}, Blob(std::string_view("on purpose"))};
      answers[rank] = group->join({1, 1}, rank, rank == 1 ? "fail" : "echo", task, budget);
    });
  for (std::thread& thread : threads) thread.join();
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    ASSERT_FALSE(answers[rank]);
    EXPECT_EQ(answers[rank].error().status, rank == 1 ? Status::failed : Status::cancelled);
    EXPECT_NE(answers[rank].error().what.find("rank 1"), std::string::npos) << answers[rank].error().what;
  }
  EXPECT_TRUE(group->ping(budget));
}

TEST(GroupOperation, fewer_members_than_ranks_are_a_directed_request_and_a_mixed_selection_is_refused) {
  const auto group = started();
  ASSERT_TRUE(group);
  const hw::Task task{{}, Blob(std::string_view("alone"))};
  const auto alone = group->join({1, 1, 2}, 2, "echo", task, budget);
  ASSERT_TRUE(alone) << alone.error().what;
  EXPECT_EQ(alone->text(), "alone");
  const auto mixed = group->join({1, 2, ranks, 2}, 0, "echo", task, budget);
  ASSERT_FALSE(mixed);
  EXPECT_EQ(mixed.error().status, Status::invalid);
  EXPECT_NE(mixed.error().what.find("mixes"), std::string::npos) << mixed.error().what;
}

TEST(GroupControl, reaches_the_callable_of_its_number_on_the_rank_that_it_names) {
  const auto group = started();
  ASSERT_TRUE(group);
  const std::string command = "who are you";
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const auto reply = group->control(rank, mailbox::ControlName::comm_init, Blob(command).bytes(), budget);
    ASSERT_TRUE(reply) << reply.error().what;
    EXPECT_EQ(reply->text(), "rank " + std::to_string(rank) + " was asked: " + command);
  }
}

TEST(GroupControl, reaches_every_rank_when_the_group_is_asked_and_only_the_domain_controls_may_ask_it) {
  const auto group = started();
  ASSERT_TRUE(group);
  const auto reply = group->control_group(mailbox::ControlName::release_domain, {}, budget);
  ASSERT_TRUE(reply) << reply.error().what;
  const auto count = group->submit_all("releases", std::vector<hw::Task>(ranks), budget);
  ASSERT_TRUE(count) << count.error().what;
  for (const Blob& of_rank : *count) EXPECT_EQ(of_rank.text(), "1");

  const auto refused = group->control_group(mailbox::ControlName::copy_to_remote, {}, budget);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status, Status::invalid);
}

TEST(GroupControl, a_control_that_no_callable_answers_is_the_ranks_own_error) {
  const auto group = started();
  ASSERT_TRUE(group);
  const auto refused = group->control(1, mailbox::ControlName::export_buffer, {}, budget);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status, Status::failed);
  EXPECT_NE(refused.error().what.find("rank 1"), std::string::npos) << refused.error().what;
  EXPECT_NE(refused.error().what.find("control/10"), std::string::npos) << refused.error().what;
  const auto unknown = group->control(1, static_cast<mailbox::ControlName>(18), {}, budget);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().status, Status::invalid);
  EXPECT_TRUE(group->ping(budget));
}

}  // namespace
}  // namespace tenter
