// Sleeping until one of the wait objects of the parts, a nudge or the deadline.
#pragma once
#include <cstdint>

#include "hw/part.hpp"

namespace tenter::hw {

// Returns at once when `context.nudges` differs from `seen_nudges` (read before the last poll, so no nudge is lost) or when a
// futex word differs from what its part expected. May return without a reason; the caller polls again.
void park(Context& context, const WaitSet& waits, std::uint32_t seen_nudges);

}  // namespace tenter::hw
