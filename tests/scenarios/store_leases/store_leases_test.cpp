// A core with Beacon and Leases and three readers with a Beacon each, over the simulated file system: readers come, leave and
// crash, clocks drift, writes are slow or find no space.
#include <gtest/gtest.h>

#include "core/store/beacon.hpp"
#include "core/store/leases.hpp"
#include "sim/run.hpp"
#include "tests/planted/variant.hpp"
#include "tests/scenarios/store_leases/monitor.hpp"

namespace tenter::store::test {
namespace {

using planted::Variant;

template <class LeasesMachine, class BeaconMachine>
void build(sim::Scenario& s, const LeasesMachine& leases, const BeaconMachine& beacon, Duration patience) {
  s.allow(sim::Tag::crash, 2);
  s.allow(sim::Tag::no_space, 2);
  s.phases(seconds(8), seconds(60));
  s.process("core").runs(Core{milliseconds(200) * std::int64_t{s.choose(12)}, patience, "making", {}}).runs(beacon).runs(leases);
  for (std::uint64_t i = 1; i <= 3; ++i)
    s.process("reader" + std::to_string(i))
        .runs(Guest{{i, i},
                    milliseconds(1) + milliseconds(100) * std::int64_t{s.choose(10)},
                    milliseconds(150) * std::int64_t{s.choose(50)}})
        .runs(beacon)
        .crashes();
}

sim::Protocol protocol_of(const sim::ScenarioFunction& scenario) {
  sim::Protocol protocol("store_leases");
  protocol.scenario("close", scenario)
      .monitor<LeasesMonitor>(never_under_a_reader)
      .eventually("L1 a close ends",
                  [](const sim::View& view) {
                    const Core* core = view.one<Core>();
                    return core->state == "closed" || core->state == "failed";
                  })
      .sometimes("a dead reader's lease expired",
                 [](const sim::View& view) {
                   bool dead = false;
                   view.for_each<Guest>([&](const sim::Process& p, const Guest& g) {
                     dead = dead || (p.life == sim::Life::gone && g.state == "reading");
                   });
                   return dead && view.one<Core>()->drained == Status::ok;
                 })
      .sometimes("a close waited for a reader that left",
                 [](const sim::View& view) {
                   bool left = false;
                   view.for_each<Guest>([&](const sim::Process&, const Guest& g) { left = left || g.state == "gone"; });
                   return left && view.one<Core>()->drained == Status::ok;
                 })
      .sometimes("patience ended first", [](const sim::View& view) { return view.one<Core>()->drained == Status::timed_out; });
  return protocol;
}

struct Tally {
  std::map<std::string, int> findings;
  std::vector<int> seen;
  std::string first;
  std::uint64_t first_seed = 0;
};

Tally run(const sim::ScenarioFunction& scenario, std::uint64_t seeds, bool to_the_first) {
  const sim::Protocol protocol = protocol_of(scenario);
  const sim::Subject subject{&protocol, &protocol.scenarios().front().second, {}};
  Tally tally;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const sim::Outcome outcome = sim::run_seed(subject, seed);
    tally.seen.resize(outcome.seen.size());
    for (std::size_t i = 0; i < outcome.seen.size(); ++i) tally.seen[i] += outcome.seen[i] ? 1 : 0;
    if (!outcome.finding) continue;
    if (tally.findings[outcome.finding->property]++ == 0) {
      tally.first = outcome.finding->property + ": " + outcome.finding->text;
      tally.first_seed = seed;
    }
    if (to_the_first) break;
  }
  return tally;
}

TEST(StoreLeasesScenario, no_core_closes_under_a_reader_that_beats_and_every_close_ends) {
  for (const Duration patience : {Duration{0}, seconds(3)}) {
    const Tally tally =
        run([&](sim::Scenario& s) { build(s, Leases(LeasesConfig{owner_role}), Beacon(owner_role), patience); }, 3'000, true);
    EXPECT_TRUE(tally.findings.empty()) << "seed " << tally.first_seed << ": " << tally.first;
    std::string hits;
    for (const int count : tally.seen) hits += std::to_string(count) + " ";
    RecordProperty("seen", hits);
    const auto seen = [&](std::size_t from_the_end) { return tally.seen[tally.seen.size() - from_the_end]; };
    EXPECT_GT(seen(3), 0) << "no dead reader's lease expired";
    EXPECT_GT(seen(2), 0) << "no close waited for a reader";
    EXPECT_TRUE(number(patience) == 0 || seen(1) > 0) << "patience never ended first";
  }
}

// Planted bugs: each is found by the property that names it.
void expect_found(const char* what, const sim::ScenarioFunction& scenario, const char* property) {
  const Tally tally = run(scenario, 3'000, true);
  ASSERT_EQ(tally.findings.size(), 1u) << what << " was not found";
  EXPECT_EQ(tally.findings.begin()->first, property) << what << ": " << tally.first;
}

TEST(StoreLeasesScenario, a_beacon_whose_count_stands_still_is_found) {
  const planted::Edit same_count = [](std::string_view, const Event&, std::vector<Action>& actions, bool after) {
    if (auto* write = after ? planted::find<action::PublishFile>(actions) : nullptr) {
      Beat beat = decode_beat(write->content.bytes()).value();
      beat.count = 1;
      write->content = encode_beat(beat);
    }
    return true;
  };
  expect_found(
      "a count that stands still",
      [&](sim::Scenario& s) { build(s, Leases(LeasesConfig{owner_role}), Variant(Beacon(owner_role), same_count), Duration{0}); },
      never_under_a_reader);
}

TEST(StoreLeasesScenario, a_period_that_is_not_the_readers_own_is_found) {
  LeasesConfig hasty{owner_role};
  hasty.period_ms_max = hasty.unread_period_ms = 100;
  expect_found(
      "a period of the core's own", [&](sim::Scenario& s) { build(s, Leases(hasty), Beacon(owner_role), Duration{0}); },
      never_under_a_reader);
}

TEST(StoreLeasesScenario, a_full_directory_taken_for_an_empty_one_is_found) {
  const planted::Edit forgetful = [](std::string_view, const Event& e, std::vector<Action>& actions, bool after) {
    if (!after && planted::as<event::FilesListed>(e) != nullptr) {
      actions.emplace_back(action::Tell{owner_role, drained_note(Status::ok, 0, "")});
      return false;
    }
    return true;
  };
  expect_found(
      "a listing without a look",
      [&](sim::Scenario& s) { build(s, Variant(Leases(LeasesConfig{owner_role}), forgetful), Beacon(owner_role), Duration{0}); },
      never_under_a_reader);
}

TEST(StoreLeasesScenario, a_look_that_is_not_repeated_is_found) {
  const planted::Edit once = [](std::string_view, const Event&, std::vector<Action>& actions, bool after) {
    if (after)
      std::erase_if(actions, [](const Action& a) {
        const auto* arm = std::get_if<action::Arm>(&a);
        return arm != nullptr && (number(arm->op) & 0xFF) == static_cast<std::uint64_t>(LeasesOperation::look);
      });
    return true;
  };
  expect_found(
      "a look that is not repeated",
      [&](sim::Scenario& s) { build(s, Variant(Leases(LeasesConfig{owner_role}), once), Beacon(owner_role), Duration{0}); },
      "L1 a close ends");
}

}  // namespace
}  // namespace tenter::store::test
