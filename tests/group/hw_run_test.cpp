// `tenter hw run mailbox`: the simulated workload on a real group, judged by the rules of the simulator's monitors.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/main.hpp"
#include "hw/group/group.hpp"
#include "hw/resource.hpp"

namespace tenter {
namespace {

HardwareOptions options_of(std::vector<std::string> member) {
  HardwareOptions options;
  options.ranks = 3;
  options.requests = 200;
  options.member = std::move(member);
  options.interrupted = [] { return false; };
  options.progress = [](std::uint64_t) {};
  return options;
}

HardwareOutcome run(const HardwareOptions& options) {
  const Registry registry = builtin();
  return registry.find_hardware("mailbox")->run(options);
}

TEST(HwRun, the_work_of_the_scenario_passes_on_a_real_group_and_leaves_nothing) {
  const HardwareOutcome outcome = run(options_of({TENTER_COMMAND, "hw", "member", "mailbox"}));
  for (const auto& failure : outcome.failures) ADD_FAILURE() << failure.property << ": " << failure.text;
  EXPECT_GE(outcome.answers, 202u);  // a start, the requests (an operation has an answer a member), a shutdown
  EXPECT_EQ(hw::Resources::held_text(), "");
}

TEST(HwRun, ranks_that_answer_something_else_are_found) {
  const HardwareOutcome outcome = run(options_of({hw::this_program(), "wrong-member"}));
  const auto wrong = std::count_if(outcome.failures.begin(), outcome.failures.end(),
                                   [](const auto& failure) { return failure.property == "an answer is the request's own"; });
  EXPECT_GT(wrong, 100);
  EXPECT_EQ(hw::Resources::held_text(), "");
}

TEST(HwRun, a_group_that_cannot_start_is_a_failure_that_says_why) {
  HardwareOptions options = options_of({TENTER_COMMAND, "hw", "member", "mailbox"});
  options.launcher = "no-such-launcher";
  const HardwareOutcome outcome = run(options);
  ASSERT_FALSE(outcome.failures.empty());
  EXPECT_NE(outcome.failures[0].text.find("no-such-launcher"), std::string::npos) << outcome.failures[0].text;
  EXPECT_EQ(hw::Resources::held_text(), "");
}

TEST(HwRun, an_interrupt_ends_the_group_in_order) {
  HardwareOptions options = options_of({TENTER_COMMAND, "hw", "member", "mailbox"});
  std::uint64_t done = 0;
  options.progress = [&](std::uint64_t now_done) { done = now_done; };
  options.interrupted = [&] { return done >= 10; };
  const HardwareOutcome outcome = run(options);
  for (const auto& failure : outcome.failures) ADD_FAILURE() << failure.property << ": " << failure.text;
  EXPECT_GE(outcome.answers, 10u);
  EXPECT_LT(outcome.answers, 100u);
}

}  // namespace
}  // namespace tenter
