// Groups whose parent is gone and whose files are still there: parent and guardian died together. MB-28.
#pragma once
#include <string>
#include <vector>

#include "core/mailbox/manifest.hpp"
#include "core/names.hpp"

namespace tenter::hw {

struct FoundGroup {
  mailbox::Manifest manifest;
  std::string folder;      // the private folder around the group's directory
  Duration age{};          // of the manifest
  bool elsewhere = false;  // its owner is of another host or PID namespace: nobody here can say whether it is gone
  bool orphaned = false;   // its owner was a process of this host and is gone
  // "orphaned: owner pid 7 on host h is gone; 12 s old", or whose it is.
  std::string text() const;
};

// Every group of this user whose manifest stands where PrivateFolder makes folders: in `base`, or, base empty, in its default
// places.
std::vector<FoundGroup> find_groups(const std::string& base = {});

}  // namespace tenter::hw
