// The simulated Processes keep the same contract as those on hardware.
#include "tests/conformance/processes.hpp"

#include "tests/conformance/processes_bugs.hpp"
#include "tests/sim/puppet.hpp"

namespace tenter::sim {
namespace processes_conformance {
namespace {

struct Prompt {
  static TapeEntries tape() { return {}; }
};
// Every answer and every exit is late, each by its own delay.
struct Slow {
  static TapeEntries tape() {
    TapeEntries entries;
    for (std::uint32_t process = 0; process < 40; ++process) {
      for (std::uint32_t i = 0; i < 100; ++i) entries.push_back({Tag::delay, process, i, 19, (i * 7) % 19});
      for (std::uint32_t i = 0; i < 100; ++i) entries.push_back({Tag::exit_delay, process, i, 19, 18 - (i * 5) % 19});
    }
    std::erase_if(entries, [](const TapeEntry& entry) { return entry.answer == 0; });
    return entries;
  }
};

template <class Tape>
class SimulatedProcesses {
 public:
  SimulatedProcesses() : puppets_(0, Tape::tape(), shape) {}
  void perform(std::size_t process, Action action, Role role) { puppets_.perform(process, std::move(action), role); }
  std::optional<Event> next(std::size_t process, Role role) { return puppets_.soonest(process, role); }
  Parts exits(std::int32_t code) { return {Blob("exits"), Blob(std::string_view(std::to_string(code)))}; }
  Parts sleeps() { return {Blob("sleeps")}; }
  Parts helped() { return {Blob("helped")}; }
  Parts missing() { return {Blob("no-such-program-anywhere")}; }
  // A killed process is dead at once, one that ends by itself when its program has run.
  void await_death(const ProcessId& id) {
    World& world = puppets_.world();
    while (world.process(world.find(id)).life != Life::gone && world.step()) {
    }
    EXPECT_EQ(world.process(world.find(id)).life, Life::gone);
  }
  std::size_t start_orphan() {
    perform(0, action::Spawn{Op{0}, helped(), {}}, Role{0});
    puppets_.run();
    return puppets_.world().process_count() - 1;
  }
  void end_parent() { puppets_.world().signal_process(0, 9); }
  std::string end_all() {
    for (const std::size_t process : {0U, 1U, 2U}) perform(process, action::ExitProcess{0, true}, Role{0});
    puppets_.run();
    std::string left;
    for (ProcessIndex i = 0; i < puppets_.world().process_count(); ++i)
      if (const Process& process = puppets_.world().process(i); process.life != Life::gone) left += process.name + " ";
    return left;
  }

 private:
  static void shape(Scenario& scenario) {
    for (const char* name : {"p0", "p1", "p2"}) scenario.process(name).runs(Puppet{}).runs(Puppet{});
    const auto leaves = [](Rank, const action::Spawn& a) {
      ProcessSpec spec;
      spec.name = "leaves";
      spec.runs(conformance::LeavesWith{std::stoi(std::string(a.arguments[1].text()))});
      return spec;
    };
    const auto helper = [](Rank, const action::Spawn&) {
      ProcessSpec spec;
      spec.name = "helper";
      spec.runs(Puppet{}).runs(Puppet{});
      return spec;
    };
    scenario.launcher({"exits", 1, leaves});
    scenario.launcher({"sleeps", 0, helper});
    scenario.launcher({"helped", 1, helper});
  }
  PuppetWorld puppets_;
};

using conformance::ProcessesContract;
using conformance::register_cases;
const bool prompt = register_cases<ProcessesContract<SimulatedProcesses<Prompt>>>("Simulated/ProcessesContract");
const bool slow = register_cases<ProcessesContract<SimulatedProcesses<Slow>>>("SimulatedSlow/ProcessesContract");

TEST(ProcessesContract, planted_bugs_are_found_in_the_simulator) {
  conformance::expect_process_bugs_found<SimulatedProcesses<Prompt>>();
}

}  // namespace
}  // namespace processes_conformance
}  // namespace tenter::sim
