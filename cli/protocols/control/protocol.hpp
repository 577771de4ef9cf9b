// Registers control: scenarios and properties.
#pragma once
#include "cli/registry.hpp"

namespace tenter::protocols {

void add_control(Registry& registry);

}  // namespace tenter::protocols
