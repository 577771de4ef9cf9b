#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <iostream>

#include "cli/report/atomic_file.hpp"
#include "cli/sim_commands.hpp"
#include "cli/tell.hpp"
#include "hw/os/file.hpp"
#include "sim/shrink.hpp"

namespace tenter::cli {

int sim_shrink(const Context& context, const SimShrinkOptions& options) {
  const auto text = os::read_file(options.tape, tape_bytes_max);
  if (!text) return usage_error("tape " + text.error().what);
  const auto tape = sim::decode_tape(*text);
  if (!tape) return usage_error(options.tape + ": " + tape.error().what);
  if (tape->property.empty()) return usage_error(options.tape + ": this tape breaks no property");
  const double budget = seconds_from(options.budget);
  if (budget < 0) return usage_error("--budget is a number with s, m or h");
  const Chosen chosen = choose_subject(context, tape->protocol, tape->scenario, tape->planted, tape->mutant);
  if (chosen.code != 0) return chosen.code;
  watch_interrupt();
  const auto start = std::chrono::steady_clock::now();
  report::Progress progress(std::cerr, isatty(2) != 0, start);
  const auto result = sim::shrink(chosen.subject, tape->entries, tape->property, [&](const sim::ShrinkProgress& p) {
    const auto now = std::chrono::steady_clock::now();
    progress.update(fmt::format("shrinking: {} choices left, {} replays (^C keeps the best so far)", p.choices, p.replays), now);
    return !interrupted() && std::chrono::duration<double>(now - start).count() < budget;
  });
  progress.clear();
  if (!result.outcome.finding || result.outcome.finding->property != tape->property) {
    tell("{}: does not fail any more; nothing to shrink\n", options.tape);
    return exit_code::mismatch;
  }
  std::string out = options.out;
  if (out.empty()) {
    out = options.tape;
    if (out.ends_with(".tape")) out.resize(out.size() - 5);
    if (!out.ends_with(".min")) out += ".min";
    out += ".tape";
  }
  sim::Tape small = *tape;
  small.entries = result.tape;
  small.step = result.outcome.finding->step;
  small.digest = result.outcome.digest;
  if (const auto written = report::write_file_atomically(out, sim::encode_tape(small)); !written) {
    tell("{}\n", written.error().what);
    return exit_code::internal;
  }
  if (context.human_output()) {
    fmt::print("{} -> {} choices, {} replays  {}\n", tape->entries.size(), result.tape.size(), result.replays, out);
    print_story(context, chosen.subject, result.tape, 10, context.program + " sim replay " + out);
  }
  return exit_code::pass;
}

}  // namespace tenter::cli
