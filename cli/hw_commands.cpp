#include "cli/hw_commands.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "cli/hw_scenario.hpp"
#include "cli/not_empty.hpp"
#include "cli/report/json_writer.hpp"
#include "cli/report/result.hpp"
#include "cli/report/terminal.hpp"
#include "cli/sim_commands.hpp"
#include "cli/tell.hpp"

namespace tenter::cli {
namespace {

// The registry's own run, or that of the scenario's processes; none: `code` is set and the reason told.
std::optional<HardwareRun> find_hardware(const Context& context, const HwRunOptions& options, int& code) {
  const sim::Protocol* protocol = find_protocol(context, options.protocol, code);
  if (!protocol) return std::nullopt;
  if (const HardwareRun* own = context.registry.find_hardware(options.protocol)) return *own;
  const auto chosen = choose_subject(context, options.protocol, options.scenario, "", "");
  code = chosen.code;
  if (code != exit_code::pass) return std::nullopt;
  if (!can_run_on_hardware(*chosen.subject.scenario)) {
    tell("{}: {} has no hardware run in this binary, and its scenario is more than plain processes{}\n", program_name(),
         options.protocol, options.protocol == "store" ? "; its own commands run it: tenter store --help" : "");
    code = exit_code::skipped;
    return std::nullopt;
  }
  if (!options.record.empty()) {
    code = usage_error("--record needs a hardware run of the protocol's own (Registry::hardware)");
    return std::nullopt;
  }
  return HardwareRun{[scenario = chosen.subject.scenario](const HardwareOptions& o) { return run_on_hardware(*scenario, o); },
                     {}};
}

struct Summary {
  const HwRunOptions& options;
  const HardwareOutcome& outcome;
  double seconds;
  bool stopped_early;

