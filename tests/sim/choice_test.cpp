#include "sim/choice.hpp"

#include <gtest/gtest.h>

namespace tenter::sim {
namespace {

std::vector<std::uint32_t> draw(Choices& choices, Tag tag, std::uint32_t entity, int count, std::uint32_t n) {
  std::vector<std::uint32_t> answers;
  for (int i = 0; i < count; ++i) answers.push_back(choices.choose(tag, entity, n));
  return answers;
}

// A seed that has this kind switched on.
std::uint64_t seed_with(Tag tag) {
  for (std::uint64_t seed = 1; seed < 1000; ++seed) {
    Choices choices = Choices::seeded(seed);
    for (const std::uint32_t answer : draw(choices, tag, 0, 200, 10))
      if (answer != 0) return seed;
  }
  ADD_FAILURE() << "no seed switches " << to_string(tag) << " on";
  return 0;
}

TEST(Choices, the_same_seed_gives_the_same_answers) {
  Choices a = Choices::seeded(7), b = Choices::seeded(7);
  for (std::size_t tag = 0; tag < tag_count; ++tag)
    EXPECT_EQ(draw(a, static_cast<Tag>(tag), 3, 50, 9), draw(b, static_cast<Tag>(tag), 3, 50, 9));
}

TEST(Choices, one_more_draw_of_one_stream_shifts_no_other_stream) {
  const std::uint64_t seed = seed_with(Tag::delay);
  Choices a = Choices::seeded(seed), b = Choices::seeded(seed);
  draw(a, Tag::delay, 1, 17, 8);
  EXPECT_EQ(draw(a, Tag::delay, 2, 50, 8), draw(b, Tag::delay, 2, 50, 8));
  EXPECT_EQ(draw(a, Tag::workload, 0, 50, 8), draw(b, Tag::workload, 0, 50, 8));
}

TEST(Choices, an_answer_is_below_n_and_one_possibility_is_no_choice) {
  Choices choices = Choices::seeded(seed_with(Tag::delay));
  for (const std::uint32_t answer : draw(choices, Tag::delay, 0, 500, 3)) EXPECT_LT(answer, 3u);
  EXPECT_EQ(choices.choose(Tag::delay, 0, 1), 0u);
  EXPECT_EQ(choices.choose(Tag::delay, 0, 0), 0u);
}

TEST(Choices, a_replayed_tape_gives_the_answers_of_the_seed) {
  const std::uint64_t seed = seed_with(Tag::preempt);
  Choices first = Choices::seeded(seed);
  const auto delays = draw(first, Tag::delay, 0, 100, 8);
  const auto preempts = draw(first, Tag::preempt, 5, 100, 8);
  const auto shape = draw(first, Tag::workload, 0, 10, 8);
  Choices again = Choices::replayed(first.tape());
  EXPECT_EQ(draw(again, Tag::preempt, 5, 100, 8), preempts);  // in another order: streams are matched, not positions
  EXPECT_EQ(draw(again, Tag::delay, 0, 100, 8), delays);
  EXPECT_EQ(draw(again, Tag::workload, 0, 10, 8), shape);
  EXPECT_EQ(again.drift(), 0u);
}

TEST(Choices, an_empty_tape_answers_nothing_but_the_boring_answer) {
  Choices choices = Choices::replayed({});
  for (std::size_t tag = 0; tag < tag_count; ++tag) EXPECT_EQ(choices.choose(static_cast<Tag>(tag), 0, 100), 0u);
  EXPECT_TRUE(choices.tape().empty());
}

TEST(Choices, entries_that_a_replay_does_not_ask_for_are_counted_as_drift) {
  Choices choices = Choices::replayed({{Tag::delay, 0, 0, 8, 3}, {Tag::delay, 0, 9, 8, 3}, {Tag::crash, 4, 0, 8, 1}});
  EXPECT_EQ(choices.choose(Tag::delay, 0, 8), 3u);
  EXPECT_EQ(choices.drift(), 2u);
}

TEST(Choices, an_entry_out_of_range_is_answered_boringly_and_counted_as_drift) {
  Choices choices = Choices::replayed({{Tag::delay, 0, 0, 8, 7}});
  EXPECT_EQ(choices.choose(Tag::delay, 0, 4), 0u);
  EXPECT_EQ(choices.drift(), 1u);
}

TEST(Choices, when_quiet_only_the_shape_of_the_run_is_asked) {
  Choices choices = Choices::replayed({{Tag::delay, 0, 0, 8, 7}, {Tag::workload, 0, 0, 8, 7}});
  choices.quiet();
  EXPECT_EQ(choices.choose(Tag::delay, 0, 8), 0u);
  EXPECT_EQ(choices.choose(Tag::workload, 0, 8), 7u);
}

TEST(Choices, a_masked_kind_is_never_chosen) {
  Choices choices = Choices::seeded(seed_with(Tag::crash));
  choices.mask(Tag::crash);
  for (const std::uint32_t answer : draw(choices, Tag::crash, 0, 500, 10)) EXPECT_EQ(answer, 0u);
}

TEST(Choices, every_tag_has_a_name_that_reads_back) {
  for (std::size_t i = 0; i < tag_count; ++i) {
    Tag tag{};
    ASSERT_TRUE(tag_from(to_string(static_cast<Tag>(i)), tag)) << i;
    EXPECT_EQ(static_cast<std::size_t>(tag), i);
  }
  Tag tag{};
  EXPECT_FALSE(tag_from("no such tag", tag));
}

TEST(Choices, whole_kinds_are_off_in_some_seeds_and_on_in_others) {
  int on = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Choices choices = Choices::seeded(seed);
    std::uint32_t any = 0;
    for (const std::uint32_t answer : draw(choices, Tag::delay, 0, 2000, 4)) any |= answer;
    on += any != 0 ? 1 : 0;
  }
  EXPECT_GT(on, 50);
  EXPECT_LT(on, 150);
}

}  // namespace
}  // namespace tenter::sim
