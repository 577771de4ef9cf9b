// The directory of a recording: the user's alone.
#pragma once
#include <string>

#include "core/error.hpp"

namespace tenter::hw {

// Makes `directory` (0700) when it does not exist. denied: it is another user's, or others may enter it (both are named);
// invalid: it is no directory, or its name is empty.
Result<void> make_recording_directory(const std::string& directory);

}  // namespace tenter::hw
