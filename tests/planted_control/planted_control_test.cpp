// Control's planted bugs: each is found within its budget of seeds, by the property that names it.
#include <gtest/gtest.h>

#include "cli/main.hpp"
#include "sim/run.hpp"
#include "tests/planted_control/control_bugs.hpp"

namespace tenter {
namespace {

Registry with_control_bugs() {
  Registry registry = builtin();
  planted::add_control_bugs(registry);
  return registry;
}

class PlantedInControl : public testing::TestWithParam<std::string> {};

TEST_P(PlantedInControl, is_found_by_its_property) {
  const Registry registry = with_control_bugs();
  const sim::Protocol& protocol = *registry.find("control");
  const sim::PlantedBug& bug = *protocol.find_planted(GetParam());
  const sim::Subject subject{&protocol, &bug.scenario, {}};
  std::string others;
  for (std::uint64_t seed = 1; seed <= bug.seeds; ++seed) {
    const sim::Outcome outcome = sim::run_seed(subject, seed);
    if (!outcome.finding) continue;
    if (outcome.finding->property == bug.property) {
      std::printf("%-40s found by: %s, seed %llu\n", bug.name.c_str(), bug.property.c_str(),
                  static_cast<unsigned long long>(seed));
      return;
    }
    others = outcome.finding->property + ": " + outcome.finding->text;
  }
  FAIL() << bug.name << " must be found by: " << bug.property << (others.empty() ? "" : "; it was found by: " + others);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  const Registry registry = with_control_bugs();
  for (const sim::PlantedBug& bug : registry.find("control")->planted()) all.push_back(bug.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Control, PlantedInControl, testing::ValuesIn(names()), [](const auto& bug) { return bug.param; });

TEST(ShippedControl, passes_a_thousand_seeds_of_each_scenario) {
  const Registry registry = builtin();
  const sim::Protocol& protocol = *registry.find("control");
  for (const auto& [name, scenario] : protocol.scenarios()) {
    const sim::Subject subject{&protocol, &scenario, {}};
    for (std::uint64_t seed = 1; seed <= 1'000; ++seed)
      ASSERT_EQ(sim::run_batch_seed(subject, seed).verdict, 0) << name << " " << seed;
  }
}

}  // namespace
}  // namespace tenter
