// A start as the simulator runs it: the supervisor with its gate, a launcher that starts the ranks, and strangers at the gate's
// port. Planted bugs are the same scenario with one machine made by another factory.
#pragma once
#include <functional>

#include "core/control/gate.hpp"
#include "core/control/gate_client.hpp"
#include "core/control/supervisor.hpp"
#include "sim/scenario.hpp"

namespace tenter::protocols {

struct StartMachines {
  std::function<AnyMachine(control::SupervisorConfig)> supervisor;
  std::function<AnyMachine(control::GateConfig)> gate;
  std::function<AnyMachine(control::GateClientConfig)> gate_client;
};
StartMachines shipped_start();

struct StartScenario {
  bool faults = true;      // processes and the network fail, and ranks may be fated to
  bool strangers = true;   // some come to the gate
  bool crowd = false;      // more of them than the gate lets in at once, in each run
  bool impostors = false;  // a peer with the token, in each run
};
void build_start(sim::Scenario& scenario, const StartMachines& machines, const StartScenario& wanted);

}  // namespace tenter::protocols
