#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <optional>

#include "cli/batch.hpp"
#include "cli/report/atomic_file.hpp"
#include "cli/report/junit.hpp"
#include "cli/report/result_json.hpp"
#include "cli/sim_commands.hpp"
#include "cli/tell.hpp"
#include "sim/shrink.hpp"

namespace tenter::cli {
namespace {

constexpr std::uint64_t default_base_seed = 1;

bool read_seeds(const SimRunOptions& options, BatchOptions& batch) {
  batch.first_seed = default_base_seed;
  batch.count = options.count;
  if (!options.seed.empty()) {
    batch.count = 1;
    return parse_seed(options.seed, batch.first_seed);
  }
  if (options.seeds.empty()) return true;
  const std::size_t dots = options.seeds.find("..");
  std::uint64_t last = 0;
  if (dots == std::string::npos || !parse_seed(options.seeds.substr(0, dots), batch.first_seed) ||
      !parse_seed(options.seeds.substr(dots + 2), last) || last < batch.first_seed)
    return false;
  batch.count = last - batch.first_seed + 1;
  return true;
}

std::string again_line(const Context& context, const std::string& tape_file) {
  return context.program + " sim replay " + tape_file;
}

sim::Tape tape_of(const Chosen& chosen, std::uint64_t seed, const sim::Outcome& outcome) {
  sim::Tape tape;
  tape.protocol = chosen.subject.protocol->name();
  tape.scenario = chosen.scenario;
  tape.planted = chosen.planted;
  tape.mutant = chosen.mutant;
  tape.seed = seed;
  tape.digest = outcome.digest;
  tape.entries = outcome.tape;
  if (outcome.finding) {
    tape.property = outcome.finding->property;
    tape.step = outcome.finding->step;
  }
  return tape;
}

void save(const std::string& file, const sim::Tape& tape) {
  if (const auto written = report::write_file_atomically(file, sim::encode_tape(tape)); !written)
    tell("warning: {}\n", written.error().what);
}

// Saves the tape, shrinks it, explains it. Returns the failure for the result files; nothing when the seed, run again, fails no
// more, which is a failure of determinism.
std::optional<report::Failure> explain(const Context& context, const Chosen& chosen, const SimRunOptions& options,
                                       std::uint64_t seed, std::string& folder, int& code) {
  const sim::Outcome outcome = sim::run_seed(chosen.subject, seed);
  if (!outcome.finding) return std::nullopt;
  report::Failure failure;
  failure.seed = seed;
  failure.property = outcome.finding->property;
  failure.step = outcome.finding->step;
  failure.node = outcome.finding->process;
  failure.what = outcome.finding->text;
  code |= exit_code_of(*outcome.finding);
  if (folder.empty()) folder = make_run_folder(context, chosen.subject.protocol->name());
  const std::string full = fmt::format("{}/{:#x}.tape", folder, seed);
  save(full, tape_of(chosen, seed, outcome));
  failure.tape = full;
  sim::TapeEntries smallest = outcome.tape;
  std::string shrunk_line;
  if (!options.no_shrink) {
    const auto start = std::chrono::steady_clock::now();
    report::Progress progress(std::cerr, isatty(2) != 0, start);
    const auto result = sim::shrink(chosen.subject, outcome.tape, failure.property, [&](const sim::ShrinkProgress& p) {
      const auto now = std::chrono::steady_clock::now();
      progress.update(fmt::format("shrinking: {} choices left, {} replays", p.choices, p.replays), now);
      return !interrupted() && now - start < std::chrono::seconds(30);
    });
    progress.clear();
    smallest = result.tape;
    const std::string small = fmt::format("{}/{:#x}.min.tape", folder, seed);
    save(small, tape_of(chosen, seed, result.outcome));
    failure.tape = small;
    shrunk_line =
        fmt::format("      shrunk   {} -> {} choices, {} -> {} events, {} replays, {:.1f} s  {}\n", outcome.tape.size(),
                    smallest.size(), outcome.steps - outcome.boot_steps, result.outcome.steps - result.outcome.boot_steps,
                    result.replays, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), small);
  }
  failure.again = again_line(context, failure.tape);
  if (context.human_output()) {
    fmt::print("seed {:#x}\n", seed);
    print_story(context, chosen.subject, smallest, 10, failure.again);
    fmt::print("      saved    {}  ({} choices, before shrinking)\n{}", full, outcome.tape.size(), shrunk_line);
  }
  return failure;
}

report::RunResult result_of(const Chosen& chosen, const BatchResult& batch) {
  report::RunResult result;
  result.command = "sim run";
  result.protocol = chosen.subject.protocol->name();
  result.seeds = batch.seeds;
  result.failed = batch.failed.size();
  result.unknown = batch.unknown;
  result.events = batch.events;
  result.wall_s = batch.wall_seconds;
  result.digest = batch.digest;
  result.file_operations = batch.file_operations;
  result.file_operations_most = batch.file_operations_most;
  result.determinism = {batch.doubled, batch.mismatched.size()};
  const auto& properties = chosen.subject.protocol->properties();
  for (std::size_t i = 0; i < properties.size(); ++i) {
    if (properties[i].kind == sim::PropertyKind::sometimes)
      result.sometimes[properties[i].name] = batch.seen[i];
    else
      result.properties.push_back(properties[i].name);
  }
  return result;
}

void print_summary(const Context& context, const report::RunResult& result, const BatchResult& batch) {
  if (!context.human_output()) return;
  if (!context.common.quiet)
    fmt::print(
        "{} seeds   {} failed   {} unknown   {:.2f}e6 events/s   {:.0f} seeds/s   {:.1f} s   digest {:#018x}   {} run twice, {} "
        "differ\n",
        result.seeds, result.failed, result.unknown, result.events_per_s() / 1e6, result.seeds_per_s(), result.wall_s,
        result.digest, result.determinism.checked, result.determinism.mismatches);
  if (!context.common.quiet && result.file_operations != 0)
    fmt::print("{} file operations, at most {} in a run\n", result.file_operations, result.file_operations_most);
  if (!context.common.quiet)
    for (const auto& [name, hits] : result.sometimes)
      if (hits == 0) fmt::print("never seen: {}\n", name);
  fmt::print("{}  {} pass, {} fail, {} unknown{}\n", verdict_word(context, result.verdict),
             result.seeds - result.failed - result.unknown, result.failed, result.unknown,
             batch.interrupted ? " (stopped early)" : "");
}

// The failures for the result files, and what is known of the run by then.
RunFacts explain_all(const Context& context, const Chosen& chosen, const SimRunOptions& options, const BatchResult& batch,
                     report::RunResult& result) {
  RunFacts facts;
  std::string folder;
  constexpr std::size_t explained_max = 5;
  for (std::size_t i = 0; i < batch.failed.size() && i < explained_max; ++i) {
    const std::uint64_t seed = batch.failed[i];
    if (auto failure = explain(context, chosen, options, seed, folder, facts.failed)) {
      result.failures.push_back(std::move(*failure));
      continue;
    }
    ++result.determinism.checked;
    ++result.determinism.mismatches;
    if (context.human_output()) fmt::print("seed {:#x} failed, and did not fail when it was run again\n", seed);
  }
  if (!batch.mismatched.empty() && context.human_output())
    fmt::print("seed {:#x} gave two digests: {}\n", batch.mismatched.front(),
               sim::first_difference(chosen.subject, batch.mismatched.front()));
  facts.seeds = batch.seeds;
  facts.unknown = batch.unknown;
  facts.mismatches = result.determinism.mismatches;
  facts.strict = options.strict;
  facts.interrupted = interrupted();
  return facts;
}

}  // namespace

