// The files of a run as their server has them: a publish is there whole or not at all, its answer comes after a chosen delay; a
// list holds no temporaries. What a host sees of it: sim/model/file_views.hpp; what its crash takes: sim/model/file_crash.hpp.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/action.hpp"
#include "sim/model/file_crash.hpp"
#include "sim/model/file_views.hpp"
#include "sim/process.hpp"

namespace tenter::sim {

class World;

// "a/b" of "a/b/c", "" of "c".
std::string folder_of(std::string_view path);

class FilesModel {
 public:
  explicit FilesModel(World& world) : world_(world), views_(world) {}
  void publishes_with(PublishSteps steps) { steps_ = steps; }
  void perform(Process& p, Role role, const action::PublishFile& a);
  void perform(Process& p, Role role, const action::ReadFile& a);
  void perform(Process& p, Role role, const action::ListFiles& a);
  void perform(Process& p, Role role, const action::WatchFiles& a);
  void perform(Process& p, Role role, const action::RemoveFile& a);
  void perform(Process& p, Role role, const action::MakeDirectory& a);
  void perform(Process& p, Role role, const action::RemoveDirectory& a);
  void forget(ProcessIndex process);          // its watches, and what it was writing in place
  void remove_made_by(ProcessIndex process);  // what a guardian does
  std::size_t count() const { return files_.size() + directories_.size(); }
  std::string first_left() const;

  void host_crashed(const std::string& host, ProcessIndex who);
  // For properties: what the server has there. Null: no file.
  const Blob* content(const std::string& path) const;
  bool has_directory(const std::string& path) const { return find_directory(path) == Status::ok; }
  std::uint64_t operations() const { return operations_; }  // asked for so far, by all processes

 private:
  struct Watcher {
    ProcessIndex process;
    Role role{};
    Op op{};
    std::string directory;
  };
  struct InPlace {  // is being written under its name
    ProcessIndex writer = no_process;
    Blob whole;
    Time until{};
  };
  void changed(const std::string& directory);
  void settle();
  void begin_operation() {
    ++operations_;
    if (!in_place_.empty()) settle();
  }
  Status find_directory(const std::string& path) const;
  Status find_directory(const Process& p, const std::string& path);
  FileEntry entry(const std::string& path) const;
  FileEntry seen(const Process& p, const std::string& path) { return views_.look(p, path, entry(path)); }
  void changed_name(const Process& p, const std::string& path, const FileEntry& older);
  void tear(const std::string& path, ProcessIndex who);
  void put(const std::string& path, const FileEntry& entry);
  bool refused(Process& p, Role role, Op op, const Blob& path);
  bool no_space(Process& p, Role role, Op op, const std::string& path);
  Time done(Process& p, Role role, Op op, Status status, Blob content);
  World& world_;
  FileViews views_;
  UnsyncedFiles unsynced_;
  PublishSteps steps_;
  std::uint64_t operations_ = 0;
  std::map<std::string, Blob> files_;
  std::map<std::string, InPlace> in_place_;
  std::map<std::string, ProcessIndex> directories_;  // who made it
  std::vector<Watcher> watchers_;
};

}  // namespace tenter::sim
