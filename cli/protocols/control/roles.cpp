// Control's machines, so that `sim replay DIR` makes them from a recording of `control run` (hw/control/rank_on_mpi.cpp).
#include "cli/protocols/control/protocol.hpp"
#include "core/control/executor.hpp"
#include "core/control/hub.hpp"

namespace tenter::protocols {

void add_control_roles(Registry& registry) {
  registry.role<control::Hub, control::HubConfig>().role<control::Executor, control::ExecutorConfig>();
}

}  // namespace tenter::protocols