  double rate() const { return seconds > 0 ? static_cast<double>(outcome.answers) / seconds : 0; }
  report::Verdict verdict() const {
    return !outcome.failures.empty() ? report::Verdict::fail : stopped_early ? report::Verdict::unknown : report::Verdict::pass;
  }
};

// Of the run that failed, where there are several.
std::string seed_of(const Summary& summary) {
  return summary.outcome.seed ? std::to_string(*summary.outcome.seed) : summary.options.seed;
}

// The same processes may meet in another order: on hardware this line tries again, it does not reproduce.
std::string again(const Context& context, const Summary& summary) {
  const HwRunOptions& options = summary.options;
  return fmt::format("{} hw run {}{} --ranks {} --requests {} --seed {} --patience {} --launcher {}", context.program,
                     options.protocol, options.scenario.empty() ? "" : " --scenario " + options.scenario, options.ranks,
                     options.requests, seed_of(summary), options.patience, options.launcher);
}

void write_json(const Context& context, const Summary& summary) {
  if (context.common.json.empty()) return;
  std::ostringstream text;
  {
    report::JsonWriter json(text);
    json.begin_object().member("schema", report::RunResult::schema).member("command", "hw run");
    json.member("protocol", summary.options.protocol).member("verdict", report::to_string(summary.verdict()));
    json.member("ranks", summary.options.ranks).member("requests", summary.options.requests);
    json.member("seed", seed_of(summary)).member("answers", summary.outcome.answers);
    json.member("failed", summary.outcome.failures.size()).member("wall_s", summary.seconds);
    json.member("answers_per_s", summary.rate()).member("record", summary.options.record);
    json.member("record_trouble", summary.outcome.recording_trouble);
    json.key("failures").begin_array();
    for (const auto& failure : summary.outcome.failures)
      json.begin_object()
          .member("property", failure.property)
          .member("what", failure.text)
          .member("again", again(context, summary))
          .end_object();
    json.end_array().end_object();
  }
  write_result_text(context, text.str() + "\n", "");
}

void print(const Context& context, const Summary& summary) {
  if (!context.human_output()) return;
  constexpr std::size_t shown_max = 5;
  const auto& failures = summary.outcome.failures;
  for (std::size_t i = 0; i < failures.size() && i < shown_max; ++i)
    fmt::print("FAILED  {}: {}\n", failures[i].property, shown_text(failures[i].text));
  if (failures.size() > shown_max) fmt::print("and {} more\n", failures.size() - shown_max);
  if (!failures.empty()) fmt::print("again:  {}\n", again(context, summary));
  fmt::print("{}  {}  {} {}  {:.1f} s  {:.0f}/s{}{}\n", verdict_word(context, summary.verdict()), summary.options.protocol,
             summary.outcome.answers, summary.outcome.unit, summary.seconds, summary.rate(),
             summary.options.record.empty() ? "" : "  recording " + summary.options.record,
             summary.stopped_early ? "  (stopped early)" : "");
}

}  // namespace

int hw_run(const Context& context, const HwRunOptions& options) {
  int code = exit_code::pass;
  const auto hardware = find_hardware(context, options, code);
  if (!hardware) return code;
  HardwareOptions run;
  if (!parse_seed(options.seed, run.seed)) return usage_error("--seed is 0x… or decimal");
  run.ranks = options.ranks;
  if (const double seconds = seconds_from(options.patience); seconds > 0)
    run.patience = Duration{static_cast<std::int64_t>(seconds * 1e9)};
  else
    return usage_error("--patience is a number with s, m or h");
  run.requests = options.requests;
  run.launcher = options.launcher;
  run.record = options.record;
  run.member = {std::filesystem::read_symlink("/proc/self/exe").string(), "hw", "member", options.protocol};
  watch_interrupt();
  const auto begin = std::chrono::steady_clock::now();
  report::Progress progress(std::cerr, isatty(2) != 0, begin);
  run.interrupted = [] { return interrupted(); };
  run.progress = [&](std::uint64_t done) {
    if (!context.common.quiet)
      progress.update(fmt::format("{}/{} requests", done, options.requests), std::chrono::steady_clock::now());
  };
  const HardwareOutcome outcome = hardware->run(run);
  progress.clear();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const Summary summary{options, outcome, seconds, interrupted()};
  print(context, summary);
  if (!outcome.recording_trouble.empty()) tell("warning: the recording is not complete: {}\n", outcome.recording_trouble);
  write_json(context, summary);
  const auto safety = [](const HardwareOutcome::Failure& failure) { return !failure.liveness; };
  if (std::any_of(outcome.failures.begin(), outcome.failures.end(), safety)) return exit_code::violated;
  if (!outcome.failures.empty()) return exit_code::liveness;
  return interrupted() ? exit_code::interrupted : exit_code::pass;
}

int hw_member(const Context& context, const std::string& protocol) {
  const HardwareRun* hardware = context.registry.find_hardware(protocol);
  return hardware ? hardware->member() : usage_error("no protocol with ranks is called '" + protocol + "'");
}

void add_hw(CLI::App& app, Context& context, std::function<int()>& chosen) {
  CLI::App* hw = app.add_subcommand("hw", "the same protocols on real parts");
  hw->require_subcommand(1);
  auto run = std::make_shared<HwRunOptions>();
  CLI::App* command = hw->add_subcommand("run", "the scenario's work on real processes; every answer is judged");
  command->add_option("protocol", run->protocol, "protocol")->required();
  command->add_option("-s,--scenario", run->scenario,
                      "scenario (the first one by default), where it is the scenario that is run");
  command->add_option("-n,--ranks", run->ranks, "MPI ranks, where the protocol has a group")
      ->check(CLI::Range(1u, 1024u))
      ->capture_default_str();
  command->add_option("--requests", run->requests, "how many; of a scenario: runs, each with the next seed")
      ->check(CLI::Range(0u, 4'000'000'000u))
      ->capture_default_str();
  command->add_option("--seed", run->seed, "of the work's shape, 0x… or decimal")->capture_default_str();
  command->add_option("--patience", run->patience, "for a scenario's process to end, e.g. 30s")->capture_default_str();
  command->add_option("--launcher", run->launcher, "program that starts the ranks")->capture_default_str();
  command->add_option("--record", run->record, "write a log a process into this directory, for `sim replay`")->check(not_empty());
  command->add_option("--json", context.common.json, "write the result as JSON to FILE, - for standard output");
  command->add_option("--color", context.common.color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  command->add_flag("-q,--quiet", context.common.quiet, "only the verdict line");
  command->callback([&context, &chosen, run] { chosen = [&context, run] { return hw_run(context, *run); }; });

  auto protocol = std::make_shared<std::string>();
  CLI::App* member = hw->add_subcommand("member", "a rank; started by `hw run`")->group("");
  member->add_option("protocol", *protocol)->required();
  member->callback([&context, &chosen, protocol] { chosen = [&context, protocol] { return hw_member(context, *protocol); }; });
}

}  // namespace tenter::cli
