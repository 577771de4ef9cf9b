// Raw spin round trips between two threads or two processes.
#pragma once
#include <atomic>
#include <cstdint>

#include "bench/raw/budget.hpp"
#include "bench/raw/four_transitions.hpp"

namespace tenter::bench {

// The spin probe: a thread of its own and the caller pass one word to and fro, spinning. Its figure beside another says in which
// regime the machine was (0.12 or 0.6 us a round trip on the machines at hand). Placement is the scheduler's.
Elapsed spin_probe(Budget budget);

// The mailbox's four transitions and copies (four_transitions.hpp) between the caller and a child process, both spinning with
// a pause; a yield every 4096 turns, so that one CPU does not stand still.
Elapsed spin_ping_pong(const PingPong& work, Budget budget);

}  // namespace tenter::bench
