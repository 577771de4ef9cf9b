// Registers the store: scenarios and properties.
#pragma once
#include "cli/registry.hpp"

namespace tenter::protocols {

void add_store(Registry& registry);

}  // namespace tenter::protocols
