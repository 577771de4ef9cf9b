// Makes a failing tape small: fewer faults, fewer odd choices, fewer ranks and messages, boring order; the same property must
// fail.
#pragma once
#include <cstdint>
#include <functional>

#include "sim/run.hpp"

namespace tenter::sim {

struct ShrinkProgress {
  std::size_t choices = 0, replays = 0;
};

struct ShrinkResult {
  TapeEntries tape;
  Outcome outcome;
  std::size_t replays = 0;
};

// `keep_going(progress)` is asked before every replay; false ends with the best so far.
ShrinkResult shrink(const Subject& subject, const TapeEntries& failing, const std::string& property,
                    const std::function<bool(const ShrinkProgress&)>& keep_going);

}  // namespace tenter::sim
