// What a host's crash takes from a file system (profile `crash`): a change of a directory that was not synced may be undone, a
// file's bytes that were not synced may be lost from a block boundary on. Spec anchors 3.6, cases B11.
#pragma once
#include <string>
#include <vector>

#include "core/names.hpp"
#include "sim/model/file_views.hpp"

namespace tenter::sim {

// Which steps of a publish there are: the shipped part has all (docs/ports/files.md). Parts with a bug have fewer.
struct PublishSteps {
  bool syncs_data = true;       // before the rename
  bool syncs_directory = true;  // after it
  bool renames = true;          // false: the file is emptied under its name and written there, half of it first
};

// Written back by itself after this time.
inline constexpr Duration written_back_after = seconds(30);

class UnsyncedFiles {
 public:
  enum class Kind : std::uint8_t { name, data };
  struct Change {
    std::string host, path;
    FileEntry older;  // name: what a crash may bring back
    Time until{};     // synced from then on
    Kind kind = Kind::name;
  };

  void note(const std::string& host, const std::string& path, FileEntry older, Time until, Kind kind);
  // A sync of the directory that ends at `when` keeps all that the host changed in it before.
  void synced(const std::string& host, const std::string& directory, Time when);
  // What that host may lose now, the newest first; forgotten here.
  std::vector<Change> take(const std::string& host, Time now);

 private:
  std::vector<Change> changes_;
};

}  // namespace tenter::sim
