// Result files that are whole or absent: a temporary beside the target, flushed, then renamed.
#pragma once
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace tenter::report {

// Replaces `path`, or the file that a link of this name leads to, by a file of `content`, mode 0600. What is no plain file (a
// device, a FIFO) is written to and stays what it is. On any error the old file, if there was one, is untouched and no temporary
// is left. Errors: the errno of the step that failed, with step and path.
Result<void> write_file_atomically(const std::string& path, std::string_view content);

}  // namespace tenter::report