RunVerdict judge(const RunFacts& facts) {
  if (facts.mismatches > 0) return {report::Verdict::fail, exit_code::mismatch};  // what else was seen may be chance
  if (facts.failed != 0) return {report::Verdict::fail, facts.failed};
  if (facts.interrupted) return {report::Verdict::unknown, exit_code::interrupted};
  const bool undecided = facts.seeds == 0 || (facts.strict && facts.unknown > 0);
  return undecided ? RunVerdict{report::Verdict::unknown, exit_code::unknown}
                   : RunVerdict{report::Verdict::pass, exit_code::pass};
}

int sim_run(const Context& context, const SimRunOptions& options) {
  BatchOptions batch_options;
  if (!read_seeds(options, batch_options)) return usage_error("seeds are 0x… or decimal, ranges A..B");
  if (batch_options.count == 0) return usage_error("--count 0 runs nothing");
  if (batch_options.count > seeds_max) return usage_error(fmt::format("one batch has at most {} seeds", seeds_max));
  batch_options.workers = std::max(1u, options.workers);
  batch_options.keep_going = options.keep_going;
  if (!options.time_limit.empty() && (batch_options.seconds_max = seconds_from(options.time_limit)) < 0)
    return usage_error("--time-limit is a number with s, m or h");
  const Chosen chosen = choose_subject(context, options.protocol, options.scenario, options.planted, options.mutant);
  if (chosen.code != 0) return chosen.code;
  if (context.human_output() && !context.common.quiet)
    fmt::print("# tenter {} {} scenario={}{} seeds={:#x}+{} workers={}\n", version_text(), options.protocol, chosen.scenario,
               chosen.planted.empty() ? "" : " planted=" + chosen.planted, batch_options.first_seed, batch_options.count,
               batch_options.workers);
  std::fflush(stdout);
  watch_interrupt();
  report::Progress progress(std::cerr, isatty(2) != 0, std::chrono::steady_clock::now());
  const BatchResult batch = run_batch(chosen.subject, batch_options, [&](const BatchProgress& p) {
    progress.update(fmt::format("{}/{} seeds   {} failed   {} unknown", p.done, batch_options.count, p.failed, p.unknown),
                    std::chrono::steady_clock::now());
    return !interrupted();
  });
  progress.clear();
  report::RunResult result = result_of(chosen, batch);
  const RunVerdict judged = judge(explain_all(context, chosen, options, batch, result));
  result.verdict = judged.verdict;
  print_summary(context, result, batch);
  write_result_text(context, report::json_of(result), report::junit_of(result));
  return judged.code;
}

}  // namespace tenter::cli
