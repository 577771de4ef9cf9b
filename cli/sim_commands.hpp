// `tenter sim …`, without the parsing of the command line.
#pragma once
#include <cstdint>
#include <string>

#include "cli/command.hpp"
#include "sim/run.hpp"

namespace tenter::cli {

inline constexpr std::uint64_t seeds_max = 100'000'000;  // of a batch: each one's digest is kept

struct SimRunOptions {
  std::string protocol, scenario, planted, mutant;
  std::string seed;            // one seed, or
  std::string seeds;           // A..B
  std::uint64_t count = 1000;  // from the base seed on
  unsigned workers = 1;
  std::string time_limit;  // "5m", "30s"
  bool keep_going = false, no_shrink = false, strict = false;
};
int sim_run(const Context& context, const SimRunOptions& options);

// What a batch came to, once its failures were run again.
struct RunFacts {
  std::uint64_t seeds = 0, unknown = 0;
  std::uint64_t mismatches = 0;  // seeds of which two runs differ, in their digests or in whether they fail
  int failed = 0;                // exit code of the failures; 0: none
  bool strict = false;           // unknown seeds count
  bool interrupted = false;      // ^C
};
struct RunVerdict {
  report::Verdict verdict;
  int code;
};
// One answer for the printed word, the result files and the exit code (docs/exit-codes.md).
RunVerdict judge(const RunFacts& facts);

struct SimReplayOptions {
  std::string target;  // a tape, or a folder of recordings
  std::uint64_t until = 0;
  std::uint64_t break_at = 0;
  std::size_t events = 10;
  std::size_t timeline = 0;  // recordings: how many last events of all processes to show, merged by time
};
int sim_replay(const Context& context, const SimReplayOptions& options);
int replay_recordings(const Context& context, const std::string& folder, std::size_t timeline_events);

struct SimShrinkOptions {
  std::string tape, out;
  std::string budget = "60s";
};
int sim_shrink(const Context& context, const SimShrinkOptions& options);

struct SimMutantsOptions {
  std::string protocol, scenario;
  std::uint64_t seeds = 1000;
  std::uint64_t site_seeds = 200;
  unsigned workers = 1;
  std::string only;  // pattern
};
int sim_mutants(const Context& context, const SimMutantsOptions& options);

// Shared by the three: what a tape or an option names.
struct Chosen {
  sim::Subject subject;
  std::string scenario, planted, mutant;
  int code = 0;  // not 0: refused, already said
};
Chosen choose_subject(const Context& context, const std::string& protocol, const std::string& scenario,
                      const std::string& planted, const std::string& mutant);
double seconds_from(const std::string& text);  // "5m" 300, "30s" 30, "2" 2; < 0: unreadable
int exit_code_of(const sim::Finding& finding);
// Prints property, values, faults, last events; `again` is the line to paste.
void print_story(const Context& context, const sim::Subject& subject, const sim::TapeEntries& tape, std::size_t events,
                 const std::string& again);

}  // namespace tenter::cli
