// Launchers and the processes they start: the ranks of a job, their deaths, the launcher's own death and its daemon's, and what
// the containment of a parent (life-line, guardian) does when the parent is gone.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/action.hpp"
#include "sim/process.hpp"

namespace tenter::sim {

class World;

class LaunchersModel {
 public:
  explicit LaunchersModel(World& world) : world_(world) {}
  void perform(Process& p, Role role, const action::Spawn& a);
  void perform(Process& p, Role role, const action::WatchProcess& a);
  void perform(Process& p, Role role, const action::KillProcesses& a);
  void perform(Process& p, Role role, const action::InspectProcesses& a);

  void ended(Process& p);                             // a process is gone: tell the watchers, the launcher, the children
  void fault(std::uint64_t job, std::uint64_t kind);  // from the queue: 0 launcher dies, 1 its daemon dies
  void job_step(std::uint64_t job);                   // from the queue: a rank of this job ended; decide about the others
  void guard(ProcessIndex parent);                    // from the queue: the guardian of a dead parent cleans up
  // Tells where `Spawn` finds its programs and how ranks are numbered.
  struct Job {
    ProcessIndex launcher = no_process;
    ProcessIndex parent = no_process;
    std::vector<ProcessIndex> ranks;
    std::uint32_t ended = 0;
    std::int32_t code = 0;     // the ranks' codes, ORed (as Hydra does)
    bool daemon_lost = false;  // nobody collects the ranks any more
    bool cleans_up = true;     // one rank that fails ends all
    bool aborting = false;
  };
  const std::vector<Job>& jobs() const { return jobs_; }

 private:
  struct Watcher {
    ProcessIndex process;
    Role role{};
    Op op{};
    ProcessIndex target;
    bool spawner = false;
    Time from{};  // when the watcher has heard of the start
  };
  void tell(const Watcher& watcher, const Process& dead);
  World& world_;
  std::vector<Job> jobs_;
  std::vector<Watcher> watchers_;
  std::map<ProcessIndex, Time> told_;  // when a process hears of the last exit: exits are told in their order
};

}  // namespace tenter::sim
