// Control as the simulator runs it: a hub with its executors over the simulated Comm. Planted bugs are the same scenario with one
// machine made by another factory.
#pragma once
#include <functional>
#include <optional>

#include "cli/protocols/control/control_workload.hpp"
#include "core/control/executor.hpp"
#include "core/control/hub.hpp"
#include "sim/scenario.hpp"

namespace tenter::protocols {

struct ControlMachines {
  std::function<AnyMachine(control::HubConfig)> hub;
  std::function<AnyMachine(control::ExecutorConfig)> executor;
};
ControlMachines shipped_control();

struct ControlScenario {
  std::optional<std::uint64_t> eager_below;  // none: the run's own choice
  bool faults = true;
  bool hostile = false;  // one executor in the run says what no executor may say
};
void build_control(sim::Scenario& scenario, const ControlMachines& machines, const ControlScenario& shape);

}  // namespace tenter::protocols
