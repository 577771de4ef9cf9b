// Whole simulated runs with everything on (properties, digest, choices, faults), by the seed and by the event; and the cost of a
// world that is set up and not run.
#include <memory>
#include <string>

#include "bench/sim_rows.hpp"
#include "cli/main.hpp"
#include "examples/lease/lease.hpp"
#include "sim/run.hpp"

namespace tenter::bench {
namespace {

void add_lease(Registry& registry) {
  const auto holders = [](const sim::View& view) {
    int count = 0;
    view.for_each<lease::Party>([&](const auto&, const lease::Party& party) { count += party.holds() ? 1 : 0; });
    return count;
  };
  const auto two_parties = [](std::uint32_t rounds) {
    return [rounds](sim::Scenario& s) {
      s.process("a").runs(lease::Party(1, rounds));
      s.process("b").runs(lease::Party(2, rounds));
    };
  };
  registry.protocol("lease")
      .scenario("1_round", two_parties(1))
      .scenario("60_rounds", two_parties(60))
      .always("one holder", [holders](const sim::View& view) { return holders(view) <= 1; });
}

struct Worlds {
  std::shared_ptr<Registry> registry;  // keeps the protocol that `subject` points to
  sim::Subject subject;
  std::uint64_t seed = 0;
};

std::shared_ptr<Worlds> worlds_of(const std::shared_ptr<Registry>& registry, std::string_view protocol,
                                  std::string_view scenario) {
  const sim::Protocol* found = registry->find(protocol);
  if (!found || !found->find_scenario(scenario)) return nullptr;
  return std::make_shared<Worlds>(Worlds{registry, {found, found->find_scenario(scenario), {}}});
}

// A failing seed is no figure: 0 rounds, which the report calls an error.
template <class Count>
Side runs(std::shared_ptr<Worlds> worlds, Count count) {
  return {.slice = [worlds, count](Budget budget, std::vector<std::uint32_t>&) {
    bool failed = false;
    const Elapsed elapsed = repeat(budget, [&] {
      const sim::Outcome outcome = sim::run_seed(worlds->subject, ++worlds->seed);
      failed |= outcome.finding.has_value();
      return count(outcome);
    });
    return failed ? Elapsed{} : elapsed;
  }};
}

Side set_ups(std::shared_ptr<Worlds> worlds) {
  return {.slice = [worlds](Budget budget, std::vector<std::uint32_t>&) {
    return repeat(budget, [&] {
      sim::Choices choices = sim::Choices::seeded(++worlds->seed);
      sim::Scenario scenario(choices);
      (*worlds->subject.scenario)(scenario);
      sim::World world(choices, scenario, worlds->subject.protocol->properties(), worlds->subject.options);
      world.begin();
      return std::uint64_t{1};
    });
  }};
}

void add_rows(Report& report, const std::string& name, std::shared_ptr<Worlds> worlds, double least_seeds, double least_events) {
  if (!worlds) return;
  report.add({.name = name + "/seeds",
              .candidate = runs(worlds, [](const sim::Outcome&) { return std::uint64_t{1}; }),
              .unit = "seed",
              .least_rate = least_seeds});
  report.add({.name = name + "/events",
              .candidate = runs(worlds, [](const sim::Outcome& outcome) { return outcome.steps; }),
              .unit = "event",
              .least_rate = least_events});
  report.add({.name = name + "/set_up", .candidate = set_ups(worlds), .unit = "world"});
}

}  // namespace

void add_world_rows(Report& report) {
  auto registry = std::make_shared<Registry>(builtin());
  add_lease(*registry);
  add_rows(report, "everything_on/lease_1_round", worlds_of(registry, "lease", "1_round"), 0, 0);
  add_rows(report, "everything_on/lease_60_rounds", worlds_of(registry, "lease", "60_rounds"), 4'000, 2e6);
  // The standard scenario for seeds a second is the mailbox's default one, once it is there.
  add_rows(report, "everything_on/mailbox", worlds_of(registry, "mailbox", ""), 4'000, 2e6);
}

}  // namespace tenter::bench
