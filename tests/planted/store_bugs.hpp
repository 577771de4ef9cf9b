// Bugs planted into the store, each as a variant of one machine.
#pragma once
#include "cli/registry.hpp"

namespace tenter::planted {

void add_store_bugs(Registry& registry);
// Of these: what only shows on a file system of several hosts (store_file_bugs.cpp).
void add_store_file_bugs(sim::Protocol& store);

}  // namespace tenter::planted
