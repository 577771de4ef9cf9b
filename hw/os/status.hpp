// errno as a Status: one table for every room.
#pragma once
#include <string>

#include "core/error.hpp"

namespace tenter::os {

// not_found, exists, denied, invalid (the name or the kind of file is wrong), no_space (no room on the device, in the quota,
// under the file-size limit or in memory); everything else is failed.
Status status_of(int native);

// "what: No such file or directory", with its status and `native`.
tl::unexpected<Error> system_error(const std::string& what, int native);

}  // namespace tenter::os
