#include "sim/model/files.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "sim/world.hpp"

namespace tenter::sim {
namespace {

constexpr Duration file_operation = microseconds(20);

std::string full_path(const Process& p, std::string_view path) {
  if (p.files_root.empty()) return std::string(path);
  return path.empty() ? p.files_root : p.files_root + "/" + std::string(path);
}
std::string full_path(const Process& p, const Blob& path) { return full_path(p, path.text()); }

constexpr std::string_view temporary_prefix = ".tmp-";
constexpr std::size_t name_limit = 255;

// Every component is a name of its own: no way out of the root, no second spelling of a path.
bool plain(std::string_view path) {
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    if (name.empty() || name == "." || name == ".." || name.size() > name_limit || name.find('\0') != name.npos) return false;
    if (slash == path.npos) return !name.starts_with(temporary_prefix);
    path.remove_prefix(slash + 1);
  }
}

// What may name a directory to list or watch: "" and "." are the root, one slash at the end is fine. None: it is no plain path.
std::optional<std::string> directory_path(const Process& p, std::string_view path) {
  if (path.empty() || path == ".") return full_path(p, std::string_view{});
  if (path.ends_with('/')) path.remove_suffix(1);
  if (!plain(path)) return std::nullopt;
  return full_path(p, path);
}

// Calls visit(name) for each key of a path map that is directly under `prefix`.
template <class Map, class Visit>
void for_each_child(const Map& map, const std::string& prefix, Visit&& visit) {
  for (auto at = map.lower_bound(prefix); at != map.end() && at->first.starts_with(prefix); ++at) {
    const std::string_view name = std::string_view(at->first).substr(prefix.size());
    if (name.find('/') == name.npos) visit(name);
  }
}

std::string prefix_of(const std::string& directory) { return directory.empty() ? std::string() : directory + "/"; }

}  // namespace

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash));
}

Time FilesModel::done(Process& p, Role role, Op op, Status status, Blob content) {
  return world_.post(p.index, role, event::FileDone{Time{}, op, status, std::move(content)},
                     file_operation + world_.chosen_delay(Tag::file_delay, p.index));
}

FileEntry FilesModel::entry(const std::string& path) const {
  if (const auto file = files_.find(path); file != files_.end()) return {FileEntry::Kind::file, file->second, no_process};
  if (const auto directory = directories_.find(path); directory != directories_.end())
    return {FileEntry::Kind::directory, {}, directory->second};
  return {};
}

const Blob* FilesModel::content(const std::string& path) const {
  const auto written = in_place_.find(path);
  if (written != in_place_.end() && number(written->second.until) <= number(world_.now())) return &written->second.whole;
  const auto file = files_.find(path);
  return file == files_.end() ? nullptr : &file->second;
}

// Somebody on the host of `p` changed what stands there: its own cache knows, others may learn it late, a crash may undo it.
void FilesModel::changed_name(const Process& p, const std::string& path, const FileEntry& older) {
  if (p.host.empty()) return;
  views_.changed(p, path, older, entry(path));
  unsynced_.note(p.host, path, older, world_.now() + written_back_after, UnsyncedFiles::Kind::name);
}

void FilesModel::changed(const std::string& directory) {
  for (std::size_t i = 0; i < watchers_.size();) {
    if (watchers_[i].directory != directory) {
      ++i;
      continue;
    }
    const Watcher watcher = watchers_[i];
    watchers_.erase(watchers_.begin() + static_cast<std::ptrdiff_t>(i));
    world_.post(watcher.process, watcher.role, event::FilesChanged{Time{}, watcher.op}, file_operation);
  }
}

// ok: the directory is there; else what the first component in the way is.
Status FilesModel::find_directory(const std::string& path) const {
  if (path.empty() || directories_.contains(path)) return Status::ok;
  for (std::size_t slash = path.find('/');; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (files_.contains(part)) return Status::invalid;
    if (!directories_.contains(part) || slash == path.npos) return Status::not_found;
  }
}

