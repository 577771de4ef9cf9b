// The store's planted bugs: each is found within its budget of seeds, by the property that names it.
#include <gtest/gtest.h>

#include "cli/main.hpp"
#include "sim/run.hpp"
#include "tests/planted/store_bugs.hpp"

namespace tenter {
namespace {

Registry with_store_bugs() {
  Registry registry = builtin();
  planted::add_store_bugs(registry);
  return registry;
}

class PlantedInTheStore : public testing::TestWithParam<std::string> {};

TEST_P(PlantedInTheStore, is_found_by_its_property) {
  const Registry registry = with_store_bugs();
  const sim::Protocol& all = *registry.find("store");
  const sim::PlantedBug& bug = *all.find_planted(GetParam());
  const sim::Protocol protocol = all.without("duty");  // it finds most bugs sooner, before any user sees them
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
    others = outcome.finding->property;
  }
  FAIL() << bug.name << " must be found by: " << bug.property << (others.empty() ? "" : "; it was found by: " + others);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  const Registry registry = with_store_bugs();
  for (const sim::PlantedBug& bug : registry.find("store")->planted()) all.push_back(bug.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Store, PlantedInTheStore, testing::ValuesIn(names()), [](const auto& bug) { return bug.param; });

TEST(ShippedStore, passes_five_hundred_seeds_of_each_scenario_with_faults) {
  const Registry registry = builtin();
  const sim::Protocol& protocol = *registry.find("store");
  for (const auto& [name, scenario] : protocol.scenarios()) {
    if (name == "many_readers") continue;  // seconds a seed: tests/store_faults/many_readers_test.cpp
    const sim::Subject subject{&protocol, &scenario, {}};
    for (std::uint64_t seed = 1; seed <= 500; ++seed)
      ASSERT_EQ(sim::run_batch_seed(subject, seed).verdict, 0) << name << " " << seed;
  }
}

}  // namespace
}  // namespace tenter
