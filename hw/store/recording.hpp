// The recording of a process of the store: <directory>/rank-0.log, reader-4711.log, …, each with its .blobs beside it
// (docs/formats.md). What the logs' headers hold is what `tenter sim replay` makes the machines from.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/store/beacon.hpp"
#include "hw/record/recorded.hpp"
#include "hw/record/recorder.hpp"

namespace tenter::hw {

// A Beacon is made of its owner alone.
struct BeaconOwner {
  Role owner{};
  friend bool operator==(const BeaconOwner&, const BeaconOwner&) = default;
  TENTER_DESCRIBE(beacon_owner, owner)
};
inline recording::RoleHeader recorded_beacon(Role owner) { return recorded_role<store::Beacon>(BeaconOwner{owner}); }

// nullptr when `directory` is empty. Errors: Recorder::open.
inline Result<std::unique_ptr<Recorder>> record_store(const std::string& directory, std::string process, Rank rank,
                                                      std::vector<recording::RoleHeader> roles) {
  if (directory.empty()) return std::unique_ptr<Recorder>();
  return Recorder::open(directory, {"store", std::move(process), rank, std::move(roles)});
}

}  // namespace tenter::hw
