#include "sim/model/file_crash.hpp"

#include <algorithm>
#include <utility>

#include "sim/world.hpp"

namespace tenter::sim {

void UnsyncedFiles::note(const std::string& host, const std::string& path, FileEntry older, Time until, Kind kind) {
  changes_.push_back({host, path, std::move(older), until, kind});
}

void UnsyncedFiles::synced(const std::string& host, const std::string& directory, Time when) {
  for (Change& change : changes_)
    if (change.host == host && change.kind == Kind::name && folder_of(change.path) == directory)
      change.until = std::min(change.until, when);
}

std::vector<UnsyncedFiles::Change> UnsyncedFiles::take(const std::string& host, Time now) {
  std::vector<Change> lost;
  std::erase_if(changes_, [&](const Change& change) {
    if (change.host == host && number(change.until) > number(now)) lost.push_back(change);
    return change.host == host || number(change.until) <= number(now);
  });
  std::reverse(lost.begin(), lost.end());
  return lost;
}

void FilesModel::host_crashed(const std::string& host, ProcessIndex who) {
  views_.host_crashed(host);
  std::vector<std::string> kept;  // a newer change of it is: what was before does not come back
  for (const UnsyncedFiles::Change& change : unsynced_.take(host, world_.now())) {
    const bool settled = std::find(kept.begin(), kept.end(), change.path) != kept.end();
    if (change.kind == UnsyncedFiles::Kind::data) {
      if (!settled) tear(change.path, who);
    } else if (!settled && world_.choices().choose(Tag::host_crash, who, 2) != 0) {
      put(change.path, change.older);
    } else {
      kept.push_back(change.path);
    }
  }
}

// From a block on its bytes are lost: cut there, or zeroes.
void FilesModel::tear(const std::string& path, ProcessIndex who) {
  const auto found = files_.find(path);
  if (found == files_.end()) return;
  const auto blocks = static_cast<std::uint32_t>((found->second.size() + file_block_bytes - 1) / file_block_bytes);
  const std::uint32_t how = world_.choices().choose(Tag::host_crash, who, 2 * blocks + 1);
  if (how == 0) return;
  const std::size_t whole = file_block_bytes * ((how - 1) / 2);
  const bool zeroes = how % 2 == 0;
  const Blob full = found->second;
  found->second = Blob(zeroes ? full.size() : whole, [&](MutableBytes to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = i < whole ? full.bytes()[i] : std::byte{0};
  });
}

// Stands there from now on, if there is a directory for it.
void FilesModel::put(const std::string& path, const FileEntry& entry) {
  const std::string prefix = path + "/";
  if (find_directory(folder_of(path)) != Status::ok) return;
  if (entry.kind != FileEntry::Kind::file) files_.erase(path);
  if (entry.kind == FileEntry::Kind::file) files_[path] = entry.content;
  if (entry.kind == FileEntry::Kind::directory) {
    directories_[path] = entry.maker;
  } else if (directories_.erase(path) != 0) {
    std::erase_if(files_, [&](const auto& file) { return file.first.starts_with(prefix); });
    std::erase_if(directories_, [&](const auto& directory) { return directory.first.starts_with(prefix); });
  }
}

}  // namespace tenter::sim
