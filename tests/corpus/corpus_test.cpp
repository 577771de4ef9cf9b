// Every failure that was ever found and fixed stays fixed: each tape of tests/corpus/<protocol>/ runs without a finding.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/main.hpp"
#include "sim/run.hpp"
#include "sim/tape.hpp"

namespace tenter {
namespace {

std::vector<std::filesystem::path> tapes() {
  std::vector<std::filesystem::path> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TENTER_CORPUS))
    if (entry.path().extension() == ".tape") all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}

TEST(Corpus, every_failure_that_was_fixed_stays_fixed) {
  const Registry registry = builtin();
  const auto all = tapes();
  ASSERT_FALSE(all.empty());
  for (const auto& path : all) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    const auto tape = sim::decode_tape(text.str());
    ASSERT_TRUE(tape) << path << ": " << tape.error().what;
    const sim::Protocol* protocol = registry.find(tape->protocol);
    ASSERT_NE(protocol, nullptr) << path;
    const sim::ScenarioFunction* scenario = protocol->find_scenario(tape->scenario);
    ASSERT_NE(scenario, nullptr) << path;
    const sim::Outcome outcome = sim::run_tape({protocol, scenario, {}}, tape->entries);
    EXPECT_FALSE(outcome.finding) << path << ": " << outcome.finding->property << ": " << outcome.finding->text;
  }
}

}  // namespace
}  // namespace tenter
