#include <fmt/format.h>

#include "cli/sim_commands.hpp"

namespace tenter::cli {

int replay_recordings(const Context&, const std::string& folder) { return usage_error(folder + ": holds no recording"); }

}  // namespace tenter::cli
