// The judgement of waits and the first block of a collective: no MPI is called here.
#include "hw/mpi/wait_policy.hpp"

#include <gtest/gtest.h>

#include <array>

#include "hw/mpi/head_block.hpp"

namespace tenter::hw {
namespace {

constexpr Time start{1'000'000'000};

WaitPolicy tested_enough(WaitLimits limits = {}) {
  WaitPolicy policy(limits);
  policy.moved(start);
  for (std::uint32_t i = 0; i < limits.tests_least; ++i) EXPECT_TRUE(policy.owes_test());
  EXPECT_FALSE(policy.owes_test());
  return policy;
}

TEST(WaitPolicy, sleeps_once_the_budget_is_spent_and_not_before) {
  const WaitLimits limits;
  WaitPolicy policy = tested_enough();
  EXPECT_TRUE(policy.yields(start + limits.yield_most + nanoseconds(-1), CollectiveKind::bcast, 0));
  EXPECT_FALSE(policy.yields(start + limits.yield_most, CollectiveKind::bcast, 0));
}

TEST(WaitPolicy, learns_a_kind_at_a_time_that_waits_outlast_the_budget) {
  const WaitLimits limits;
  WaitPolicy policy = tested_enough();
  for (int i = 0; i < 20; ++i) policy.completed(CollectiveKind::bcast, seconds(1));
  EXPECT_FALSE(policy.yields(start + limits.yield_least, CollectiveKind::bcast, 0));
  EXPECT_TRUE(policy.yields(start + limits.yield_least, CollectiveKind::gather, 0));
  policy.completed(CollectiveKind::bcast, limits.yield_least);
  EXPECT_TRUE(policy.yields(start + limits.yield_least, CollectiveKind::bcast, 0));
}

TEST(WaitPolicy, a_ring_is_worth_the_whole_budget) {
  const WaitLimits limits;
  WaitPolicy policy = tested_enough();
  for (int i = 0; i < 20; ++i) policy.completed(CollectiveKind::bcast, seconds(1));
  policy.rung(start + seconds(1));
  EXPECT_TRUE(policy.owes_test());
  EXPECT_TRUE(policy.yields(start + seconds(1) + limits.yield_rung + nanoseconds(-1), CollectiveKind::bcast, 0));
  EXPECT_FALSE(policy.yields(start + seconds(1) + limits.yield_rung, CollectiveKind::bcast, 0));
}

TEST(WaitPolicy, yields_to_nobody_where_the_cpus_are_too_few_and_still_gives_a_long_transfer_its_time) {
  WaitPolicy policy = tested_enough(crowded({}));
  EXPECT_FALSE(policy.yields(start, CollectiveKind::bcast, 0));
  policy.rung(start);
  EXPECT_TRUE(policy.owes_test());
  EXPECT_FALSE(policy.yields(start, CollectiveKind::bcast, 0));
  EXPECT_TRUE(policy.yields(start + milliseconds(1), CollectiveKind::bcast, 1u << 20));
}

TEST(WaitPolicy, a_long_transfer_is_given_time_by_its_length) {
  WaitPolicy policy = tested_enough();
  EXPECT_TRUE(policy.yields(start + milliseconds(60), CollectiveKind::bcast, 16u << 20));
  EXPECT_FALSE(policy.yields(start + milliseconds(100), CollectiveKind::bcast, 16u << 20));
}

TEST(WaitPolicy, the_safety_net_doubles_to_its_limit_and_starts_again_when_something_moved) {
  const WaitLimits limits;
  WaitPolicy policy = tested_enough();
  EXPECT_EQ(policy.net(), limits.net_first);
  policy.net_caught(start + milliseconds(1), 0);
  EXPECT_EQ(policy.net(), limits.net_first * 2);
  for (int i = 0; i < 20; ++i) policy.net_caught(start + milliseconds(2), 0);
  EXPECT_EQ(policy.net(), limits.net_most);
  policy.moved(start + seconds(1));
  EXPECT_EQ(policy.net(), limits.net_first);
}

TEST(WaitPolicy, pokes_grow_rare_so_that_a_group_that_waits_comes_to_rest) {
  WaitPolicy policy = tested_enough();
  int pokes = 0;
  for (std::int64_t ms = 1; ms <= 60'000; ms += 50) pokes += policy.net_caught(start + milliseconds(ms), 0) ? 1 : 0;
  EXPECT_GE(pokes, 5);
  EXPECT_LE(pokes, 16);
}

TEST(HeadBlock, carries_length_and_the_first_bytes_whatever_the_length) {
  for (const std::size_t length : {0u, 1u, 31u, 32u, 33u, 4096u}) {
    std::array<std::byte, 64> block{};
    const Blob payload(length, [](MutableBytes to) { std::fill(to.begin(), to.end(), std::byte{0x5A}); });
    HeadBlock{CollectiveKind::gather, 7, length, 99}.write(block, payload.bytes());
    const auto read = HeadBlock::read(block, CollectiveKind::gather, 7, 99);
    EXPECT_EQ(read.problem, "");
    EXPECT_EQ(read.length, length);
    ASSERT_EQ(read.riding.size(), std::min<std::size_t>(length, 32));
    EXPECT_TRUE(std::equal(read.riding.begin(), read.riding.end(), payload.bytes().begin()));
  }
}

TEST(HeadBlock, of_another_collective_is_told_by_kind_and_number) {
  std::array<std::byte, 64> block{};
  HeadBlock{CollectiveKind::gather, 7, 0, 99}.write(block, Bytes());
  EXPECT_EQ(HeadBlock::read(block, CollectiveKind::allgather, 7, 99).problem,
            "issued gather number 7 where this rank issued allgather number 7");
  EXPECT_EQ(HeadBlock::read(block, CollectiveKind::gather, 8, 99).problem,
            "issued gather number 7 where this rank issued gather number 8");
  EXPECT_EQ(HeadBlock::read(block, CollectiveKind::gather, 7, 98).problem,
            "issued other collectives than this rank before gather number 7");
  EXPECT_NE(HeadBlock::next_history(5, CollectiveKind::gather, 0), HeadBlock::next_history(5, CollectiveKind::bcast, 0));
  EXPECT_NE(HeadBlock::next_history(5, CollectiveKind::gather, 0), HeadBlock::next_history(5, CollectiveKind::gather, 1));
}

TEST(HeadBlock, with_any_flipped_header_byte_is_refused_or_only_changes_the_length) {
  for (std::size_t at = 0; at < HeadBlock::header_bytes; ++at) {
    std::array<std::byte, 64> block{};
    HeadBlock{CollectiveKind::bcast, 7, 12, 99}.write(block, Bytes());
    block[at] ^= std::byte{0x80};
    const auto read = HeadBlock::read(block, CollectiveKind::bcast, 7, 99);
    if (at < 16 || at >= 24) {
      EXPECT_NE(read.problem, "") << "byte " << at;
    } else {
      EXPECT_NE(read.length, 12u) << "byte " << at;
      EXPECT_LE(read.riding.size(), block.size() - HeadBlock::header_bytes);
    }
  }
}

}  // namespace
}  // namespace tenter::hw
