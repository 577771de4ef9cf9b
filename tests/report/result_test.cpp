// Claims about the result document and the JUnit file.
#include "cli/report/result.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/report/junit.hpp"
#include "cli/report/result_json.hpp"

namespace tenter::report {
namespace {

RunResult failing_run() {
  RunResult result;
  result.command = "sim run";
  result.protocol = "mailbox";
  result.verdict = Verdict::fail;
  result.seeds = 100;
  result.failed = 2;
  result.unknown = 3;
  result.events = 50'000;
  result.wall_s = 2;
  result.digest = 0xFEDCBA9876543210ull;
  result.determinism = {5, 1};
  result.sometimes = {{"a rank dies inside a gather", 7}, {"two calls in the queue", 0}};
  result.failures = {
      {"mailbox.own_answer", 0x58A3, 412, "rank 2", "sequence 7 < 8 & \"late\"", "runs/a.tape", "tenter sim replay runs/a.tape"},
      {"mailbox.own_answer", 0x58A4, 9, "parent", "", "runs/b.tape", "tenter sim replay runs/b.tape"}};
  result.properties = {"mailbox.own_answer", "mailbox.terminal_is_sticky"};
  return result;
}

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(ResultJson, has_exactly_the_keys_of_the_schema_in_their_order) {
  const auto parsed = nlohmann::ordered_json::parse(json_of(failing_run()));
  std::vector<std::string> keys;
  for (const auto& [key, value] : parsed.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"schema", "command", "protocol", "verdict", "seeds", "failed", "unknown", "events",
                                            "wall_s", "seeds_per_s", "events_per_s", "digest", "determinism", "sometimes",
                                            "failures"}));
  keys.clear();
  for (const auto& [key, value] : parsed["failures"][0].items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"property", "seed", "step", "node", "tape", "again"}));
}

TEST(ResultJson, carries_every_figure_and_derives_the_rates) {
  const auto parsed = nlohmann::json::parse(json_of(failing_run()));
  EXPECT_EQ(parsed["schema"], "tenter.result/1");
  EXPECT_EQ(parsed["verdict"], "fail");
  EXPECT_EQ(parsed["seeds_per_s"], 50);
  EXPECT_EQ(parsed["events_per_s"], 25'000);
  EXPECT_EQ(parsed["digest"], "0xfedcba9876543210");
  EXPECT_EQ(parsed["determinism"]["mismatches"], 1);
  EXPECT_EQ(parsed["sometimes"]["two calls in the queue"], 0);
  EXPECT_EQ(parsed["failures"][1]["seed"], "0x00000000000058a4");
}

TEST(ResultJson, of_a_run_that_took_no_time_has_no_infinite_rate) {
  EXPECT_EQ(nlohmann::json::parse(json_of(RunResult{}))["seeds_per_s"], 0);
}

TEST(ResultJson, of_mutants_adds_up_and_fails_only_for_unexplained_survivors) {
  MutantsResult result;
  result.protocol = "mailbox";
  result.tried = 10;
  result.found = 8;
  result.by_property = {{"mailbox.own_answer", 8}};
  result.survivors = {{"dispatcher.accept: drop cancel", "the timer is re-armed in the same step"}};
  EXPECT_EQ(nlohmann::json::parse(json_of(result))["verdict"], "pass");
  result.survivors.push_back({"member.gather: swap", ""});
  const auto parsed = nlohmann::json::parse(json_of(result));
  EXPECT_EQ(parsed["verdict"], "fail");
  EXPECT_EQ(parsed["survivors_explained"], 1);
  EXPECT_EQ(parsed["survivors_unexplained"], 1);
  EXPECT_EQ(parsed["tried"], parsed["found"].get<int>() + 2);
  EXPECT_EQ(parsed["survivors"][1]["mutant"], "member.gather: swap");
  EXPECT_NE(junit_of(result).find("1 of 10 mutants survive unexplained"), std::string::npos);
}

TEST(JUnit, has_one_case_a_property_and_counts_what_failed_and_what_was_skipped) {
  const std::string text = junit_of(failing_run());
  // two properties, determinism, two goals, the liveness budget
  EXPECT_NE(text.find("tests=\"6\" failures=\"2\" errors=\"0\" skipped=\"2\""), std::string::npos) << text;
  EXPECT_EQ(count_of(text, "<testcase "), 6u);
  EXPECT_EQ(count_of(text, "name=\"mailbox.own_answer\""), 1u) << "two failures of one property are one case";
  EXPECT_EQ(count_of(text, "again tenter sim replay"), 2u);
  EXPECT_NE(text.find("never hit in 100 seeds"), std::string::npos);
}

TEST(JUnit, escapes_what_would_break_the_document) {
  EXPECT_NE(junit_of(failing_run()).find("sequence 7 &lt; 8 &amp; &quot;late&quot;"), std::string::npos);
  EXPECT_EQ(xml_text(std::string("\x01\xFF", 2)), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(JUnit, of_a_failing_determinism_check_alone_is_a_failure) {
  RunResult result = failing_run();
  result.failures.clear();
  EXPECT_NE(junit_of(result).find("failures=\"1\""), std::string::npos);
}

}  // namespace
}  // namespace tenter::report
