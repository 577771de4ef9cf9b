// `tenter control …` and the hidden `tenter control-rank`, without the parsing of the command line.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "cli/command.hpp"

namespace CLI {
class App;
}

namespace tenter::cli {

void add_control(CLI::App& app, Context& context, std::function<int()>& chosen);

namespace control_exit {
inline constexpr int all_ok = 0, failed = 1, job_failed = 4;
}

struct ControlCheckOptions {
  std::string file;
  std::string kind = "auto";  // topology, hosts, or auto: by its first character
};
int control_check(const Context& context, const ControlCheckOptions& options);

inline constexpr std::uint32_t control_ranks_max = 1'024;

struct ControlRunOptions {
  std::string topology;     // file; empty: `ranks` on this machine
  std::uint32_t ranks = 0;  // the controller and its executors
  std::string work;         // a built-in: vector_add; empty: `tasks`
  std::uint64_t rows = 1'048'576;
  std::string tasks;  // file of lines, - for standard input
  std::string transport = "mpi";
  std::uint32_t window = 4;
  std::string launcher = "mpiexec", family = "auto";
  std::string record;        // directory for recordings, one a rank; empty: none
  double start_seconds = 0;  // 0: the topology's startup_timeout_s
};
int control_run(const Context& context, const ControlRunOptions& options);

// What a rank does: `control run` starts this very program so.
int control_rank();

}  // namespace tenter::cli
