// A host's name as an address that Stream takes.
#pragma once
#include <string>

#include "core/error.hpp"

namespace tenter::hw {

// "10.0.0.7" or "[fd00::7]", IPv4 first. from_elsewhere: other hosts are to reach it, so no loopback address, which some systems
// give for their own name. Asks the system's resolver, so it may take a while. not_found names the host and says why.
Result<std::string> numeric_address(const std::string& host, bool from_elsewhere);

}  // namespace tenter::hw
