#include "cli/main.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cerrno>

#include "cli/command.hpp"
#include "cli/control_commands.hpp"
#include "cli/hw_commands.hpp"
#include "cli/info.hpp"
#include "cli/sim_commands.hpp"
#include "cli/tell.hpp"
#if TENTER_CLI_HAS_MAILBOX
#include "cli/mailbox_commands.hpp"
#endif
#if TENTER_CLI_HAS_STORE
#include "cli/store_commands.hpp"
#endif

namespace tenter {
namespace {

using cli::Context;

// A closed standard descriptor would be the next file's, and a message into it is an exception.
void open_standard_descriptors() {
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
      (void)open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY);
}

constexpr unsigned jobs_max = 1024, events_shown_max = 10'000'000;

void add_common(CLI::App& command, cli::CommonOptions& common) {
  command.add_option("--json", common.json, "write the result as JSON to FILE, - for standard output");
  command.add_option("--junit", common.junit, "write the result as JUnit XML to FILE");
  command.add_option("--out", common.out, "folder for tapes and results")->capture_default_str();
  command.add_option("--color", common.color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  command.add_flag("-q,--quiet", common.quiet, "only the verdict line");
}

void add_sim(CLI::App& app, Context& context, std::function<int()>& chosen) {
  CLI::App* sim = app.add_subcommand("sim", "deterministic simulation, in one process");
  sim->require_subcommand(1);

  auto run = std::make_shared<cli::SimRunOptions>();
  CLI::App* run_command = sim->add_subcommand("run", "run many seeds; a failure is saved, shrunk and explained");
  run_command->add_option("protocol", run->protocol, "protocol")->required();
  run_command->add_option("-s,--scenario", run->scenario, "scenario (the first one by default)");
  run_command->add_option("--seed", run->seed, "one seed, 0x… or decimal");
  run_command->add_option("--seeds", run->seeds, "seeds A..B");
  run_command->add_option("--count", run->count, "how many seeds")->capture_default_str();
  run_command->add_option("-j,--jobs", run->workers, "processes")->check(CLI::Range(1u, jobs_max))->capture_default_str();
  run_command->add_option("--time-limit", run->time_limit, "stop after this long, e.g. 30s, 5m");
  run_command->add_option("--planted", run->planted, "run a planted bug of this name (binaries that hold planted bugs)");
  run_command->add_option("--mutant", run->mutant, "run a seam mutant, as `sim mutants` prints it");
  run_command->add_flag("--keep-going", run->keep_going, "do not stop at the first failure");
  run_command->add_flag("--no-shrink", run->no_shrink, "keep the failing tape as it is");
  run_command->add_flag("--strict", run->strict, "unknown seeds make the exit code 2");
  add_common(*run_command, context.common);
  run_command->callback([&context, &chosen, run] { chosen = [&context, run] { return cli::sim_run(context, *run); }; });

  auto replay = std::make_shared<cli::SimReplayOptions>();
  CLI::App* replay_command = sim->add_subcommand("replay", "replay a tape, or the recordings of a hardware run");
  replay_command->add_option("tape", replay->target, "tape file, or folder of recordings")->required();
  replay_command->add_option("--until", replay->until, "end after this step");
  replay_command->add_option("--break", replay->break_at, "raise SIGTRAP before this step");
  replay_command->add_option("--events", replay->events, "how many last events to show")
      ->check(CLI::Range(0u, events_shown_max))
      ->capture_default_str();
  replay_command
      ->add_option("--timeline", replay->timeline, "recordings: show this many last events of all processes, merged by time")
      ->check(CLI::Range(0u, events_shown_max));
  add_common(*replay_command, context.common);
  replay_command->callback(
      [&context, &chosen, replay] { chosen = [&context, replay] { return cli::sim_replay(context, *replay); }; });

  auto shrink = std::make_shared<cli::SimShrinkOptions>();
  CLI::App* shrink_command = sim->add_subcommand("shrink", "make a failing tape small");
  shrink_command->add_option("tape", shrink->tape, "tape file")->required();
  shrink_command->add_option("--budget", shrink->budget, "time, e.g. 30s")->capture_default_str();
  shrink_command->add_option("-o,--output", shrink->out, "where the small tape goes (NAME.min.tape)");
  add_common(*shrink_command, context.common);
  shrink_command->callback(
      [&context, &chosen, shrink] { chosen = [&context, shrink] { return cli::sim_shrink(context, *shrink); }; });

  auto mutants = std::make_shared<cli::SimMutantsOptions>();
  CLI::App* mutants_command = sim->add_subcommand("mutants", "try every seam mutant: do the properties bite?");
  mutants_command->add_option("protocol", mutants->protocol, "protocol")->required();
  mutants_command->add_option("-s,--scenario", mutants->scenario, "scenario");
  mutants_command->add_option("--seeds", mutants->seeds, "seeds a mutant at most")
      ->check(CLI::Range(std::uint64_t{0}, cli::seeds_max))
      ->capture_default_str();
  mutants_command->add_option("--site-seeds", mutants->site_seeds, "seeds that look for the places")
      ->check(CLI::Range(std::uint64_t{0}, cli::seeds_max))
      ->capture_default_str();
  mutants_command->add_option("-j,--jobs", mutants->workers, "processes")->check(CLI::Range(1u, jobs_max))->capture_default_str();
  mutants_command->add_option("--only", mutants->only, "only mutants whose text matches this pattern (*)");
  add_common(*mutants_command, context.common);
  mutants_command->callback(
      [&context, &chosen, mutants] { chosen = [&context, mutants] { return cli::sim_mutants(context, *mutants); }; });
}

}  // namespace

int main(int argc, char** argv, const Registry& registry) {
  open_standard_descriptors();
  Context context{registry, cli::CommonOptions{}, std::string(argc > 0 ? argv[0] : "tenter")};
  cli::set_program_name(context.program);
  std::function<int()> chosen;
  CLI::App app("tenter: simulation-first testbed for communication protocols", cli::program_name());
  app.set_version_flag("--version", "tenter " + cli::version_text());
  app.require_subcommand(1);
  add_sim(app, context, chosen);
  cli::add_hw(app, context, chosen);
  cli::add_info(app, context, chosen);
  cli::add_control(app, context, chosen);
#if TENTER_CLI_HAS_MAILBOX
  cli::add_mailbox(app, context, chosen);
#endif
#if TENTER_CLI_HAS_STORE
  cli::add_store_commands(app, context, chosen);
#endif
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForAllHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::ParseError& refused) {
    cli::tell("{}: {}\nRun with --help for the commands.\n", cli::program_name(), cli::shown_text(refused.what()));
    return cli::exit_code::usage;
  }
  try {
    const int code = chosen ? chosen() : cli::exit_code::usage;
    const bool lost = !cli::standard_output_is_whole() || context.result_lost;
    return code == cli::exit_code::pass && lost ? cli::exit_code::internal : code;
  } catch (const std::exception& failure) {
    cli::tell("{}: internal error: {}\n", cli::program_name(), failure.what());
    return cli::exit_code::internal;
  }
}

}  // namespace tenter
