// What the parent of a cell does: start, ping, a task on rank k, ping, shutdown, each told by a line on standard output.
#pragma once
#include <string>

namespace tenter::kill_matrix {

// Lines: "<step> ok" or "<step> failed <text>", steps start, ping, task, after, shutdown; then "end", when the group is
// destroyed. Behind the first ping: "idle <page> <launcher> <rank 0> <rank 1> <rank 2>", processes as pid:start_time, and with
// `pause` a line of standard input is awaited before it goes on.
int run_script(const std::string& base, bool pause);

}  // namespace tenter::kill_matrix
