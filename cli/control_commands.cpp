#include "cli/control_commands.hpp"

#include <CLI/CLI.hpp>
#include <memory>

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

}  // namespace

void add_control(CLI::App& app, Context& context, std::function<int()>& chosen) {
  CLI::App* control = app.add_subcommand("control", "one controller, many executors: framed tasks over MPI or TCP");
  control->require_subcommand(1);
  add_check(*control, context, chosen);
}

}  // namespace tenter::cli
