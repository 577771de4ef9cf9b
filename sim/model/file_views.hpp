// What the hosts of a shared file system see of it: each client has a cache (profile `nfs`), and what one writes may reach the
// others late (profile `lazy`). Spec anchors 3.6; bounds and legality: docs/ports/files.md. A host sees its own writes at once.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/blob.hpp"
#include "core/names.hpp"
#include "sim/process.hpp"

namespace tenter::sim {

class World;

// What stands under a path.
struct FileEntry {
  enum class Kind : std::uint8_t { absent, file, directory } kind = Kind::absent;
  Blob content;                     // of a file
  ProcessIndex maker = no_process;  // of a directory
  friend bool operator==(const FileEntry&, const FileEntry&) = default;
};

// A client believes what it looked up so long: nfs(5), acregmin and acdirmin.
inline constexpr Duration file_cached_for = seconds(3);
inline constexpr Duration missing_cached_for = seconds(30);  // or until it lists the directory
// What was written is seen everywhere after at most this time.
inline constexpr Duration file_late_for = seconds(2);
// What is torn is torn at a multiple of this.
inline constexpr std::size_t file_block_bytes = 512;

class FileViews {
 public:
  explicit FileViews(World& world) : world_(world) {}

  // What `p` finds there, when `truth` is what its file server has. Keeps it in the cache of its host.
  FileEntry look(const Process& p, const std::string& path, const FileEntry& truth);
  // Whether a list that `p` makes now has this name, though others have written it a moment ago.
  bool is_listed(const Process& p, const std::string& path, bool in_truth);
  // The directory was listed: what was missing in it is looked up anew.
  void listed(const Process& p, const std::string& prefix);
  // `p` changed what stands there. `older`: what stood there before.
  void changed(const Process& p, const std::string& path, const FileEntry& older, const FileEntry& newer);
  void host_crashed(const std::string& host);

 private:
  struct Sighting {
    FileEntry entry;
    Time when{};
    bool kept = false;  // though another entry is there by now: until it is too old
  };
  enum class Shown : std::uint8_t { older, cut, zeroes, mixed };
  struct Late {
    std::string writer;  // a host
    FileEntry older;
    Time visible{};
    Shown shown = Shown::older;
    std::size_t whole = 0;  // bytes of the newer that are there already
  };
  std::optional<FileEntry> late_view(const Process& p, const std::string& path, const FileEntry& truth);

  World& world_;
  std::map<std::pair<std::string, std::string>, Sighting> cached_;  // by host and path
  std::map<std::string, Late> late_;                                // by path
};

}  // namespace tenter::sim
