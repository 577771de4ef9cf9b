#include "cli/mailbox_commands.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/not_empty.hpp"
#include "cli/seconds.hpp"
#include "hw/group/callables.hpp"
#include "hw/group/rank_main.hpp"

namespace tenter::cli {
namespace {

constexpr std::uint32_t ranks_max = 1024;

void add_ranks(CLI::App& command, std::uint32_t& ranks, std::string& launcher) {
  command.add_option("-n,--ranks", ranks, "MPI ranks of the group")->check(CLI::Range(1u, ranks_max))->capture_default_str();
  command.add_option("--launcher", launcher, "program that starts the ranks")->capture_default_str();
}

void add_record(CLI::App& command, std::string& directory) {
  command.add_option("--record", directory, "write a log a process into this directory, for `sim replay`")->check(not_empty());
}

void add_run(CLI::App& mailbox, Context& context, std::function<int()>& chosen) {
  auto options = std::make_shared<MailboxRunOptions>();
  CLI::App* command = mailbox.add_subcommand("run", "start a group, do the tasks of a file, shut it down");
  add_ranks(*command, options->ranks, options->launcher);
  add_record(*command, options->record);
  command->add_option("--tasks", options->tasks, "lines of {\"callable\", \"worker\", …}, - for standard input")->required();
  command->add_option("--start-deadline", options->start_seconds, "seconds until every rank must be ready")
      ->check(bad_seconds)
      ->capture_default_str();
  command->add_option("--json", context.common.json, "write the result as JSON to FILE, - for standard output");
  command->add_flag("-q,--quiet", context.common.quiet, "no progress");
  command->callback([&context, &chosen, options] { chosen = [&context, options] { return mailbox_run(context, *options); }; });
}

void add_map(CLI::App& mailbox, Context& context, std::function<int()>& chosen) {
  auto options = std::make_shared<MailboxChecksumOptions>();
  CLI::App* map = mailbox.add_subcommand("map", "one callable over many files, each file by one rank");
  map->require_subcommand(1);
  CLI::App* command = map->add_subcommand("checksum", "SHA-256 of each file, printed as sha256sum prints it");
  add_ranks(*command, options->ranks, options->launcher);
  add_record(*command, options->record);
  command->add_option("--deadline", options->deadline_seconds, "seconds for one round")
      ->check(bad_seconds)
      ->capture_default_str();
  command->add_option("files", options->files, "files")->required();
  command->callback(
      [&context, &chosen, options] { chosen = [&context, options] { return mailbox_checksum(context, *options); }; });
}

void add_pages(CLI::App& mailbox, Context& context, std::function<int()>& chosen) {
  auto name = std::make_shared<std::string>();
  CLI::App* inspect = mailbox.add_subcommand("inspect", "decode a live or left-over page");
  inspect->add_option("name", *name, "name of the page, as in /dev/shm")->required();
  inspect->add_option("--json", context.common.json, "write it as JSON to FILE, - for standard output");
  inspect->callback([&context, &chosen, name] { chosen = [&context, name] { return mailbox_inspect(context, *name); }; });

  auto yes = std::make_shared<bool>(false);
  CLI::App* clean = mailbox.add_subcommand("clean", "list pages that no process has any more; with --yes remove them");
  clean->add_flag("--yes", *yes, "remove them");
  auto unknown = std::make_shared<bool>(false);
  clean->add_flag("--without-manifest", *unknown, "also pages without a manifest, whose owner is not known");
  clean->callback([&context, &chosen, yes, unknown] {
    chosen = [&context, yes, unknown] { return mailbox_clean(context, *yes, *unknown); };
  });
}

}  // namespace

int mailbox_member(const Context&) { return hw::run_member(hw::builtin_callables()); }

void add_mailbox(CLI::App& app, Context& context, std::function<int()>& chosen) {
  CLI::App* mailbox = app.add_subcommand("mailbox", "a group of MPI ranks behind one shared page");
  mailbox->require_subcommand(1);
  add_run(*mailbox, context, chosen);
  add_map(*mailbox, context, chosen);
  add_pages(*mailbox, context, chosen);
  CLI::App* member = app.add_subcommand("member", "a rank; started by `mailbox`")->group("");
  member->callback([&context, &chosen] { chosen = [&context] { return mailbox_member(context); }; });
}

}  // namespace tenter::cli
