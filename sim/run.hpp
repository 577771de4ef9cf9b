// One run, and many: what `tenter sim run` does, without the terminal.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/protocol.hpp"
#include "sim/world.hpp"

namespace tenter::sim {

struct Outcome {
  std::optional<Finding> finding;
  bool decided = true;
  std::uint64_t digest = 0;
  std::uint64_t steps = 0;       // events delivered to machines
  std::uint64_t boot_steps = 0;  // of these, before the scenario's quiet boot was over
  std::uint64_t turns = 0;
  std::uint64_t file_operations = 0;  // asked of the Files port by all processes
  std::size_t drift = 0;
  TapeEntries tape;
  std::vector<bool> seen;
};

// What is run: a scenario of a protocol with its properties, perhaps with a mutant.
struct Subject {
  const Protocol* protocol = nullptr;
  const ScenarioFunction* scenario = nullptr;
  WorldOptions options;
};

// `inspect` sees the finished world (log, sites) before it goes.
using Inspect = std::function<void(const World&)>;
Outcome run_seed(const Subject& subject, std::uint64_t seed, const Inspect& inspect = {});
Outcome run_tape(const Subject& subject, const TapeEntries& tape, const Inspect& inspect = {});

struct SeedResult {
  std::uint64_t seed = 0;
  std::uint64_t digest = 0;
  std::uint64_t steps = 0;
  std::uint8_t verdict = 0;  // 0 pass, 1 fail, 2 unknown, 3 determinism mismatch
  std::vector<bool> seen;
  bool doubled = false;
  std::uint64_t file_operations = 0;
};

// Runs one seed as a batch does: one in twenty twice, comparing digests.
SeedResult run_batch_seed(const Subject& subject, std::uint64_t seed);
constexpr bool runs_twice(std::uint64_t seed) { return (seed * 0x9E3779B97F4A7C15ull >> 32) % 20 == 0; }

// The first event in which two runs of the same seed differ, for people; empty when they agree.
std::string first_difference(const Subject& subject, std::uint64_t seed);

}  // namespace tenter::sim
