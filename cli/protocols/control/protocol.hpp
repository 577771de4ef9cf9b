// Registers control: scenarios and properties.
#pragma once
#include "cli/registry.hpp"

namespace tenter::protocols {

void add_control(Registry& registry);
void add_control_roles(Registry& registry);

}  // namespace tenter::protocols
