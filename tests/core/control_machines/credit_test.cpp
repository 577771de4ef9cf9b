// Byte credit and lanes by themselves. P-X1 to P-X4, S6; B20's budgets.
#include <gtest/gtest.h>

#include "core/control/credit.hpp"
#include "core/control/lane.hpp"
#include "tests/core/store_codec/failing_check.hpp"

namespace tenter::control::test {
namespace credit_test {
namespace {

constexpr std::uint64_t largest = frame_bytes_max;

CreditConfig one_largest_frame() { return {1'000, largest, milliseconds(500)}; }

TEST(Credit, a_frame_that_fits_its_share_is_paid_by_it_and_another_by_the_pool) {
  Credit credit(one_largest_frame(), 2);
  EXPECT_EQ(credit.take(0, 1'000, Time{0}), CreditSource::share);
  EXPECT_EQ(credit.take(0, 1, Time{0}), CreditSource::pool);
  EXPECT_EQ(credit.take(1, 1'001, Time{0}), CreditSource::pool);
  EXPECT_EQ(credit.pool_free(), largest - 1'002);
  credit.give_back(0, 1'000, CreditSource::share);
  credit.give_back(0, 1, CreditSource::pool);
  EXPECT_FALSE(credit.all_free());
  credit.give_back(1, 1'001, CreditSource::pool);
  EXPECT_TRUE(credit.all_free());
}

TEST(Credit, the_whole_pool_is_one_frame_and_one_byte_more_is_refused) {
  Credit credit(one_largest_frame(), 2);
  EXPECT_EQ(credit.take(0, largest + 1, Time{0}), CreditSource::none);
  EXPECT_EQ(credit.take(0, largest, Time{0}), CreditSource::pool);
  EXPECT_EQ(credit.take(1, 1'001, Time{0}), CreditSource::none);
}

// P-X2: what one route holds is not taken from another's share.
TEST(Credit, a_stuck_frame_that_holds_the_pool_leaves_every_share_whole) {
  Credit credit(one_largest_frame(), 3);
  EXPECT_EQ(credit.take(0, largest, Time{0}), CreditSource::pool);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(credit.take(1, 1'000, Time{0}), CreditSource::share);
    credit.give_back(1, 1'000, CreditSource::share);
  }
}

// P-X4: it would never get in if small ones were let in before it.
TEST(Credit, small_frames_do_not_overtake_a_large_one_that_waits_in_line) {
  Credit credit({0, largest, milliseconds(500)}, 3);
  EXPECT_EQ(credit.take(0, 2'000, Time{0}), CreditSource::pool);
  EXPECT_EQ(credit.take(1, largest, Time{1}), CreditSource::none);
  EXPECT_EQ(credit.take(2, 1, Time{2}), CreditSource::none) << "everything but 2,000 bytes is free, and the large one is first";
  credit.give_back(0, 2'000, CreditSource::pool);
  EXPECT_EQ(credit.take(2, 1, Time{3}), CreditSource::none);
  EXPECT_EQ(credit.take(1, largest, Time{4}), CreditSource::pool);
  credit.give_back(1, largest, CreditSource::pool);
  EXPECT_EQ(credit.take(2, 1, Time{5}), CreditSource::pool);
}

TEST(Credit, who_is_behind_in_line_may_take_what_those_before_it_leave) {
  Credit credit({0, largest, milliseconds(500)}, 3);
  EXPECT_EQ(credit.take(0, 10'000, Time{0}), CreditSource::pool);
  EXPECT_EQ(credit.take(1, largest - 5'000, Time{0}), CreditSource::none);
  credit.give_back(0, 10'000, CreditSource::pool);
  EXPECT_EQ(credit.take(2, 5'000, Time{0}), CreditSource::pool);
  EXPECT_EQ(credit.take(2, 1, Time{0}), CreditSource::none);
  EXPECT_EQ(credit.take(1, largest - 5'000, Time{0}), CreditSource::pool);
}

// P-X4 within a route: its own small frames pass by its large one only where they are not in its way.
TEST(Credit, a_small_frame_neither_takes_nor_ends_the_place_of_a_larger_one_of_its_route) {
  Credit credit({0, largest, milliseconds(500)}, 2);
  EXPECT_EQ(credit.take(1, 100, Time{0}), CreditSource::pool);
  EXPECT_EQ(credit.take(0, largest, Time{0}), CreditSource::none);
  EXPECT_EQ(credit.take(0, 10, Time{1}), CreditSource::none) << "it would hold the large one up";
  EXPECT_EQ(credit.waiting(), 1u);
  EXPECT_EQ(credit.take(1, 10, Time{2}), CreditSource::none) << "the large one's place is kept";
  credit.give_back(1, 100, CreditSource::pool);
  EXPECT_EQ(credit.take(0, 10, Time{3}), CreditSource::pool) << "nothing is on its way, so nothing holds the large one up";
  EXPECT_EQ(credit.waiting(), 2u);
  credit.give_back(0, 10, CreditSource::pool);
  EXPECT_EQ(credit.take(0, largest, Time{4}), CreditSource::pool);
}

TEST(Credit, a_larger_frame_of_the_same_route_has_the_place_of_a_smaller_one) {
  Credit credit({0, largest, milliseconds(500)}, 3);
  EXPECT_EQ(credit.take(1, largest - 10, Time{0}), CreditSource::pool);
  EXPECT_EQ(credit.take(0, 100, Time{0}), CreditSource::none);
  EXPECT_EQ(credit.take(2, 11, Time{0}), CreditSource::none);
  EXPECT_EQ(credit.take(0, 1'000, Time{0}), CreditSource::none);
  EXPECT_EQ(credit.waiting(), 2u);
  credit.give_back(1, largest - 10, CreditSource::pool);
  EXPECT_EQ(credit.take(2, largest - 999, Time{0}), CreditSource::none) << "the 1,000 are before it";
  EXPECT_EQ(credit.take(0, 1'000, Time{0}), CreditSource::pool);
}

// B6: what a busy executor does not receive leaves others unaffected, also those with large frames.
TEST(Credit, one_route_holds_half_of_the_pool_at_most_and_then_waits_in_nobody_s_way) {
  Credit credit({0, 4 * largest, milliseconds(500)}, 2);
  EXPECT_EQ(credit.take(0, largest, Time{0}), CreditSource::pool);
  EXPECT_EQ(credit.take(0, largest, Time{0}), CreditSource::pool);
  EXPECT_EQ(credit.take(0, 1, Time{0}), CreditSource::none);
  EXPECT_EQ(credit.waiting(), 0u);
  EXPECT_EQ(credit.take(1, largest, Time{0}), CreditSource::pool);
  EXPECT_EQ(credit.take(1, largest, Time{0}), CreditSource::pool);
  credit.give_back(0, largest, CreditSource::pool);
  EXPECT_EQ(credit.take(0, largest, Time{0}), CreditSource::pool);
}

TEST(Credit, a_place_that_nobody_comes_back_for_is_lost_and_a_refusal_keeps_it) {
  Credit credit({0, largest, milliseconds(500)}, 3);
  EXPECT_EQ(credit.take(0, 2'000, Time{0}), CreditSource::pool);
  EXPECT_EQ(credit.take(1, largest, Time{0}), CreditSource::none);
  const Time still = Time{0} + milliseconds(500);
  EXPECT_EQ(credit.take(2, 1, still), CreditSource::none);
  EXPECT_EQ(credit.take(1, largest, still), CreditSource::none);
  EXPECT_EQ(credit.take(2, 1, still + milliseconds(500)), CreditSource::none);
  EXPECT_EQ(credit.take(2, 1, still + milliseconds(501)), CreditSource::pool);
}

TEST(Credit, a_route_has_one_place_and_leaves_it_when_it_ends) {
  Credit credit({0, largest, milliseconds(500)}, 3);
  EXPECT_EQ(credit.take(0, largest, Time{0}), CreditSource::pool);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(credit.take(1, 10, Time{i}), CreditSource::none);
  EXPECT_EQ(credit.waiting(), 1u);
  credit.leave_line(1);
  EXPECT_EQ(credit.waiting(), 0u);
}

// Planted: nobody keeps a place in line, so small frames overtake the large one for ever.
TEST(Credit, planted_places_that_are_not_kept_are_found) {
  const auto the_large_one_gets_in = [](Duration kept) {
    Credit credit({0, largest, kept}, 3);
    bool under_way = credit.take(1, 10, Time{0}) == CreditSource::pool;
    for (int round = 1; round < 100; ++round) {
      const Time now{round * 1'000};
      if (credit.take(0, largest, now) == CreditSource::pool) return true;
      // The next small one comes before the one under way is sent.
      const bool next = credit.take(1, 10, now + nanoseconds(500)) == CreditSource::pool;
      if (under_way) credit.give_back(1, 10, CreditSource::pool);
      under_way = next;
    }
    return false;
  };
  EXPECT_TRUE(the_large_one_gets_in(milliseconds(500)));
  EXPECT_FALSE(the_large_one_gets_in(nanoseconds(1)));
}
// Planted: what was given back once is given back again.
TEST(Credit, planted_credit_that_is_returned_twice_is_found) {
  const store::test::FailingCheck check;
  Credit credit(one_largest_frame(), 1);
  EXPECT_EQ(credit.take(0, 500, Time{0}), CreditSource::share);
  credit.give_back(0, 500, CreditSource::share);
  EXPECT_THROW(credit.give_back(0, 500, CreditSource::share), std::runtime_error);
}

TEST(Lane, numbers_from_1_and_is_full_at_its_window) {
  Lane lane(2);
  for (std::uint64_t expected = 1; expected <= 2; ++expected) {
    EXPECT_FALSE(lane.full());
    Command command;
    command.sequence = lane.number_next();
    EXPECT_EQ(command.sequence, expected);
    lane.add(command);
  }
  EXPECT_TRUE(lane.full());
}

TEST(Lane, tells_an_awaited_reply_from_a_late_a_repeated_and_an_invented_one) {
  Lane lane(3);
  for (int i = 0; i < 3; ++i) {
    Command command;
    command.sequence = lane.number_next();
    lane.add(command);
  }
  lane.find(2)->given_up = true;
  lane.remove(1);
  EXPECT_EQ(lane.match(0), ReplyMatch::never_sent);
  EXPECT_EQ(lane.match(1), ReplyMatch::repeated);
  EXPECT_EQ(lane.match(2), ReplyMatch::late);
  EXPECT_EQ(lane.match(3), ReplyMatch::awaited);
  EXPECT_EQ(lane.match(4), ReplyMatch::never_sent);
  EXPECT_EQ(lane.given_up(), 1u);
}

}  // namespace
}  // namespace credit_test
}  // namespace tenter::control::test
