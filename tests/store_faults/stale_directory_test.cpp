// Fault table: a directory with the record of a dead job, of fewer, as many and more ranks than the next one has. Spec B5; D16,
// D21, D23, S5, L5.
#include "jobs.hpp"

namespace tenter::store_faults {
namespace {

// "old" publishes x and dies; a reader meets its record alone, then "new" takes the directory over.
Play stale(std::uint32_t old_ranks, std::uint32_t new_ranks) {
  Play play;
  play.jobs = {{"old", old_ranks}, {"new", new_ranks}};
  play.readers = {"early", "late"};
  play.steps = {[](Script& s) { s.open("old"); },
                [](Script& s) { s.add("old", "x"); },
                [](Script& s) { s.die("old"); },
                [=](Script& s) {
                  s.join("early", "x", seconds(12), old_ranks);
                  s.join("late", "x", seconds(12), old_ranks + 1);
                },
                [](Script& s) { s.open("new"); },
                [](Script& s) { s.add("new", "x"); },
                [=](Script& s) { s.join("late", "x", seconds(20), new_ranks); },
                [=](Script& s) {
                  s.get("late", "x", {0, 2 * new_ranks});
                },
                [](Script& s) { s.leave("late", "x"); },
                [](Script& s) { s.close("new"); }};
  play.faults = [](sim::Scenario& scenario) { scenario.allow(sim::Tag::address_reuse, 8); };
  return play;
}

void expect_taken_over(std::uint32_t old_ranks, std::uint32_t new_ranks) {
  for_each_seed(stale(old_ranks, new_ranks), 40, [&](const Played& played) {
    expect_all(played.answers[1], Status::ok);
    const Note early = played.answers[3][0].outcome, other = played.answers[3][1].outcome;
    EXPECT_EQ(early.status, Status::timed_out) << text(early);
    EXPECT_NE(text(early).find("generation"), std::string::npos) << text(early);
    EXPECT_EQ(other.status, Status::mismatch) << text(other);
    EXPECT_NE(text(other).find(std::to_string(old_ranks) + " core ranks, " + std::to_string(old_ranks + 1) + " wanted"),
              std::string::npos)
        << text(other);
    for (const std::size_t step : {4u, 5u, 6u, 7u, 8u, 9u}) expect_all(played.answers[step], Status::ok);
    const Bytes rows = played.answers[7][0].bytes.bytes();
    ASSERT_EQ(rows.size(), 8 * new_ranks);
    for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i], byte_of("new", i / 4)) << i;
    EXPECT_TRUE(played.files.empty()) << "the close left a record";
  });
}

TEST(StoreStaleDirectory, of_a_dead_job_with_as_many_ranks_is_never_read_from_and_is_taken_over) { expect_taken_over(2, 2); }
TEST(StoreStaleDirectory, of_a_dead_job_with_fewer_ranks_is_never_read_from_and_is_taken_over) { expect_taken_over(1, 3); }
TEST(StoreStaleDirectory, of_a_dead_job_with_more_ranks_is_never_read_from_and_is_taken_over) { expect_taken_over(4, 2); }

}  // namespace
}  // namespace tenter::store_faults
