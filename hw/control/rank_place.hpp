// What a rank of a control job knows of its job: by its environment, set by the supervisor. Spec control.md B1.2, B1.3.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/control/hidden.hpp"
#include "core/control/topology.hpp"
#include "core/error.hpp"
#include "core/names.hpp"

namespace tenter::hw {

enum class ControlTransport : std::uint8_t { mpi, tcp };
constexpr std::string_view to_string(ControlTransport transport) { return transport == ControlTransport::mpi ? "mpi" : "tcp"; }

// One word list in an environment variable: no secret is in it, since launchers pass it as an argument.
struct RankOrder {
  ControlTransport transport = ControlTransport::mpi;
  std::uint64_t session = 1;  // never 0
  std::uint32_t window = 4;   // commands in flight of an executor
  ProcessId supervisor;       // and
  std::string host;           // its host: a rank there ends with it
  std::string folder;         // the supervisor's private folder, which rank 0 shares with it
  friend bool operator==(const RankOrder&, const RankOrder&) = default;
};
std::string write_rank_order(const RankOrder& order);
Result<RankOrder> read_rank_order(std::string_view text);

inline constexpr const char* order_variable = "TENTER_CONTROL_ORDER";
inline constexpr const char* topology_variable = "TENTER_CONTROL_TOPOLOGY";
inline constexpr const char* record_variable = "TENTER_CONTROL_RECORD";  // there when ranks record: the directory, absolute
inline constexpr std::size_t topology_bytes_max = 120'000;               // of one line; Linux takes 128 KiB an argument

struct RankPlace {
  std::uint32_t rank = 0;
  RankOrder order;
  control::Topology topology;
  std::string gate;  // address
  control::Hidden token;
  std::string record;  // directory; empty: nothing is recorded
};

// The variables that launchers tell a rank by before MPI: all that are there must agree, except that Slurm's, which is there
// inside an allocation too, gives way to the launcher's own. not_found: none is there; mismatch names two of them.
Result<std::uint32_t> rank_by_launcher();

// Of this process. The token is taken out of the environment, so that no program that it starts has it. Errors name the variable.
Result<RankPlace> rank_place();

// For LaunchPlan::environment. no_space: the topology is too long for a variable.
Result<std::vector<std::pair<std::string, std::string>>> rank_environment(const RankOrder& order,
                                                                          const control::Topology& topology);

ProcessId own_process();
std::string own_host();

}  // namespace tenter::hw
