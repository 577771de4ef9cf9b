// Files of one host: a publish is seen whole or not at all, after a chosen delay; a listing holds no temporaries.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/action.hpp"
#include "sim/process.hpp"

namespace tenter::sim {

class World;

class FilesModel {
 public:
  explicit FilesModel(World& world) : world_(world) {}
  void perform(Process& p, Role role, const action::PublishFile& a);
  void perform(Process& p, Role role, const action::ReadFile& a);
  void perform(Process& p, Role role, const action::ListFiles& a);
  void perform(Process& p, Role role, const action::WatchFiles& a);
  void perform(Process& p, Role role, const action::RemoveFile& a);
  void perform(Process& p, Role role, const action::MakeDirectory& a);
  void perform(Process& p, Role role, const action::RemoveDirectory& a);
  void forget(ProcessIndex process);          // its watches
  void remove_made_by(ProcessIndex process);  // what a guardian does
  std::size_t count() const { return files_.size() + directories_.size(); }
  std::string first_left() const;

 private:
  struct Watcher {
    ProcessIndex process;
    Role role{};
    Op op{};
    std::string directory;
  };
  void changed(const std::string& directory);
  Status find_directory(const std::string& path) const;
  bool refused(Process& p, Role role, Op op, const Blob& path);
  bool no_space(Process& p, Role role, Op op, const std::string& path);
  void done(Process& p, Role role, Op op, Status status, Blob content);
  World& world_;
  std::map<std::string, Blob> files_;
  std::map<std::string, ProcessIndex> directories_;  // who made it
  std::vector<Watcher> watchers_;
};

}  // namespace tenter::sim
