// Bugs planted into the store, each as a variant of one machine.
#pragma once
#include "cli/registry.hpp"

namespace tenter::planted {

void add_store_bugs(Registry& registry);

}  // namespace tenter::planted
