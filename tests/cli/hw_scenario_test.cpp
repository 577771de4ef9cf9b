// `hw run` of a scenario that its author wrote for the simulator: real processes, a real page, nothing written twice.
#include "cli/hw_scenario.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include "examples/lease/lease.hpp"
#include "sim/scenario.hpp"
#include "tests/cli/command_line.hpp"

namespace tenter {
namespace {

// Ends at once with a code, or waits for a word that nobody writes, or asks for what no part can do.
class Odd {
 public:
  static constexpr Word word{64};
  enum class Kind : std::uint8_t { exits, waits, broadcasts };
  Odd() = default;
  explicit Odd(Kind kind, std::string page = "tenter-hw-scenario-test") : kind_(kind), page_(std::move(page)) {}

  template <class O>
  void on(const event::Started&, O& out) {
    if (kind_ == Kind::exits) return out.exit_process(3, true);
    if (kind_ == Kind::broadcasts) return out.bcast(Op{1}, world_communicator, Rank{0}, Blob());
    out.create_page(Op{1}, Blob(page_), 4096);
  }
  template <class O>
  void on(const event::PageOpened&, O& out) {
    out.watch(Op{2}, word, 0);
  }
  std::string_view state_name() const { return "odd"; }
  TENTER_DESCRIBE(odd, kind_, page_)

 private:
  Kind kind_ = Kind::exits;
  std::string page_;
};

HardwareOptions options_of(std::uint64_t runs, Duration patience) {
  HardwareOptions options;
  options.requests = runs;
  options.patience = patience;
  options.interrupted = [] { return false; };
  options.progress = [](std::uint64_t) {};
  return options;
}

void two_parties(sim::Scenario& s) {
  const std::uint32_t rounds = 1 + s.choose(4);
  s.process("a").runs(lease::Party(1, rounds));
  s.process("b").runs(lease::Party(2, rounds));
}

TEST(HwScenario, the_lease_of_the_examples_ends_in_order_on_real_memory) {
  const HardwareOutcome outcome = cli::run_on_hardware(&two_parties, options_of(20, seconds(60)));
  for (const auto& failure : outcome.failures) ADD_FAILURE() << failure.text;
  EXPECT_EQ(outcome.answers, 40u);
}

std::string failure_of(Odd::Kind kind, Duration patience) {
  const HardwareOutcome outcome =
      cli::run_on_hardware([kind](sim::Scenario& s) { s.process("odd one").runs(Odd(kind)); }, options_of(1, patience));
  EXPECT_EQ(outcome.answers, 0u);
  return outcome.failures.empty() ? "no failure" : outcome.failures[0].text;
}

TEST(HwScenario, a_process_that_does_not_end_well_is_named_with_code_and_state) {
  EXPECT_EQ(failure_of(Odd::Kind::exits, seconds(60)), "odd one: exit code 3, ended in odd odd");
  EXPECT_EQ(failure_of(Odd::Kind::waits, milliseconds(50)), "odd one: exit code 1, is still there, in odd odd");
}

TEST(HwScenario, what_needs_a_run_of_its_own_is_skipped_and_what_does_not_end_is_told_by_its_exit_code) {
  Registry registry = builtin();
  EXPECT_EQ(run_command(registry, {"hw", "run", "store"}).code, 77);
  registry.protocol("odd").scenario("waits", [](sim::Scenario& s) { s.process("waits").runs(Odd(Odd::Kind::waits)); });
  registry.protocol("bad").scenario("exits", [](sim::Scenario& s) { s.process("exits").runs(Odd(Odd::Kind::exits)); });
  EXPECT_EQ(run_command(registry, {"hw", "run", "odd", "--requests", "1", "--patience", "50ms"}).code, 4);
  EXPECT_EQ(run_command(registry, {"hw", "run", "bad", "--requests", "1"}).code, 1);
}

TEST(HwScenario, an_action_that_no_part_performs_is_named) {
  const std::string failure = failure_of(Odd::Kind::broadcasts, seconds(60));
  EXPECT_NE(failure.find("bcast"), std::string::npos) << failure;
  EXPECT_NE(failure.find("Registry::hardware"), std::string::npos) << failure;
}

TEST(HwScenario, an_interrupt_ends_the_processes_and_is_no_failure) {
  HardwareOptions options = options_of(1, seconds(60));
  bool asked = false;
  options.interrupted = [&] { return std::exchange(asked, true); };
  const HardwareOutcome outcome =
      cli::run_on_hardware([](sim::Scenario& s) { s.process("waits").runs(Odd(Odd::Kind::waits)); }, options);
  EXPECT_TRUE(outcome.failures.empty());
  EXPECT_EQ(outcome.answers, 0u);
}

// Names that /dev/shm holds of runs by this process's children or by others; every test of this file makes a page of one name.
std::set<std::string> pages_called(const std::string& name) {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    if (const std::string page = entry.path().filename().string(); page.ends_with(name)) found.insert(page);
  return found;
}

TEST(HwScenario, two_runs_at_once_have_pages_of_their_own_and_leave_none) {
  const std::string name = fmt::format("tenter-two-runs-{}", getpid());
  const auto waits = [&](sim::Scenario& s) { s.process("waits").runs(Odd(Odd::Kind::waits, name)); };
  HardwareOptions outer = options_of(1, seconds(60));
  std::string inner;
  // Asked the second time, the outer run's process is there and its page too.
  int asked = 0;
  outer.interrupted = [&] {
    if (++asked == 1 || pages_called(name).empty()) return false;
    const HardwareOutcome outcome = cli::run_on_hardware(waits, options_of(1, milliseconds(50)));
    inner = outcome.failures.empty() ? "no failure" : outcome.failures[0].text;
    return true;
  };
  EXPECT_TRUE(cli::run_on_hardware(waits, outer).failures.empty());
  EXPECT_EQ(inner, "waits: exit code 1, is still there, in odd odd");
  EXPECT_EQ(pages_called(name), std::set<std::string>{});
}

}  // namespace
}  // namespace tenter
