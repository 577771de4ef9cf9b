// Seam mutants of the store that change nothing, with the reason. Only what survives is looked up here, so a mutant that a
// property finds is never explained away.
#pragma once
#include "sim/protocol.hpp"

namespace tenter::protocols {

void add_store_equivalents(sim::Protocol& protocol);

}  // namespace tenter::protocols