// The same as the host of `p` sees it: it may believe for a while that the last one is missing.
Status FilesModel::find_directory(const Process& p, const std::string& path) {
  const Status status = find_directory(path);
  if (status != Status::ok || path.empty() || p.host.empty()) return status;
  return seen(p, path).kind == FileEntry::Kind::directory ? Status::ok : Status::not_found;
}

// What was written in place is whole once its time has come.
void FilesModel::settle() {
  for (auto at = in_place_.begin(); at != in_place_.end();) {
    if (number(at->second.until) > number(world_.now())) {
      ++at;
      continue;
    }
    if (const auto file = files_.find(at->first); file != files_.end()) file->second = at->second.whole;
    at = in_place_.erase(at);
  }
}

// Answers the refusal of a path that names no place for a file or directory, and says so.
bool FilesModel::refused(Process& p, Role role, Op op, const Blob& path) {
  if (!plain(path.text())) {
    done(p, role, op, Status::invalid, Blob("path " + std::string(path.text()) + " is not a plain path under the root folder"));
    return true;
  }
  const std::string full = full_path(p, path);
  const Status folder = find_directory(p, folder_of(full));
  if (folder == Status::ok) return false;
  done(p, role, op, folder, Blob(full + (folder == Status::invalid ? ": not a directory" : ": no such directory")));
  return true;
}

bool FilesModel::no_space(Process& p, Role role, Op op, const std::string& path) {
  if (!world_.allowed(Tag::no_space) || world_.choices().choose(Tag::no_space, p.index, 2) == 0) return false;
  world_.spend(Tag::no_space);
  done(p, role, op, Status::no_space, Blob(path + ": no space left on device"));
  return true;
}

void FilesModel::perform(Process& p, Role role, const action::PublishFile& a) {
  begin_operation();
  if (refused(p, role, a.op, a.path)) return;
  const std::string path = full_path(p, a.path);
  if (no_space(p, role, a.op, path)) return;
  if (directories_.contains(path)) return void(done(p, role, a.op, Status::invalid, Blob(path + ": is a directory")));
  const FileEntry older = entry(path);
  files_[path] = steps_.renames ? a.content : Blob(a.content.bytes().first(a.content.size() / 2));
  changed(folder_of(path));
  changed_name(p, path, older);
  const Time synced = done(p, role, a.op, Status::ok, {});
  if (!steps_.renames) in_place_[path] = {p.index, a.content, synced};
  if (p.host.empty()) return;
  if (steps_.syncs_directory) unsynced_.synced(p.host, folder_of(path), synced);
  if (!steps_.syncs_data) unsynced_.note(p.host, path, {}, world_.now() + written_back_after, UnsyncedFiles::Kind::data);
}

void FilesModel::perform(Process& p, Role role, const action::ReadFile& a) {
  begin_operation();
  if (refused(p, role, a.op, a.path)) return;
  const std::string path = full_path(p, a.path);
  if (directories_.contains(path)) return void(done(p, role, a.op, Status::invalid, Blob(path + ": is a directory")));
  const FileEntry found = seen(p, path);
  if (found.kind != FileEntry::Kind::file) {
    done(p, role, a.op, Status::not_found, Blob(path + ": no such file"));
  } else if (found.content.size() > a.limit) {
    done(p, role, a.op, Status::invalid, Blob(path + ": larger than the limit"));
  } else {
    done(p, role, a.op, Status::ok, found.content);
  }
}

void FilesModel::perform(Process& p, Role role, const action::ListFiles& a) {
  begin_operation();
  const auto directory = directory_path(p, a.directory.text());
  const Status status = directory ? find_directory(p, *directory) : Status::invalid;
  std::vector<Blob> names;
  if (status == Status::ok) {
    const std::string prefix = prefix_of(*directory);
    const auto add = [&](std::string_view name) {
      if (views_.is_listed(p, prefix + std::string(name), true)) names.emplace_back(name);
    };
    for_each_child(files_, prefix, add);
    for_each_child(directories_, prefix, add);
    views_.listed(p, prefix);
    std::sort(names.begin(), names.end(), [](const Blob& x, const Blob& y) { return x.text() < y.text(); });
  }
  world_.post(p.index, role, event::FilesListed{Time{}, a.op, status, Parts(std::move(names))}, file_operation);
}

