// Fault table: disk full, at every write of a job and its readers in turn. Spec B5; D18, D30, L4.
#include "jobs.hpp"

#include <set>

namespace tenter::store_faults {
namespace {

Play whole_life() {
  Play play;
  play.jobs = {{"job", 2}};
  play.readers = {"reader"};
  play.steps = {[](Script& s) { s.open("job"); },
                [](Script& s) { s.open("job"); },  // refused when the first one succeeded
                [](Script& s) { s.add("job", "x"); },
                [](Script& s) { s.add("job", "x"); },
                [](Script& s) { s.join("reader", "x", seconds(20), 2); },
                [](Script& s) {
                  s.get("reader", "x", {0, 4});
                },
                [](Script& s) { s.leave("reader", "x"); },
                [](Script& s) { s.close("job"); }};
  play.faults = [](sim::Scenario& scenario) { scenario.allow(sim::Tag::no_space, 1); };
  return play;
}

// The `nth` write of one process finds the disk full, everything else is as it should be. Processes are numbered as they are
// made: 0 and 1 the ranks, 2 the reader.
Played full_at(std::uint32_t process, std::uint32_t nth) {
  return play(whole_life(), sim::Choices::replayed({{sim::Tag::no_space, process, nth, 2, 1}}));
}

Status all_alike(const std::vector<Asked>& answers) {
  for (const Asked& asked : answers) EXPECT_EQ(asked.outcome.status, answers[0].outcome.status) << text(asked.outcome);
  return answers[0].outcome.status;
}

TEST(StoreFullDisk, at_each_write_in_turn_fails_all_ranks_alike_leaves_nothing_and_the_next_call_succeeds) {
  std::set<std::string> met;
  for (const std::uint32_t process : {0u, 2u})
    for (std::uint32_t nth = 0; nth < 100; ++nth) {
      SCOPED_TRACE("process " + std::to_string(process) + ", write " + std::to_string(nth));
      const Played played = full_at(process, nth);
      if (played.drift != 0) {  // it does not write so often
        EXPECT_GE(nth, process == 0 ? 4u : 1u);
        break;
      }
      ASSERT_EQ(played.answers.size(), 8u) << played.finding;
      EXPECT_EQ(played.finding, "");
      EXPECT_TRUE(played.files.empty());
      const Status opened = all_alike(played.answers[0]), again = all_alike(played.answers[1]);
      EXPECT_EQ(again, opened == Status::ok ? Status::exists : Status::ok) << text(played.answers[1][0].outcome);
      const Status added = all_alike(played.answers[2]), added_again = all_alike(played.answers[3]);
      EXPECT_EQ(added_again, added == Status::ok ? Status::exists : Status::ok) << text(played.answers[3][0].outcome);
      for (const std::size_t step : {0u, 2u})
        if (const Note said = played.answers[step][0].outcome; said.status != Status::ok) {
          EXPECT_EQ(said.status, Status::no_space) << text(said);
          EXPECT_NE(text(said).find("no space left"), std::string::npos) << text(said);
          met.insert(text(said).substr(0, text(said).find(':', text(said).find(": ") + 2)));
        }
      for (const std::size_t step : {4u, 5u, 6u, 7u}) expect_all(played.answers[step], Status::ok);
    }
  EXPECT_EQ(met.size(), 3u) << "readers' directory, heartbeat, record";
  for (const std::string& step : met) std::printf("full disk: %s\n", step.c_str());
}

}  // namespace
}  // namespace tenter::store_faults
