#include "sim/model/files.hpp"

#include "sim/world.hpp"

namespace tenter::sim {
namespace {

constexpr Duration file_operation = microseconds(20);

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash));
}

std::string full_path(const Process& p, const Blob& path) {
  if (p.files_root.empty()) return std::string(path.text());
  return path.empty() ? p.files_root : p.files_root + "/" + std::string(path.text());
}

}  // namespace

void FilesModel::done(Process& p, Role role, Op op, Status status, Blob content) {
  world_.post(p.index, role, event::FileDone{Time{}, op, status, std::move(content)},
              file_operation + world_.chosen_delay(Tag::file_delay, p.index));
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

void FilesModel::perform(Process& p, Role role, const action::PublishFile& a) {
  const std::string path = full_path(p, a.path), folder = folder_of(path);
  if (!folder.empty() && !directories_.contains(folder))
    return done(p, role, a.op, Status::not_found, Blob(path + ": no such directory"));
  if (world_.allowed(Tag::no_space) && world_.choices().choose(Tag::no_space, p.index, 2) != 0) {
    world_.spend(Tag::no_space);
    return done(p, role, a.op, Status::no_space, Blob(path + ": no space left on device"));
  }
  files_[path] = a.content;
  changed(folder);
  done(p, role, a.op, Status::ok, {});
}

void FilesModel::perform(Process& p, Role role, const action::ReadFile& a) {
  const auto found = files_.find(full_path(p, a.path));
  if (found == files_.end()) return done(p, role, a.op, Status::not_found, Blob(full_path(p, a.path) + ": no such file"));
  if (found->second.size() > a.limit)
    return done(p, role, a.op, Status::invalid, Blob(full_path(p, a.path) + ": larger than the limit"));
  done(p, role, a.op, Status::ok, found->second);
}

void FilesModel::perform(Process& p, Role role, const action::ListFiles& a) {
  const std::string prefix = full_path(p, a.directory) + "/";
  std::vector<Blob> names;
  for (auto at = files_.lower_bound(prefix); at != files_.end() && at->first.starts_with(prefix); ++at)
    names.emplace_back(std::string_view(at->first).substr(prefix.size()));
  const bool exists = directories_.contains(full_path(p, a.directory));
  world_.post(p.index, role, event::FilesListed{Time{}, a.op, exists ? Status::ok : Status::not_found, Parts(std::move(names))},
              file_operation);
}

void FilesModel::perform(Process& p, Role role, const action::WatchFiles& a) {
  watchers_.push_back({p.index, role, a.op, full_path(p, a.directory)});
}

void FilesModel::perform(Process& p, Role role, const action::RemoveFile& a) {
  files_.erase(full_path(p, a.path));
  changed(folder_of(full_path(p, a.path)));
  done(p, role, a.op, Status::ok, {});
}

void FilesModel::perform(Process& p, Role role, const action::MakeDirectory& a) {
  const std::string path = full_path(p, a.path);
  if (world_.allowed(Tag::no_space) && world_.choices().choose(Tag::no_space, p.index, 2) != 0) {
    world_.spend(Tag::no_space);
    return done(p, role, a.op, Status::no_space, Blob(path + ": no space left on device"));
  }
  const bool made = directories_.emplace(path, p.index).second;
  done(p, role, a.op, made ? Status::ok : Status::exists, made ? Blob() : Blob(path + ": exists"));
}

void FilesModel::perform(Process& p, Role role, const action::RemoveDirectory& a) {
  const std::string path = full_path(p, a.path), prefix = path + "/";
  for (auto at = files_.lower_bound(prefix); at != files_.end() && at->first.starts_with(prefix);) at = files_.erase(at);
  directories_.erase(path);
  changed(path);
  done(p, role, a.op, Status::ok, {});
}

void FilesModel::forget(ProcessIndex process) {
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
