// Registers control and the start of its world: scenarios and properties.
#pragma once
#include "cli/registry.hpp"

namespace tenter::protocols {

void add_control(Registry& registry);
void add_start(Registry& registry);
void add_control_roles(Registry& registry);

}  // namespace tenter::protocols
