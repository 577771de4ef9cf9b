#include "core/control/launcher.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace tenter::control {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_variable(std::string_view name) {
  const auto letter = [](char c) { return (lower(c) >= 'a' && lower(c) <= 'z') || c == '_'; };
  if (name.empty() || !letter(name.front())) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool has_zero(std::string_view text) { return text.find('\0') != std::string_view::npos; }

Result<void> no_plan(std::string what) { return error(Status::invalid, "launch: " + what); }

std::string host_list(const Topology& topology) {
  std::string list;
  for (const HostSlots& host : host_slots(topology)) list += (list.empty() ? "" : ",") + host.host + ":" + text_of(host.slots);
  return list;
}

class Arguments {
 public:
  Arguments& add(std::string_view argument) {
    list_.emplace_back(argument);
    return *this;
  }
  Parts parts() { return Parts(std::move(list_)); }

 private:
  std::vector<Blob> list_;
};

}  // namespace

std::optional<LauncherFamily> launcher_family(std::string_view printed) {
  std::string text(printed);
  std::transform(text.begin(), text.end(), text.begin(), lower);
  const auto says = [&](std::string_view what) { return text.find(what) != std::string::npos; };
  if (says("open mpi") || says("openrte")) return LauncherFamily::open_mpi;
  if (says("hydra") || says("mpich")) return LauncherFamily::hydra;
  return std::nullopt;
}

Result<LauncherFamily> parse_launcher_family(std::string_view name) {
  if (name == "hydra" || name == "mpich") return LauncherFamily::hydra;
  if (name == "openmpi") return LauncherFamily::open_mpi;
  return error(Status::invalid, "launcher family: neither hydra (MPICH) nor openmpi");
}

Result<void> check_plan(const LaunchPlan& plan) {
  if (plan.launcher.empty() || has_zero(plan.launcher)) return no_plan("launcher is empty or has a zero byte");
  if (plan.program.empty() || plan.program[0].empty()) return no_plan("program: nothing to start");
  if (plan.program[0].starts_with('-')) return no_plan("program: it begins with '-', which the launcher takes for an option");
  for (std::size_t i = 0; i < plan.program.size(); ++i)
    if (has_zero(plan.program[i])) return no_plan("program: argument " + text_of(std::uint64_t{i}) + " has a zero byte");
  for (std::size_t i = 0; i < plan.environment.size(); ++i) {
    const auto& [name, value] = plan.environment[i];
    const std::string which = "environment: entry " + text_of(std::uint64_t{i});
    if (!is_variable(name)) return no_plan(which + " is no NAME of letters, digits and '_'");
    if (has_zero(value)) return no_plan(which + " has a zero byte");
    if (name == token_variable || name == gate_variable) return no_plan(which + " takes a name of ours, " + name);
    const auto same = [&name = name](const auto& other) { return other.first == name; };
    if (std::count_if(plan.environment.begin(), plan.environment.end(), same) != 1) return no_plan(which + " is there twice");
  }
  return {};
}

LaunchCommand launch_command(const LaunchPlan& plan, const Topology& topology, std::string_view host_file, std::string_view gate,
                             const Hidden& token) {
  Arguments arguments, environment;
  arguments.add(plan.launcher);
  environment.add(std::string(token_variable) + "=" + token.bytes);
  if (plan.family == LauncherFamily::hydra) {
    arguments.add("-f").add(host_file);
    if (!plan.cleans_up) arguments.add("-disable-auto-cleanup");
    for (const auto& [name, value] : plan.environment) arguments.add("-genv").add(name).add(value);
    arguments.add("-genv").add(gate_variable).add(gate);
    arguments.add("-genvlist").add(token_variable);
  } else {
    arguments.add("--host").add(host_list(topology)).add("--map-by").add("slot").add("--bind-to").add("none");
    if (plan.as_root) arguments.add("--allow-run-as-root");
    for (const auto& [name, value] : plan.environment) {
      arguments.add("-x").add(name);
      environment.add(name + "=" + value);
    }
    arguments.add("-x").add(gate_variable).add("-x").add(token_variable);
    environment.add(std::string(gate_variable) + "=" + std::string(gate));
  }
  arguments.add("-np").add(text_of(topology.world()));
  for (const std::string& argument : topology.launcher_arguments) arguments.add(argument);
  for (const std::string& argument : plan.program) arguments.add(argument);
  return {arguments.parts(), environment.parts()};
}

}  // namespace tenter::control
