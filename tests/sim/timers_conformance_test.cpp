// The simulated Timers keep the same contract as those on hardware: in the boring world, on clocks that drift and start
// elsewhere, and where every firing is late and every tie is broken another way.
#include <csignal>

#include "tests/conformance/timers.hpp"
#include "tests/sim/puppet.hpp"

namespace tenter::sim {
namespace timers_conformance {
namespace {

struct Boring {
  static TapeEntries tape() { return {}; }
};
template <std::uint32_t Drift, std::uint32_t Skew>
struct Drifting {
  static TapeEntries tape() { return {{Tag::drift, 0, 0, 7, Drift}, {Tag::skew, 0, 0, 4, Skew}}; }
};
struct Late {
  static TapeEntries tape() {
    TapeEntries entries;
    for (std::uint32_t i = 0; i < 400; ++i) entries.push_back({Tag::tie, 0, i, 4, i % 3 + 1});
    for (std::uint32_t i = 0; i < 400; ++i) entries.push_back({Tag::delay, 0, i, 19, (i * 7) % 18 + 1});
    return entries;
  }
};

template <class Tape>
class SimulatedTimers {
 public:
  SimulatedTimers()
      : puppets_(0, Tape::tape(), [](Scenario& scenario) { scenario.process("p").runs(Puppet{}).runs(Puppet{}); }) {}
  void perform(Role role, Action action) { puppets_.perform(0, std::move(action), role); }
  Time now() { return puppets_.world().process(0).local(puppets_.world().now()); }
  std::optional<Event> next(Role role) {
    puppets_.world().signal_process(0, SIGCONT);
    return puppets_.soonest(0, role);
  }
  void due() {
    puppets_.world().signal_process(0, SIGSTOP);
    puppets_.run();
  }
  void end() { puppets_.world().end_process(0, 0, SIGKILL); }

 private:
  PuppetWorld puppets_;
};

using conformance::register_cases;
using conformance::TimersContract;
const bool boring = register_cases<TimersContract<SimulatedTimers<Boring>>>("Simulated/TimersContract");
const bool fast = register_cases<TimersContract<SimulatedTimers<Drifting<5, 3>>>>("SimulatedFastClock/TimersContract");
const bool slow = register_cases<TimersContract<SimulatedTimers<Drifting<6, 1>>>>("SimulatedSlowClock/TimersContract");
const bool late = register_cases<TimersContract<SimulatedTimers<Late>>>("SimulatedLate/TimersContract");

TEST(TimersContract, planted_bugs_are_found_in_the_simulator) { conformance::expect_timer_bugs_found<SimulatedTimers<Boring>>(); }

}  // namespace
}  // namespace timers_conformance
}  // namespace tenter::sim
