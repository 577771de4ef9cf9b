// The raw peer of a call between processes as it is usually made: a Unix stream socket, one write and one read a direction.
#pragma once
#include "bench/raw/budget.hpp"
#include "bench/raw/four_transitions.hpp"

namespace tenter::bench {

// Blocking reads and writes; rounds is 0 when the sockets or the child could not be made (errno says why). Sizes are >= 1.
Elapsed socket_ping_pong(const PingPong& work, Budget budget);

}  // namespace tenter::bench
