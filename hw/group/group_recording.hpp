// The recording of a group: <directory>/parent.log, rank-0.log, …, each with its .blobs beside it (docs/formats.md). What the
// logs' headers hold is what `tenter sim replay` makes the machines from.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "hw/record/recorded.hpp"

namespace tenter::hw {

inline constexpr const char* record_variable = "TENTER_GROUP_RECORD";  // environment of a rank: the directory, absolute

// nullptr when `directory` is empty. Errors: Recorder::open.
Result<std::unique_ptr<Recorder>> record_parent(const std::string& directory, std::vector<recording::RoleHeader> roles);
Result<std::unique_ptr<Recorder>> record_rank(const std::string& directory, Rank rank, std::vector<recording::RoleHeader> roles);

}  // namespace tenter::hw
