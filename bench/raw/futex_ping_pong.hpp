// The raw peer of a blocking mailbox round trip: two processes, one shared futex word, the same four transitions and copies.
#pragma once
#include "bench/raw/budget.hpp"
#include "bench/raw/four_transitions.hpp"

namespace tenter::bench {

// Every wait is a FUTEX_WAIT without a spin before it; every wake is a FUTEX_WAKE system call.
Elapsed futex_ping_pong(const PingPong& work, Budget budget);

}  // namespace tenter::bench