// A watch that cannot be set answers at once: FilesChanged may come without a reason, a lost change may not.
void FilesModel::perform(Process& p, Role role, const action::WatchFiles& a) {
  const auto directory = directory_path(p, a.directory.text());
  if (!directory || find_directory(*directory) != Status::ok) {
    world_.post(p.index, role, event::FilesChanged{Time{}, a.op}, file_operation);
    return;
  }
  watchers_.push_back({p.index, role, a.op, *directory});
}

void FilesModel::perform(Process& p, Role role, const action::RemoveFile& a) {
  begin_operation();
  const std::string path = full_path(p, a.path);
  if (plain(a.path.text()) && find_directory(folder_of(path)) == Status::not_found)
    return void(done(p, role, a.op, Status::ok, {}));
  if (refused(p, role, a.op, a.path)) return;
  if (directories_.contains(path)) return void(done(p, role, a.op, Status::invalid, Blob(path + ": is a directory")));
  const FileEntry older = entry(path);
  if (files_.erase(path) != 0) {
    changed(folder_of(path));
    changed_name(p, path, older);
  }
  done(p, role, a.op, Status::ok, {});
}

void FilesModel::perform(Process& p, Role role, const action::MakeDirectory& a) {
  begin_operation();
  if (refused(p, role, a.op, a.path)) return;
  const std::string path = full_path(p, a.path);
  if (no_space(p, role, a.op, path)) return;
  const bool made = !files_.contains(path) && directories_.emplace(path, p.index).second;
  if (made) {
    changed(folder_of(path));
    changed_name(p, path, {});
  }
  done(p, role, a.op, made ? Status::ok : Status::exists, made ? Blob() : Blob(path + ": exists"));
}

void FilesModel::perform(Process& p, Role role, const action::RemoveDirectory& a) {
  begin_operation();
  const std::string path = full_path(p, a.path), prefix = path + "/";
  if (plain(a.path.text()) && find_directory(path) == Status::not_found) return void(done(p, role, a.op, Status::ok, {}));
  if (refused(p, role, a.op, a.path)) return;
  if (files_.contains(path)) return void(done(p, role, a.op, Status::invalid, Blob(path + ": not a directory")));
  const auto inner = directories_.lower_bound(prefix);
  if (inner != directories_.end() && inner->first.starts_with(prefix))
    return void(done(p, role, a.op, Status::invalid, Blob("remove " + inner->first + " in " + path + ": is a directory")));
  for (auto at = files_.lower_bound(prefix); at != files_.end() && at->first.starts_with(prefix);) {
    const std::string file = at->first;
    const FileEntry older = entry(file);
    at = files_.erase(at);
    changed_name(p, file, older);
  }
  const FileEntry older = entry(path);
  if (directories_.erase(path) != 0) changed_name(p, path, older);
  changed(path);
  changed(folder_of(path));
  done(p, role, a.op, Status::ok, {});
}

void FilesModel::forget(ProcessIndex process) {
  settle();
  std::erase_if(in_place_, [&](const auto& written) { return written.second.writer == process; });
  std::erase_if(watchers_, [&](const Watcher& watcher) { return watcher.process == process; });
}

void FilesModel::remove_made_by(ProcessIndex process) {
  for (auto at = directories_.begin(); at != directories_.end();) {
    if (at->second != process) {
      ++at;
      continue;
    }
    const std::string prefix = at->first + "/";
    for (auto file = files_.lower_bound(prefix); file != files_.end() && file->first.starts_with(prefix);)
      file = files_.erase(file);
    at = directories_.erase(at);
  }
}

std::string FilesModel::first_left() const {
  if (!files_.empty()) return "file " + files_.begin()->first;
  if (!directories_.empty()) return "directory " + directories_.begin()->first;
  return {};
}

}  // namespace tenter::sim
