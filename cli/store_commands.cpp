#include "cli/store_commands.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/seconds.hpp"

namespace tenter::cli {
namespace {

std::string bad_close_seconds(const std::string& text) { return text == "0" ? std::string() : bad_seconds(text); }

void add_serve(CLI::App& store, Context& context, std::function<int()>& chosen) {
  auto options = std::make_shared<StoreServeOptions>();
  CLI::App* command = store.add_subcommand("serve", "publish .npy arrays until interrupted; start it with mpiexec");
  command->add_option("--dir", options->directory, "directory that readers look into")->required();
  command->add_option("--ranks", options->ranks, "ranks that the launcher must start (0: any number)")
      ->check(CLI::Range(0u, 1'024u));
  command->add_option("--provider", options->provider, "libfabric provider")->capture_default_str();
  command->add_option("--domain", options->domain, "libfabric domain");
  command->add_option("--job", options->job, "name of this job in the records")->capture_default_str();
  command->add_option("--close-patience", options->close_seconds, "seconds that readers may still read after ^C; 0: for ever")
      ->check(bad_close_seconds)
      ->capture_default_str();
  command->add_option("variables", options->variables, "NAME=FILE.npy")->required();
  command->add_flag("-q,--quiet", context.common.quiet, "no progress");
  command->callback([&context, &chosen, options] { chosen = [&context, options] { return store_serve(context, *options); }; });
}

void add_store_info(CLI::App& store, Context& context, std::function<int()>& chosen) {
  auto options = std::make_shared<StoreInfoOptions>();
  CLI::App* command = store.add_subcommand("info", "what is published in a directory");
  command->add_option("--dir", options->directory, "directory of the store")->required();
  command->add_option("--json", context.common.json, "write it as JSON to FILE, - for standard output");
  command->callback([&context, &chosen, options] { chosen = [&context, options] { return store_info(context, *options); }; });
}

void add_get(CLI::App& store, Context& context, std::function<int()>& chosen) {
  auto options = std::make_shared<StoreGetOptions>();
  CLI::App* command = store.add_subcommand("get", "read rows of a variable of another job");
  command->add_option("variable", options->variable, "name of the variable")->required();
  command->add_option("--dir", options->directory, "directory of the store")->required();
  command->add_option("--rows", options->rows, "FIRST:END, END not included; without it all rows");
  command->add_option("--out", options->out, ".npy file to write");
  command->add_option("--verify", options->verify, ".npy file of all rows to compare with");
  command->add_option("--cores", options->cores, "ranks that the publishing job must have (0: any number)");
  command->add_option("--provider", options->provider, "libfabric provider; without it the one that the record names");
  command->add_option("--domain", options->domain, "libfabric domain");
  command->add_option("--deadline", options->seconds, "seconds for the join, and again for the read")
      ->check(bad_seconds)
      ->capture_default_str();
  command->add_flag("-q,--quiet", context.common.quiet, "no progress");
  command->callback([&context, &chosen, options] { chosen = [&context, options] { return store_get(context, *options); }; });
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
}

}  // namespace tenter::cli
