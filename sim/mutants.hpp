// Seam mutants of a protocol: makes every bug that the seam can make, one at a time, and says which property found it. A survivor
// is either explained by the protocol's author or a hole in the properties.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/run.hpp"

namespace tenter::sim {

struct MutantFate {
  Mutation mutation;
  bool found = false;
  std::string property;     // that found it
  std::uint64_t seeds = 0;  // runs until then
  std::string reason;       // of a survivor that is explained
};

// The sites of a protocol: every (machine, state, event) that `seeds` runs hit, with the actions there.
std::vector<Mutation> list_mutants(const Subject& subject, std::uint64_t first_seed, std::uint64_t seeds);

// Runs `mutation` over seeds until a property fails, `seeds_max` at most.
MutantFate try_mutant(const Subject& subject, const Mutation& mutation, std::uint64_t first_seed, std::uint64_t seeds_max);

bool matches(std::string_view pattern, std::string_view text);

}  // namespace tenter::sim
