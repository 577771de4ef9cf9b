#include "cli/protocols/control/protocol.hpp"

#include "cli/protocols/control/control_equivalents.hpp"
#include "cli/protocols/control/control_monitors.hpp"
#include "cli/protocols/control/control_scenario.hpp"
#include "cli/protocols/control/flow_monitor.hpp"
#include "cli/protocols/control/gate_monitor.hpp"
#include "cli/protocols/control/job_monitor.hpp"
#include "cli/protocols/control/start_scenario.hpp"
#include "sim/model/comm.hpp"

namespace tenter::protocols {
namespace {

sim::ScenarioFunction shaped(ControlScenario shape) {
  return [shape](sim::Scenario& scenario) { build_control(scenario, shipped_control(), shape); };
}

sim::ScenarioFunction started(StartScenario shape) {
  return [shape](sim::Scenario& scenario) { build_start(scenario, shipped_start(), shape); };
}

}  // namespace

void add_start(Registry& registry) {
  StartScenario healthy, crowd, impostor;
  healthy.faults = healthy.strangers = false;
  crowd.faults = false;
  crowd.crowd = true;
  impostor.impostors = true;
  registry.protocol("start")
      .about("the start of a world: supervisor, launcher, gate and ranks, with strangers at the gate's port")
      .scenario("jobs", started({}))
      .scenario("healthy", started(healthy))
      .scenario("crowd", started(crowd))
      .scenario("impostor", started(impostor))
      .monitor<GateMonitor>("gate")
      .monitor<TokenMonitor>("token")
      .monitor<JobMonitor>("job")
      .sometimes("a start succeeded")
      .sometimes("a start failed")
      .sometimes("a wrong call was refused")
      .sometimes("a rank said that it has joined")
      .sometimes("a stranger was turned away")
      .sometimes("a stranger made room")
      .sometimes("the gate was full")
      .sometimes("SIGKILL was needed")
      .sometimes("a job was ended by a call")
      .sometimes("a job came to its end");
}

void add_control(Registry& registry) {
  ControlScenario eager, rendezvous, border, healthy, storm;
  eager.eager_below = sim::CommModel::all_eager;
  rendezvous.eager_below = 0;
  border.eager_below = 8u << 10;
  healthy.faults = false;
  storm.hostile = true;
  registry.protocol("control")
      .about("tasks and controls from one controller to the executors of a static world")
      .scenario("routes", shaped({}))
      .scenario("eager", shaped(eager))
      .scenario("rendezvous", shaped(rendezvous))
      .scenario("eight_kib", shaped(border))
      .scenario("healthy", shaped(healthy))
      .scenario("storm", shaped(storm))
      .monitor<CommandsMonitor>("commands")
      .monitor<RunsMonitor>("runs")
      .monitor<FlowMonitor>("flow")
      .monitor<BoundsMonitor>("bounds")
      .monitor<LeavingMonitor>("leaving")
      .sometimes("every executor was ready")
      .sometimes("a task was done")
      .sometimes("a task failed")
      .sometimes("a control was applied")
      .sometimes("a deadline passed")
      .sometimes("a call was cancelled")
      .sometimes("a route failed")
      .sometimes("there was no credit")
      .sometimes("the window was full")
      .sometimes("an executor left in order")
      .sometimes("an executor lost its controller")
      .sometimes("a session ended in order")
      .sometimes("a shutdown did not wait for an executor");
  add_control_equivalents(registry.protocol("control"));
}

}  // namespace tenter::protocols
