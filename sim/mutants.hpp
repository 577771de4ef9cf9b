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
  bool reached = false;     // at least once the mutation was made; relax_order: always
  std::string reason;       // of a survivor that is explained
};

// The sites of a protocol: every (machine, state, event) that `seeds` runs hit, with the actions there.
std::vector<Mutation> list_mutants(const Subject& subject, std::uint64_t first_seed, std::uint64_t seeds);

// How many of the runs see each SOMETIMES goal; parallel to the protocol's properties.
std::vector<std::uint64_t> count_goals(const Subject& subject, std::uint64_t first_seed, std::uint64_t seeds);

// A goal that so many runs of the protocol reach is lost when no run of a mutant does.
inline constexpr std::uint64_t goal_runs_min = 5;

// Runs `mutation` over seeds until a property fails, `seeds_max` at most; then asks for goals that are never reached any more,
// and whether it changed anything at all (mutation_effect.hpp). goals: count_goals() of the same seeds.
MutantFate try_mutant(const Subject& subject, const Mutation& mutation, std::uint64_t first_seed, std::uint64_t seeds_max,
                      const std::vector<std::uint64_t>& goals = {});

bool matches(std::string_view pattern, std::string_view text);

}  // namespace tenter::sim
