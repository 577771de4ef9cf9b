#include "cli/control_commands.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/not_empty.hpp"
#include "cli/seconds.hpp"
#if TENTER_CLI_HAS_CONTROL
#include "cli/control_work.hpp"
#endif

namespace tenter::cli {
namespace {

void add_check(CLI::App& control, Context& context, std::function<int()>& chosen) {
  auto options = std::make_shared<ControlCheckOptions>();
  CLI::App* command = control.add_subcommand("check", "judge a topology (JSON) or a host file by the rules of a start");
  command->add_option("file", options->file, "topology or host file")->required();
  command->add_option("--kind", options->kind, "topology, hosts, or auto: by the first character, and .json is a topology")
      ->check(CLI::IsMember({"auto", "topology", "hosts"}))
      ->capture_default_str();
  command->add_option("--json", context.common.json, "write the result as JSON to FILE, - for standard output");
  command->callback([&context, &chosen, options] { chosen = [&context, options] { return control_check(context, *options); }; });
}

#if TENTER_CLI_HAS_CONTROL
void add_run(CLI::App& control, Context& context, std::function<int()>& chosen) {
  auto options = std::make_shared<ControlRunOptions>();
  CLI::App* command = control.add_subcommand("run", "start a job, do its tasks, check the results, end it");
  command->add_option("work", options->work, "a built-in work instead of --tasks: vector_add")
      ->check(CLI::IsMember({"vector_add"}));
  command->add_option("--rows", options->rows, "of vector_add")
      ->check(CLI::Range(std::uint64_t{1}, vector_rows_max))
      ->capture_default_str();
  command->add_option("--tasks", options->tasks, "lines of {\"callable\", \"worker\", ...}, - for standard input");
  command->add_option("--topology", options->topology, "which ranks run where (JSON, see control check)");
  command->add_option("-n,--ranks", options->ranks, "instead: the controller and its executors, all on this machine")
      ->check(CLI::Range(2u, control_ranks_max));
  command->add_option("--transport", options->transport, "what carries the messages: mpi or tcp")
      ->check(CLI::IsMember({"mpi", "tcp"}))
      ->capture_default_str();
  command->add_option("--window", options->window, "tasks in flight an executor")
      ->check(CLI::Range(1u, 64u))
      ->capture_default_str();
  command->add_option("--launcher", options->launcher, "program that starts the ranks")->capture_default_str();
  command->add_option("--launcher-family", options->family, "hydra, openmpi, or auto: by the launcher's own name")
      ->check(CLI::IsMember({"auto", "hydra", "openmpi"}))
      ->capture_default_str();
  command->add_option("--start-deadline", options->start_seconds, "seconds until every rank must have joined (the topology's)")
      ->check(bad_seconds);
  command->add_option("--record", options->record, "record every rank into DIR, for `sim replay DIR` (transport mpi)")
      ->check(not_empty());
  command->add_option("--json", context.common.json, "write the result as JSON to FILE, - for standard output");
  command->add_flag("-q,--quiet", context.common.quiet, "no progress");
  command->callback([&context, &chosen, options] { chosen = [&context, options] { return control_run(context, *options); }; });
}
#endif

}  // namespace

void add_control(CLI::App& app, Context& context, std::function<int()>& chosen) {
  CLI::App* control = app.add_subcommand("control", "one controller, many executors: framed tasks over MPI or TCP");
  control->require_subcommand(1);
  add_check(*control, context, chosen);
#if TENTER_CLI_HAS_CONTROL
  add_run(*control, context, chosen);
  CLI::App* rank = app.add_subcommand("control-rank", "a rank; started by `control run`")->group("");
  rank->callback([&chosen] { chosen = [] { return control_rank(); }; });
#endif
}

}  // namespace tenter::cli
