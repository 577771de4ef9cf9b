#include "cli/info.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <sstream>

#include "cli/report/json_writer.hpp"
#include "cli/report/table.hpp"
#include "cli/version.hpp"
#include "sim/fault.hpp"

namespace tenter::cli {
namespace {

const char* kind_name(sim::PropertyKind kind) {
  switch (kind) {
    case sim::PropertyKind::always:
      return "always";
    case sim::PropertyKind::eventually:
      return "eventually";
    case sim::PropertyKind::sometimes:
      return "sometimes";
    case sim::PropertyKind::monitor:
      return "monitor";
  }
  return "?";
}

// Writes one document with an array of objects, where it was asked for; false: print the table.
template <class Fill>
bool write_list(const Context& context, std::string_view name, Fill&& fill) {
  if (context.common.json.empty()) return false;
  std::ostringstream text;
  {
    report::JsonWriter json(text);
    json.begin_object().member("schema", "tenter." + std::string(name) + "/1");
    json.key(name).begin_array();
    fill(json);
    json.end_array().end_object();
  }
  write_result_text(context, text.str(), "");
  return true;
}

int info_protocols(const Context& context) {
  const bool written = write_list(context, "protocols", [&](report::JsonWriter& json) {
    for (const sim::Protocol& protocol : context.registry.protocols()) {
      json.begin_object().member("protocol", protocol.name()).key("scenarios").begin_array();
      for (const auto& [name, build] : protocol.scenarios()) json.value(name);
      json.end_array().member("properties", protocol.properties().size()).member("planted", protocol.planted().size());
      json.member("about", protocol.about()).end_object();
    }
  });
  if (written) return exit_code::pass;
  report::Table table({{"protocol", report::Align::left},
                       {"scenarios", report::Align::left},
                       {"properties"},
                       {"planted"},
                       {"about", report::Align::left}});
  for (const sim::Protocol& protocol : context.registry.protocols()) {
    std::string scenarios;
    for (const auto& [name, build] : protocol.scenarios()) scenarios += (scenarios.empty() ? "" : ", ") + name;
    table.row({protocol.name(), scenarios, std::to_string(protocol.properties().size()),
               std::to_string(protocol.planted().size()), protocol.about()});
  }
  fmt::print("{}", table.text());
  return exit_code::pass;
}

int info_properties(const Context& context) {
  const bool written = write_list(context, "properties", [&](report::JsonWriter& json) {
    for (const sim::Protocol& protocol : context.registry.protocols())
      for (const sim::Property& property : protocol.properties())
        json.begin_object()
            .member("protocol", protocol.name())
            .member("kind", kind_name(property.kind))
            .member("property", property.name)
            .end_object();
  });
  if (written) return exit_code::pass;
  report::Table table({{"protocol", report::Align::left}, {"kind", report::Align::left}, {"property", report::Align::left}});
  for (const sim::Protocol& protocol : context.registry.protocols())
    for (const sim::Property& property : protocol.properties())
      table.row({protocol.name(), kind_name(property.kind), property.name});
  fmt::print("{}", table.text());
  return exit_code::pass;
}

int info_faults(const Context& context) {
  const bool written = write_list(context, "faults", [](report::JsonWriter& json) {
    for (const sim::FaultKind& kind : sim::fault_kinds())
      json.begin_object()
          .member("fault", kind.name)
          .member("legal_on", kind.port)
          .member("what_it_does", sim::sentence_of(kind))
          .end_object();
  });
  if (written) return exit_code::pass;
  report::Table table({{"fault", report::Align::left}, {"legal on", report::Align::left}, {"what it does", report::Align::left}});
  for (const sim::FaultKind& kind : sim::fault_kinds())
    table.row({std::string(kind.name), std::string(kind.port), sim::sentence_of(kind)});
  fmt::print("{}", table.text());
  return exit_code::pass;
}

int info_build(const Context& context) {
  if (!context.common.json.empty()) {
    std::ostringstream text;
    {
      report::JsonWriter json(text);
      json.begin_object().member("schema", "tenter.build/1").member("version", version).member("commit", commit);
      json.member("compiler", compiler).member("mpi", has_mpi).member("libfabric", has_ofi).end_object();
    }
    write_result_text(context, text.str() + "\n", "");
    return exit_code::pass;
  }
  fmt::print("version    {}\ncommit     {}\ncompiler   {}\nMPI        {}\nlibfabric  {}\n", version, commit, compiler,
             has_mpi ? "yes" : "no", has_ofi ? "yes" : "no");
  return exit_code::pass;
}

}  // namespace

void add_info(CLI::App& app, Context& context, std::function<int()>& chosen) {
  CLI::App* info = app.add_subcommand("info", "what this binary holds");
  info->require_subcommand(1);
  const std::pair<const char*, std::pair<const char*, int (*)(const Context&)>> topics[] = {
      {"protocols", {"protocols and scenarios", &info_protocols}},
      {"properties", {"what is checked", &info_properties}},
      {"faults", {"what can be injected", &info_faults}},
      {"build", {"version, compiler, parts", &info_build}}};
  for (const auto& [name, topic] : topics) {
    CLI::App* command = info->add_subcommand(name, topic.first);
    command->add_option("--json", context.common.json, "as JSON, - for standard output");
    command->callback([&context, &chosen, show = topic.second] { chosen = [&context, show] { return show(context); }; });
  }
}

}  // namespace tenter::cli
