// What every subcommand shares: exit codes, common options, where files go, and how a failure is shown.
#pragma once
#include <atomic>
#include <csignal>
#include <string>
#include <string_view>

#include "cli/registry.hpp"
#include "cli/report/result.hpp"
#include "cli/report/terminal.hpp"
#include "sim/tape.hpp"

namespace tenter::cli {

namespace exit_code {
inline constexpr int pass = 0, violated = 1, unknown = 2, liveness = 4, mismatch = 8, usage = 64, internal = 70, skipped = 77,
                     interrupted = 130;
}

struct CommonOptions {
  std::string json;  // file, or "-" for standard output
  std::string junit;
  std::string out = "runs";
  std::string color = "auto";
  bool quiet = false;
};

inline constexpr std::uint64_t tape_bytes_max = 256 * 1024 * 1024;  // a larger file is no tape

struct Context {
  const Registry& registry;
  CommonOptions common;
  std::string program;               // as it was called, for again lines
  mutable bool result_lost = false;  // a result file that was asked for could not be written

  bool color() const;                                       // on standard output
  bool human_output() const { return common.json != "-"; }  // standard output is free for people
};

// PASS, FAIL or UNKNOWN, coloured where colours are wanted.
std::string verdict_word(const Context& context, report::Verdict verdict);

// A usage error: prints to standard error, names the nearest known word where there is one, returns 64.
int usage_error(const std::string& text);
std::string nearest(std::string_view word, const std::vector<std::string>& known);
const sim::Protocol* find_protocol(const Context& context, const std::string& name, int& code);

// ^C: true from the first SIGINT on; the second one ends the process.
bool interrupted();
void watch_interrupt();

// Writes the JSON and JUnit files that were asked for. What cannot be written is told on standard error and makes the exit code
// 70 of a command that would end with 0; it never hides the code of what was found.
void write_result_text(const Context& context, const std::string& json, const std::string& junit);

std::string version_text();  // "0.1.0 (4f1c2ab)"

// Where this run's files go: <out>/<protocol>-<utc time>-<pid>, with <out>/latest pointing at it.
std::string make_run_folder(const Context& context, const std::string& protocol);

// A seed: 0x… or decimal.
bool parse_seed(std::string_view text, std::uint64_t& seed);

}  // namespace tenter::cli
