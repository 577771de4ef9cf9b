// A Supervisor under any sequence of events: it answers every call once, starts one launcher, and once its timers have run out
// nothing is left that it knows of. A failure prints RC_PARAMS="reproduce=..." to run it again.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "supervisor_kit.hpp"

namespace tenter::control {
namespace supervisor_property {
namespace {

using namespace tenter::control::kit;

struct Script {
  Office office{"node-a", *rc::gen::arbitrary<bool>() ? LauncherFamily::hydra : LauncherFamily::open_mpi};
  std::uint64_t tickets = 1;
  std::set<std::uint64_t> gone, killed, terminated;  // pids
  bool launcher_is = false;
  std::size_t looked = 0;

  // One event that the ports could produce, legal in this state or not.
  void step(int kind, int detail) {
    const std::uint32_t rank = static_cast<std::uint32_t>(detail) % 3;
    const Status status = detail % 4 == 0 ? Status::failed : Status::ok;
    switch (kind) {
      case 0:
        return office.start(++tickets);
      case 1:
        return office.host();
      case 2:
        return office.random(detail % 7 == 0 ? 3 : token_bytes + name_bytes);
      case 3:
        return office.listening();
      case 4:
        return office.written(status);
      case 5:
        if (office.spawned.empty() || launcher_is) return;
        launcher_is = status == Status::ok;
        return office.spawns(status);
      case 6:
        return office.seen(rank, detail % 5 == 0 ? "node-z" : "node-a");
      case 7:
        return office.passed();
      case 8:
        return office.gate_fails(status == Status::ok ? Status::cancelled : status, "start: why");
      case 9:
        return exits(rank);
      case 10:
        if (!launcher_is || !gone.insert(100).second) return;
        return office.launcher_exits(detail % 3, 0);
      case 11:
        return office.stop(++tickets);
      case 12:
        return office.wait(++tickets);
      case 13:
        return office.removed(status);
      case 14:
        return office.deliver(event::ParentExited{office.now});
      default:
        return fire();
    }
  }
  void exits(std::uint32_t rank) {
    if (office.machine.processes().ranks.size() <= rank || !office.machine.processes().ranks[rank].watched) return;
    if (gone.insert(200 + rank).second) office.rank_exits(rank);
  }
  void fire() {
    if (office.timers.empty()) return;
    const auto due = std::min_element(office.timers.begin(), office.timers.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
    office.fire(start_kind<Kind>(due->first));
  }
  void look() {
    std::size_t spawns = 0;
    for (; looked < office.actions.size(); ++looked)
      if (const auto* kill = std::get_if<action::KillProcesses>(&office.actions[looked]))
        for (const ProcessId process : kill->processes) (kill->signal == 9 ? killed : terminated).insert(process.pid);
    spawns = office.spawned.size();
    RC_ASSERT(spawns <= 1u);
  }
};

RC_GTEST_PROP(SupervisorProperty, answers_every_call_once_and_leaves_nothing_that_it_knows_of, ()) {
  Script script;
  const auto steps =
      *rc::gen::container<std::vector<std::pair<int, int>>>(rc::gen::pair(rc::gen::inRange(0, 18), rc::gen::inRange(0, 100)));
  if (*rc::gen::arbitrary<bool>()) script.office.go(State{static_cast<std::uint8_t>(*rc::gen::inRange(0, 10))});
  script.launcher_is = script.office.machine.processes().spawned;
  if (script.office.machine.processes().launcher_gone) script.gone.insert(100);
  for (std::uint32_t rank = 0; rank < script.office.machine.processes().ranks.size(); ++rank)
    if (script.office.machine.processes().ranks[rank].gone) script.gone.insert(200 + rank);
  for (const auto& [kind, detail] : steps) {
    script.step(kind, detail);
    script.look();
  }
  script.office.stop(1'000);  // whatever it was at
  for (int i = 0; i < 50 && !script.office.timers.empty(); ++i) {
    script.fire();
    script.look();
  }
  const Office& office = script.office;
  RC_ASSERT(office.timers.empty());
  RC_ASSERT(office.machine.state() == State::ended || office.machine.state() == State::idle);
  for (std::uint64_t ticket = 2; ticket <= script.tickets; ++ticket) RC_ASSERT(office.is_complete(ticket));
  RC_ASSERT(office.is_complete(1'000));
  const JobProcesses& job = office.machine.processes();
  if (job.spawned && !job.launcher_gone) RC_ASSERT(script.killed.contains(100));
  for (const JobRank& rank : job.ranks)
    if (rank.watched && !rank.gone) RC_ASSERT(script.killed.contains(rank.process.pid));
  std::size_t removals = 0;
  for (const Action& action : office.actions) removals += std::holds_alternative<action::RemoveFile>(action) ? 1 : 0;
  RC_ASSERT(removals <= 1u);
  RC_ASSERT(office.files.empty() || removals == 1u || script.office.machine.state() == State::idle);
}

}  // namespace
}  // namespace supervisor_property
}  // namespace tenter::control
