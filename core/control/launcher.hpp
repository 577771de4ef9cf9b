// The launcher's command line and host file, for both families. Spec B1.3, B4.7; P-C7: the token is in no argument of any
// process.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/blob.hpp"
#include "core/control/hidden.hpp"
#include "core/control/topology.hpp"
#include "core/describe.hpp"
#include "core/error.hpp"

namespace tenter::control {

enum class LauncherFamily : std::uint8_t { hydra, open_mpi };  // hydra: MPICH, MVAPICH, Intel MPI
constexpr std::string_view to_string(LauncherFamily family) { return family == LauncherFamily::hydra ? "hydra" : "openmpi"; }

// From what the launcher prints for --version or -info. None: it says nothing that is known.
std::optional<LauncherFamily> launcher_family(std::string_view printed);
// "hydra", "mpich", "openmpi"; invalid: names both families.
Result<LauncherFamily> parse_launcher_family(std::string_view name);

inline constexpr std::string_view token_variable = "TENTER_CONTROL_TOKEN", gate_variable = "TENTER_CONTROL_GATE";

struct LaunchPlan {
  LauncherFamily family = LauncherFamily::hydra;
  std::string launcher = "mpiexec";  // found by PATH
  bool as_root = false;              // Open MPI refuses root unless it is told
  bool cleans_up = true;  // Hydra ends all ranks when one dies; false: whoever knows every rank does it, and who was first
  std::vector<std::string> program;                              // the same on every host, [0] is the executable
  std::vector<std::pair<std::string, std::string>> environment;  // for every rank
  friend bool operator==(const LaunchPlan&, const LaunchPlan&) = default;
  TENTER_DESCRIBE(launch_plan, family, launcher, as_root, cleans_up, program, environment)
};

// invalid: no launcher, no program, a zero byte, a variable that is no NAME, is there twice or is one of ours. The text names the
// field.
Result<void> check_plan(const LaunchPlan& plan);

struct LaunchCommand {
  Parts arguments;    // [0] is the launcher
  Parts environment;  // NAME=value for the launcher's own
};
// For a plan and a topology that were checked. host_file: its absolute path, Hydra only (print_host_file(host_slots(topology))).
LaunchCommand launch_command(const LaunchPlan& plan, const Topology& topology, std::string_view host_file, std::string_view gate,
                             const Hidden& token);

}  // namespace tenter::control
