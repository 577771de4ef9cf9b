// A simulator that cannot find a planted bug is broken: each is found within its budget of seeds, by the property that names it,
// and shrinks to something a person can read. The properties that name bugs say what a user sees; the monitor "contract" judges
// each store, wait and wake by itself and finds most bugs sooner, so it stays away while they are searched, except for the bugs
// that name a rule of it because no outcome shows them. Prints what found each; TENTER_PLANTED_BASES sets from how many base
// seeds it is searched.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "cli/main.hpp"
#include "cli/protocols/mailbox/duty_rules.hpp"
#include "cli/protocols/mailbox/page_rules.hpp"
#include "cli/protocols/mailbox/wait_rules.hpp"
#include "sim/run.hpp"
#include "sim/shrink.hpp"
#include "tests/planted/mailbox_bugs.hpp"

namespace tenter {
namespace {

Registry planted_registry() {
  Registry registry = builtin();
  planted::add_mailbox_bugs(registry);
  return registry;
}
bool is_rule_of_the_contract(std::string_view property) {
  using namespace protocols;
  for (const char* rule : {store_property, length_property, watch_property, copy_property, wait_property, duty_property,
                           call_property, kill_property, exit_property, limit_property})
    if (property == rule) return true;
  return false;
}
sim::Protocol judge_of(const Registry& registry, const sim::PlantedBug& bug) {
  const sim::Protocol& all = *registry.find("mailbox");
  return is_rule_of_the_contract(bug.property) ? all : all.without("contract");
}

// Seeds until the first failure, from `base` on; 0: not within the budget.
std::uint64_t seeds_needed(const sim::Subject& subject, std::uint64_t base, std::uint64_t budget, sim::Outcome& failing) {
  for (std::uint64_t i = 0; i < budget; ++i) {
    failing = sim::run_seed(subject, base + i);
    if (failing.finding) return i + 1;
  }
  return 0;
}

class Planted : public testing::TestWithParam<std::string> {};

TEST_P(Planted, is_found_by_its_property_and_shrinks) {
  const Registry registry = planted_registry();
  const sim::PlantedBug& bug = *registry.find("mailbox")->find_planted(GetParam());
  const sim::Protocol protocol = judge_of(registry, bug);
  const sim::Subject subject{&protocol, &bug.scenario, {}};
  const char* wanted = std::getenv("TENTER_PLANTED_BASES");
  const int bases = wanted ? std::atoi(wanted) : 5;
  std::vector<std::uint64_t> needed;
  bool by_its_property = false;
  std::size_t events = 0, faults = 0;
  for (int base = 0; base < bases; ++base) {
    sim::Outcome failing;
    needed.push_back(seeds_needed(subject, 1 + static_cast<std::uint64_t>(base) * 1'000'000, bug.seeds, failing));
    ASSERT_NE(needed.back(), 0u) << bug.name << " was not found within " << bug.seeds << " seeds";
    const auto small = sim::shrink(subject, failing.tape, failing.finding->property,
                                   [](const sim::ShrinkProgress& p) { return p.replays < 2000; });
    by_its_property = by_its_property || failing.finding->property == bug.property;
    if (base > 0) continue;
    events = small.outcome.steps - small.outcome.boot_steps;
    for (const sim::TapeEntry& entry : small.tape) faults += sim::is_fault(entry.tag) ? 1 : 0;
    const sim::Outcome again = sim::run_tape(subject, small.tape);
    ASSERT_TRUE(again.finding);
    EXPECT_EQ(again.finding->property, failing.finding->property);
    EXPECT_EQ(again.digest, small.outcome.digest);
    RecordProperty("property", failing.finding->property);
    std::printf("%-40s found by: %s\n", bug.name.c_str(), failing.finding->property.c_str());
  }
  std::sort(needed.begin(), needed.end());
  std::printf("%-40s seeds median %llu, shrunk to %zu events after the start, %zu faults\n", bug.name.c_str(),
              static_cast<unsigned long long>(needed[needed.size() / 2]), events, faults);
  EXPECT_TRUE(by_its_property) << bug.name << " must be found by: " << bug.property;
  EXPECT_LE(faults, 2u);
}

TEST_P(Planted, is_found_with_every_monitor_on) {
  const Registry registry = planted_registry();
  const sim::Protocol& protocol = *registry.find("mailbox");
  const sim::PlantedBug& bug = *protocol.find_planted(GetParam());
  sim::Outcome failing;
  const std::uint64_t needed = seeds_needed({&protocol, &bug.scenario, {}}, 1, bug.seeds, failing);
  ASSERT_NE(needed, 0u) << bug.name << " was not found within " << bug.seeds << " seeds";
  std::printf("%-40s seeds %llu, all monitors on, found by: %s\n", bug.name.c_str(), static_cast<unsigned long long>(needed),
              failing.finding->property.c_str());
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  const Registry registry = planted_registry();
  for (const sim::PlantedBug& bug : registry.find("mailbox")->planted()) all.push_back(bug.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Mailbox, Planted, testing::ValuesIn(names()), [](const auto& bug) { return bug.param; });

// What a person has to read of a failure (design 10): events delivered after the start, faults.
TEST(Shrinking, leaves_at_most_30_events_and_2_faults_of_nine_planted_bugs_in_ten) {
  const Registry registry = planted_registry();
  const std::vector<sim::PlantedBug>& bugs = registry.find("mailbox")->planted();
  std::size_t short_enough = 0;
  for (const sim::PlantedBug& bug : bugs) {
    const sim::Protocol protocol = judge_of(registry, bug);
    const sim::Subject subject{&protocol, &bug.scenario, {}};
    sim::Outcome failing;
    ASSERT_NE(seeds_needed(subject, 1, bug.seeds, failing), 0u) << bug.name;
    const auto small = sim::shrink(subject, failing.tape, failing.finding->property,
                                   [](const sim::ShrinkProgress& p) { return p.replays < 2000; });
    std::size_t faults = 0;
    for (const sim::TapeEntry& entry : small.tape) faults += sim::is_fault(entry.tag) ? 1 : 0;
    short_enough += small.outcome.steps - small.outcome.boot_steps <= 30 && faults <= 2;
  }
  EXPECT_GE(10 * short_enough, 9 * bugs.size()) << short_enough << " of " << bugs.size();
}

TEST(Shipped, the_mailbox_passes_two_thousand_seeds_with_faults) {
  const Registry registry = builtin();
  const sim::Protocol& protocol = *registry.find("mailbox");
  for (const auto& [name, scenario] : protocol.scenarios()) {
    const sim::Subject subject{&protocol, &scenario, {}};
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
      const auto result = sim::run_batch_seed(subject, seed);
      ASSERT_EQ(result.verdict, 0) << name << " seed " << seed;
    }
  }
}

}  // namespace
}  // namespace tenter
