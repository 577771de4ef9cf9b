// What every subcommand shares: exit codes, common options, where files go, and how a failure is shown.
#pragma once
#include <atomic>
#include <csignal>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

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

// How messages begin: the name by which this program was called, without its folder.
const std::string& program_name();
void set_program_name(std::string_view called_as);

// A usage error: prints to standard error, names the nearest known word where there is one, returns 64.
int usage_error(const std::string& text);
std::string nearest(std::string_view word, const std::vector<std::string>& known);
const sim::Protocol* find_protocol(const Context& context, const std::string& name, int& code);

// ^C, SIGTERM, SIGHUP: true from the first one on; the second one ends the process with 130. One that was ignored when the
// program began (nohup(1)) stays ignored.
bool interrupted();
void watch_interrupt();
// After watch_interrupt(): waits until a read of the descriptor would not block; false when the interruption comes first.
bool readable_before_interrupt(int descriptor);
// The handlers that libraries set before main() are taken away: ^C and SIGTERM end the process until watch_interrupt().
void forget_handlers_of_libraries();
// After watch_interrupt(): while it lives, the first interruption calls `then`, once, on a thread of its own.
class OnInterrupt {
 public:
  explicit OnInterrupt(std::function<void()> then);
  OnInterrupt(const OnInterrupt&) = delete;
  OnInterrupt& operator=(const OnInterrupt&) = delete;
  ~OnInterrupt();  // after `then` has returned

 private:
  int over_;  // eventfd(2)
  std::thread thread_;
};

// What came from another process or a file, for a terminal: control bytes as \xNN.
std::string shown_text(std::string_view text);

// Writes the JSON and JUnit files that were asked for. What cannot be written is told on standard error and makes the exit code
// 70 of a command that would end with 0; it never hides the code of what was found.
void write_result_text(const Context& context, const std::string& json, const std::string& junit);

std::string version_text();  // "0.1.0 (4f1c2ab)"

// Where this run's files go: <out>/<protocol>-<utc time>-<pid>, with <out>/latest pointing at it.
std::string make_run_folder(const Context& context, const std::string& protocol);

// What was printed must have arrived: a standard output that is full or closed is told on standard error; false then.
bool standard_output_is_whole();

// A seed: 0x… or decimal.
bool parse_seed(std::string_view text, std::uint64_t& seed);

}  // namespace tenter::cli
