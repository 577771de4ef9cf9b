#include "cli/store_commands.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/not_empty.hpp"
#include "cli/seconds.hpp"

namespace tenter::cli {
namespace {

constexpr const char* owner_help = "user, name or number, whose directory and records are read too; without it only one's own";

std::string zero_or_seconds(const std::string& text) { return text == "0" ? std::string() : bad_seconds(text); }

void add_serve(CLI::App& store, Context& context, std::function<int()>& chosen) {
  auto options = std::make_shared<StoreServeOptions>();
  CLI::App* command = store.add_subcommand("serve", "publish .npy arrays until interrupted; start it with mpiexec");
  command
      ->add_option("--method", options->method, "file: for other jobs; fabric, window: within the job, over libfabric or MPI RMA")
      ->check(CLI::IsMember({"file", "fabric", "window"}))
      ->capture_default_str();
  command->add_option("--dir", options->directory, "directory that readers look into (method file)");
  command->add_option("--ranks", options->ranks, "ranks that the launcher must start (0: any number)")
      ->check(CLI::Range(0u, 1'024u));
  command->add_option("--shares", options->shares, "W0,W1,…: by rank, weights of its share of the rows; equal ones without it")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(0u, 1'000'000u));
  command->add_flag("--verify", options->verify,
                    "every rank reads all rows and compares them with the files; fabric, window: then the job ends");
  command->add_option("--provider", options->provider, "libfabric provider")->capture_default_str();
  command->add_option("--domain", options->domain, "libfabric domain");
  command->add_option("--job", options->job, "name of this job in the records")->capture_default_str();
  command->add_option("--deadline", options->get_seconds, "seconds for every read of --verify")
      ->check(bad_seconds)
      ->capture_default_str();
  command->add_option("--close-patience", options->close_seconds, "seconds that readers may still read after ^C; 0: for ever")
      ->check(zero_or_seconds)
      ->capture_default_str();
  command->add_option("--record", options->record, "record every rank into DIR, for `sim replay DIR`")->check(not_empty());
  command->add_option("variables", options->variables, "NAME=FILE.npy")->required();
  command->add_flag("-q,--quiet", context.common.quiet, "no progress");
  command->callback([&context, &chosen, options] { chosen = [&context, options] { return store_serve(context, *options); }; });
}

void add_store_info(CLI::App& store, Context& context, std::function<int()>& chosen) {
  auto options = std::make_shared<StoreInfoOptions>();
  CLI::App* command = store.add_subcommand("info", "what is published in a directory, by whom, alive or not");
  command->add_option("--dir", options->directory, "directory of the store")->required();
  command->add_option("--owner", options->owner, owner_help);
  command->add_option("--wait", options->wait, "seconds to watch heartbeats that do not move; 0: one look")
      ->check(zero_or_seconds)
      ->capture_default_str();
  command->add_option("--json", context.common.json, "write it as JSON to FILE, - for standard output");
  command->callback([&context, &chosen, options] { chosen = [&context, options] { return store_info(context, *options); }; });
}

void add_target(CLI::App& command, Context& context, StoreTarget& target) {
  command.add_option("variable", target.variable, "name of the variable")->required();
  command.add_option("--dir", target.directory, "directory of the store")->required();
  command.add_option("--cores", target.cores, "ranks that the publishing job must have (0: any number)");
  command.add_option("--provider", target.provider, "libfabric provider; without it the one that the record names");
  command.add_option("--domain", target.domain, "libfabric domain");
  command.add_option("--owner", target.owner, owner_help);
  command.add_option("--deadline", target.seconds, "seconds for the join, and again for every read")
      ->check(bad_seconds)
      ->capture_default_str();
  command.add_option("--record", target.record, "record this process into DIR, for `sim replay DIR`")->check(not_empty());
  command.add_option("--json", context.common.json, "write the result as JSON to FILE, - for standard output");
  command.add_flag("-q,--quiet", context.common.quiet, "no progress");
}

void add_get(CLI::App& store, Context& context, std::function<int()>& chosen) {
  auto options = std::make_shared<StoreGetOptions>();
  CLI::App* command = store.add_subcommand("get", "read rows of a variable of another job");
  add_target(*command, context, options->target);
  CLI::Option* rows = command->add_option("--rows", options->rows, "FIRST:END, END not included; without it all rows");
  command
      ->add_option("--batch", options->batch,
                   "file of rows wanted, in order: .npy of integers, or text with a row or FIRST:END a line")
      ->excludes(rows);
  command->add_option("--out", options->out, ".npy file to write");
  command->add_option("--verify", options->verify, ".npy file of all rows to compare with");
  command->callback([&context, &chosen, options] { chosen = [&context, options] { return store_get(context, *options); }; });
}

void add_read(CLI::App& store, Context& context, std::function<int()>& chosen) {
  auto options = std::make_shared<StoreReadOptions>();
  CLI::App* command = store.add_subcommand("read", "read a variable of another job as a loader does, batch by batch");
  add_target(*command, context, options->target);
  command->add_option("--epochs", options->epochs, "how often all rows are read")->capture_default_str();
  command->add_option("--batch-size", options->batch_size, "rows of a batch")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 30))
      ->capture_default_str();
  command->add_option("--prefetch", options->prefetch, "batches under way")->check(CLI::Range(1u, 64u))->capture_default_str();
  command->add_flag("--shuffle", options->shuffle, "another order of the rows each epoch");
  command->add_option("--seed", options->seed, "of the orders, 0x… or decimal")->capture_default_str();
  command->add_option("--verify", options->verify, ".npy file of all rows to compare every batch with");
  command->callback([&context, &chosen, options] { chosen = [&context, options] { return store_read(context, *options); }; });
}

}  // namespace

void add_store_commands(CLI::App& app, Context& context, std::function<int()>& chosen) {
  CLI::App* store = app.add_subcommand("store", "arrays in the memory of one job, read by others");
  store->require_subcommand(1);
#if TENTER_CLI_HAS_STORE_SERVE
  add_serve(*store, context, chosen);
#else
  (void)add_serve;
#endif
  add_store_info(*store, context, chosen);
  add_get(*store, context, chosen);
  add_read(*store, context, chosen);
}

}  // namespace tenter::cli
