// Registers the store: scenarios and properties.
#pragma once
#include "cli/registry.hpp"

namespace tenter::protocols {

void add_store(Registry& registry);
void add_store_roles(Registry& registry);

}  // namespace tenter::protocols
