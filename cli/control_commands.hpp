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

}  // namespace tenter::cli
