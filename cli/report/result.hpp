// What a verdict command found, as data: the input of the JSON and JUnit writers. Field meanings: docs/formats.md.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tenter::report {

enum class Verdict : std::uint8_t { pass, fail, unknown };

constexpr std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
      return "fail";
    case Verdict::unknown:
      return "unknown";
  }
  return "?";
}

struct Failure {
  std::string property;  // "mailbox.answer_is_its_own"
  std::uint64_t seed = 0;
  std::uint64_t step = 0;  // delivered events before the property broke
  std::string node;        // process that was stepped, as the scenario names it
  std::string what;        // the values that contradict; JUnit only
  std::string tape;        // saved tape, relative to the current folder
  std::string again;       // one line that reproduces it
};

struct Determinism {
  std::uint64_t checked = 0;     // seeds that ran twice
  std::uint64_t mismatches = 0;  // of those, with another digest the second time
};

struct RunResult {
  static constexpr std::string_view schema = "tenter.result/1";
  std::string command;   // "sim run"
  std::string protocol;  // "mailbox"
  Verdict verdict = Verdict::unknown;
  std::uint64_t seeds = 0, failed = 0, unknown = 0;
  std::uint64_t events = 0;  // delivered, over all seeds
  double wall_s = 0;
  std::uint64_t digest = 0;                                     // over the digests of all seeds in seed order
  std::uint64_t file_operations = 0, file_operations_most = 0;  // in all, and of the run that had most
  Determinism determinism;
  std::map<std::string, std::uint64_t> sometimes;  // name -> hits; 0 is "never hit"
  std::vector<Failure> failures;
  std::vector<std::string> properties;  // every property that was watched; JUnit only

  double seeds_per_s() const { return wall_s > 0 ? static_cast<double>(seeds) / wall_s : 0; }
  double events_per_s() const { return wall_s > 0 ? static_cast<double>(events) / wall_s : 0; }
};

// `sim mutants`: tried = found + survivors_explained + survivors_unexplained + not_reached.
struct MutantsResult {
  struct Survivor {
    std::string mutant;
    std::string reason;  // why it is equivalent to the original; empty = unexplained
  };
  std::string protocol;
  std::uint64_t tried = 0, found = 0;
  std::map<std::string, std::uint64_t> by_property;  // property -> mutants that it found first
  std::map<std::string, std::uint64_t> by_reason;    // reason -> survivors that it explains (first)
  std::vector<Survivor> survivors;
  std::vector<std::string> not_reached;  // no run came to the place: nothing is known about the properties

  std::uint64_t survivors_explained() const;
  std::uint64_t survivors_unexplained() const;
  bool interrupted = false;  // mutants were left untried
  // Nothing tried, or not all, and nothing wrong so far: unknown.
  Verdict verdict() const {
    if (survivors_unexplained() > 0) return Verdict::fail;
    return tried == 0 || interrupted ? Verdict::unknown : Verdict::pass;
  }
};

}  // namespace tenter::report
