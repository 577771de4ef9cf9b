// The tape file, `tenter.tape/1`: a line a fact, then a line a choice that was not boring. Text, so that it can be read, cut and
// kept in a repository (tests/corpus/<protocol>/*.tape).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "sim/choice.hpp"

namespace tenter::sim {

struct Tape {
  std::string protocol, scenario, planted, mutant;
  std::string property;      // what it breaks; empty: nothing
  std::uint64_t seed = 0;    // where it came from
  std::uint64_t step = 0;    // at which step it breaks
  std::uint64_t digest = 0;  // of the run
  TapeEntries entries;
};

std::string encode_tape(const Tape& tape);
Result<Tape> decode_tape(std::string_view text);  // errors name line and field

}  // namespace tenter::sim
