// `tenter sim run`: the printed word, the result file and the exit code say the same, and it is true.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "cli/sim_commands.hpp"
#include "tests/cli/command_line.hpp"
#include "tests/cli/ticker.hpp"

namespace tenter {
namespace {

using cli::judge;
using cli::RunFacts;
using report::Verdict;

nlohmann::json json_file(const std::string& path) { return nlohmann::json::parse(std::ifstream(path)); }

TEST(SimRun, what_fails_only_in_a_worker_is_a_difference_of_two_runs) {
  Registry registry;
  add_ticker(registry).always("in one process", [here = getpid()](const sim::View&) { return getpid() == here; });
  const TemporaryFolder folder;
  const Ran ran =
      run_command(registry, {"sim", "run", "ticker", "--count", "3", "--json", folder / "r.json", "--out", folder / "runs"});
  EXPECT_EQ(ran.code, 8) << ran.output;
  EXPECT_NE(ran.output.find("seed 0x1 failed, and did not fail when it was run again"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("\nFAIL"), std::string::npos) << ran.output;
  const auto json = json_file(folder / "r.json");
  EXPECT_EQ(json["verdict"], "fail");
  EXPECT_EQ(json["determinism"]["mismatches"], 1);
}

// A step limit of one leaves every seed undecided.
TEST(SimRun, undecided_seeds_pass_and_with_strict_all_three_say_unknown) {
  Registry registry;
  registry.protocol("ticker")
      .scenario("short",
                [](sim::Scenario& s) {
                  s.step_limit(1);
                  s.process("a").runs(Ticker{});
                })
      .eventually("fired", [](const sim::View& view) {
        bool all = true;
        view.for_each<Ticker>([&](const sim::Process&, const Ticker& ticker) { all = all && ticker.fired; });
        return all;
      });
  const TemporaryFolder folder;
  const std::vector<std::string> words{"sim",   "run",          "ticker", "--count", "3", "--json", folder / "r.json",
                                       "--out", folder / "runs"};
  const Ran lenient = run_command(registry, words);
  EXPECT_EQ(lenient.code, 0) << lenient.output;
  EXPECT_NE(lenient.output.find("\nPASS  0 pass, 0 fail, 3 unknown"), std::string::npos) << lenient.output;
  EXPECT_EQ(json_file(folder / "r.json")["verdict"], "pass");
  std::vector<std::string> strict_words = words;
  strict_words.emplace_back("--strict");
  const Ran strict = run_command(registry, strict_words);
  EXPECT_EQ(strict.code, 2) << strict.output;
  EXPECT_NE(strict.output.find("\nUNKNOWN  0 pass, 0 fail, 3 unknown"), std::string::npos) << strict.output;
  EXPECT_EQ(json_file(folder / "r.json")["verdict"], "unknown");
}

TEST(SimRun, word_and_exit_code_come_from_one_judgement) {
  struct Case {
    RunFacts facts;
    Verdict verdict;
    int code;
  };
  const Case cases[] = {
      {{.seeds = 5}, Verdict::pass, 0},
      {{.seeds = 5, .unknown = 2}, Verdict::pass, 0},
      {{.seeds = 5, .unknown = 2, .strict = true}, Verdict::unknown, 2},
      {{.seeds = 0}, Verdict::unknown, 2},  // the time limit came first
      {{.seeds = 5, .interrupted = true}, Verdict::unknown, 130},
      {{.seeds = 5, .failed = 1, .interrupted = true}, Verdict::fail, 1},
      {{.seeds = 5, .unknown = 2, .failed = 4, .strict = true}, Verdict::fail, 4},
      {{.seeds = 5, .mismatches = 1, .failed = 1}, Verdict::fail, 8},
      {{.seeds = 5, .mismatches = 1, .interrupted = true}, Verdict::fail, 8},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(judge(one.facts).verdict, one.verdict) << &one - cases;
    EXPECT_EQ(judge(one.facts).code, one.code) << &one - cases;
  }
}

// What a seed draws for the ticker.
std::uint32_t number_of(std::uint64_t seed) {
  std::uint32_t drawn = 0;
  Registry registry;
  const sim::Protocol& protocol = add_ticker(registry, [&](std::uint32_t number) { drawn = number; });
  sim::run_seed({&protocol, &protocol.scenarios().front().second, {}}, seed);
  return drawn;
}

std::string hex(std::uint64_t seed) {
  char text[32];
  std::snprintf(text, sizeof text, "seed %#llx: ", static_cast<unsigned long long>(seed));
  return text;
}

// The trouble comes with the 20th seed: the results of those before it are in the worker's buffer then.
void names_the_seed(const std::function<void()>& trouble, const std::string& cause) {
  std::uint64_t seed = 20;
  const auto is_new = [&] {
    for (std::uint64_t before = 1; before < seed; ++before)
      if (number_of(before) == number_of(seed)) return false;
    return true;
  };
  while (seed > 2 && !is_new()) --seed;
  ASSERT_TRUE(is_new()) << "no seed but the first draws something new";
  Registry registry;
  add_ticker(registry, [&, here = getpid(), unlucky = number_of(seed)](std::uint32_t number) {
    if (number == unlucky && getpid() != here) trouble();
  });
  const Ran ran = run_command(registry, {"sim", "run", "ticker", "--count", "60"});
  EXPECT_EQ(ran.code, 70) << ran.output << ran.errors;
  EXPECT_NE(ran.errors.find(hex(seed) + cause), std::string::npos) << ran.errors;
}

TEST(SimRun, an_exception_in_a_worker_is_told_with_its_seed) {
  names_the_seed([] { throw std::runtime_error("out of luck"); }, "out of luck");
}

TEST(SimRun, a_worker_that_crashes_is_told_with_the_seed_that_it_was_at) {
  names_the_seed([] { raise(SIGKILL); }, "ended by signal 9");
}

// Seed 1 fails in one worker, seed 2 ends the other: whoever is faster, the answer is seed 1.
TEST(SimRun, a_crash_behind_the_first_failure_changes_nothing) {
  std::uint64_t first = 1;
  while (number_of(first) == number_of(first + 1)) ++first;
  bool bad = false;
  Registry registry;
  add_ticker(registry, [&, here = getpid(), fails = number_of(first), ends = number_of(first + 1)](std::uint32_t number) {
    bad = number == fails;
    if (number == ends && getpid() != here) raise(SIGKILL);
  }).always("luck", [&](const sim::View&) { return !bad; });
  const TemporaryFolder folder;
  for (int again = 0; again < 10; ++again) {
    const Ran ran = run_command(registry, {"sim", "run", "ticker", "--seeds", std::to_string(first) + "..60", "-j", "2",
                                           "--no-shrink", "--out", folder / "runs"});
    EXPECT_EQ(ran.code, 1) << ran.output << ran.errors;
  }
}

TEST(SimMutants, an_exception_in_a_worker_is_an_error_and_no_pass) {
  Registry registry;
  add_ticker(registry, [here = getpid()](std::uint32_t) {
    if (getpid() != here) throw std::runtime_error("out of luck");
  });
  const Ran ran = run_command(registry, {"sim", "mutants", "ticker", "--seeds", "5", "-j", "2"});
  EXPECT_EQ(ran.code, 70) << ran.output;
  EXPECT_NE(ran.errors.find("the protocol without a mutant: out of luck"), std::string::npos) << ran.errors;
}

TEST(SimMutants, nothing_tried_is_unknown_and_no_pass) {
  Registry registry;
  add_ticker(registry);
  const TemporaryFolder folder;
  const Ran ran =
      run_command(registry, {"sim", "mutants", "ticker", "--seeds", "5", "--only", "no such", "--json", folder / "m.json"});
  EXPECT_EQ(ran.code, 2) << ran.output;
  EXPECT_NE(ran.output.find("UNKNOWN  0 tried"), std::string::npos) << ran.output;
  EXPECT_EQ(json_file(folder / "m.json")["verdict"], "unknown");
}

}  // namespace
}  // namespace tenter
