// Starting a program as a child that cannot outlive this process unnoticed.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "core/blob.hpp"
#include "core/error.hpp"

namespace tenter::hw {

// Name of the environment variable that tells a child the descriptor of its life-line.
inline constexpr const char* lifeline_variable = "TENTER_LIFELINE";

// Starts arguments[0] (found by PATH unless it holds a '/') in its own session and process group. `environment` holds
// NAME=value entries that win over the inherited ones. The child gets SIGKILL when the calling *thread* ends and inherits
// `lifeline`, under its number, which it finds in TENTER_LIFELINE. Its standard input is empty, its standard output is our
// standard error. Waits until the program runs or could not be started.
// Errors name the program and the cause: not_found, denied, invalid, no_space (memory) or failed.
Result<pid_t> spawn_program(const Parts& arguments, const Parts& environment, int lifeline);

// Where spawn_program looks for a program, in this order.
std::vector<std::string> places_of_program(const std::string& program);

}  // namespace tenter::hw
