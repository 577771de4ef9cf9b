#include "tests/planted_control/control_bugs.hpp"

namespace tenter::planted {

using namespace control;
using protocols::ControlMachines;

ControlMachines with_hub(HubBug bug) {
  ControlMachines machines = protocols::shipped_control();
  machines.hub = [bug](HubConfig config) { return AnyMachine(Careless<Hub>(Hub(std::move(config)), bug)); };
  return machines;
}
ControlMachines with_hub_configured(std::function<void(HubConfig&)> change) {
  ControlMachines machines = protocols::shipped_control();
  machines.hub = [change](HubConfig config) {
    change(config);
    return AnyMachine(Hub(std::move(config)));
  };
  return machines;
}
ControlMachines with_executor(ExecutorBug bug) {
  ControlMachines machines = protocols::shipped_control();
  machines.executor = [bug](ExecutorConfig config) { return AnyMachine(Careless<Executor>(Executor(std::move(config)), bug)); };
  return machines;
}
ControlMachines with_executor_configured(std::function<void(ExecutorConfig&)> change) {
  ControlMachines machines = protocols::shipped_control();
  machines.executor = [change](ExecutorConfig config) {
    change(config);
    return AnyMachine(Executor(std::move(config)));
  };
  return machines;
}

void add_control_bugs(Registry& registry) {
  sim::Protocol& protocol = registry.protocol("control");
  for (const auto& bugs : {hub_bugs(), executor_bugs()})
    for (const PlantedControl& bug : bugs)
      protocol.planted(
          {bug.name, bug.about, bug.property,
           [machines = bug.machines, shape = bug.shape](sim::Scenario& s) { protocols::build_control(s, machines, shape); },
           5'000});
}

}  // namespace tenter::planted
