#include "hw/group/group_recording.hpp"

namespace tenter::hw {
namespace {

Result<std::unique_ptr<Recorder>> open(const std::string& directory, recording::LogHeader header) {
  if (directory.empty()) return std::unique_ptr<Recorder>();
  return Recorder::open(directory, header);
}

}  // namespace

Result<std::unique_ptr<Recorder>> record_parent(const std::string& directory, std::vector<recording::RoleHeader> roles) {
  return open(directory, {"mailbox", "parent", no_rank, std::move(roles)});
}

Result<std::unique_ptr<Recorder>> record_rank(const std::string& directory, Rank rank, std::vector<recording::RoleHeader> roles) {
  return open(directory, {"mailbox", "rank-" + std::to_string(number(rank)), rank, std::move(roles)});
}

}  // namespace tenter::hw
