#include <fmt/format.h>

#include <filesystem>

#include "cli/report/junit.hpp"
#include "cli/report/result_json.hpp"
#include "cli/sim_commands.hpp"
#include "cli/tell.hpp"
#include "core/text.hpp"
#include "hw/os/file.hpp"

namespace tenter::cli {
namespace {

report::RunResult replay_result(const sim::Tape& tape, const sim::Outcome& outcome, bool differs, const std::string& file,
                                const std::string& again) {
  report::RunResult result;
  result.command = "sim replay";
  result.protocol = tape.protocol;
  result.seeds = 1;
  result.failed = outcome.finding ? 1 : 0;
  result.unknown = outcome.decided ? 0 : 1;
  result.events = outcome.steps;
  result.digest = outcome.digest;
  result.determinism = {tape.digest != 0 ? 1u : 0u, differs ? 1u : 0u};
  result.verdict = outcome.finding || differs ? report::Verdict::fail
                   : outcome.decided          ? report::Verdict::pass
                                              : report::Verdict::unknown;
  if (outcome.finding)
    result.failures.push_back({outcome.finding->property, tape.seed, outcome.finding->step, outcome.finding->process,
                               outcome.finding->text, file, again});
  return result;
}

}  // namespace

int sim_replay(const Context& context, const SimReplayOptions& options) {
  if (std::filesystem::is_directory(options.target)) return replay_recordings(context, options.target, options.timeline);
  const auto text = os::read_file(options.target, tape_bytes_max);
  if (!text) return usage_error("tape " + text.error().what);
  const auto tape = sim::decode_tape(*text);
  if (!tape) return usage_error(options.target + ": " + tape.error().what);
  Chosen chosen = choose_subject(context, tape->protocol, tape->scenario, tape->planted, tape->mutant);
  if (chosen.code != 0) return chosen.code;
  chosen.subject.options.stop_after = options.until;
  chosen.subject.options.break_at = options.break_at;
  const sim::Outcome outcome = sim::run_tape(chosen.subject, tape->entries);
  const std::string again = context.program + " sim replay " + options.target;
  if (context.human_output()) {
    fmt::print("# tenter {} {} scenario={} seed={:#x} choices={} drift={}\n", version_text(), tape->protocol, chosen.scenario,
               tape->seed, tape->entries.size(), outcome.drift);
    if (outcome.finding) print_story(context, chosen.subject, tape->entries, options.events, again);
    fmt::print("{} events   digest {:#018x}\n", outcome.steps, outcome.digest);
  }
  const bool differs = options.until == 0 && tape->digest != 0 && outcome.digest != tape->digest;
  const auto result = replay_result(*tape, outcome, differs, options.target, again);
  write_result_text(context, report::json_of(result), report::junit_of(result));
  if (differs) {
    tell(
        "the run differs from the saved one: digest {:#018x}, the tape says {:#018x}; drift {} of {} choices (another "
        "version?)\n",
        outcome.digest, tape->digest, outcome.drift, tape->entries.size());
    return exit_code::mismatch;
  }
  if (outcome.finding) return exit_code_of(*outcome.finding);
  if (!context.common.quiet && context.human_output())
    fmt::print("{}  no property fails on this tape{}\n", verdict_word(context, result.verdict),
               outcome.decided ? "" : ", and it ends before all is decided");
  return outcome.decided ? exit_code::pass : exit_code::unknown;
}

}  // namespace tenter::cli
