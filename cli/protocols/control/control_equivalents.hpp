// What is known about mutants of control that no property finds.
#pragma once
#include "sim/protocol.hpp"

namespace tenter::protocols {

void add_control_equivalents(sim::Protocol& protocol);

}  // namespace tenter::protocols
