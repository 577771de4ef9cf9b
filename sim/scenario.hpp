// Who runs where, what work there is, which faults are allowed: what a protocol's author writes to have it simulated.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/action.hpp"
#include "core/event.hpp"
#include "sim/choice.hpp"
#include "sim/model/file_crash.hpp"
#include "sim/process.hpp"
#include "sim/workload.hpp"

namespace tenter::sim {

struct WorkResult {
  Duration takes{1'000};
  Status status = Status::ok;
  Blob reply;
  bool hangs = false;
};
// A user callable as the model of it: (process, callable, argument) -> what happens.
using WorkFunction = std::function<WorkResult(ProcessIndex, const Blob& callable, const Blob& argument)>;

// A program that a machine may spawn: a launcher that starts `ranks` processes and ends when they have ended.
struct LauncherSpec {
  std::string program;  // matches arguments[0]
  std::uint32_t ranks = 0;
  std::function<ProcessSpec(Rank, const action::Spawn&)> make_rank;
  // Whether it ends all of its ranks when one of them fails, by how it is called. Not given: it does.
  std::function<bool(const action::Spawn&)> cleans_up = {};
};

class Scenario {
 public:
  explicit Scenario(Choices& choices) : choices_(choices) {}

  // Shape of this run, drawn so that it is on the tape; 0 is the smallest.
  std::uint32_t choose(std::uint32_t n) { return choices_.choose(Tag::workload, 0, n); }

  ProcessSpec& process(std::string name) {
    processes_.push_back(std::make_unique<ProcessSpec>());
    processes_.back()->name = std::move(name);
    return *processes_.back();
  }
  void launcher(LauncherSpec spec) { launchers_.push_back(std::move(spec)); }
  void client(std::unique_ptr<Workload> workload) { workload_ = std::move(workload); }
  void work(WorkFunction function) { work_ = std::move(function); }
  // At most `budget` faults of this kind in a run.
  void allow(Tag fault, std::uint32_t budget) { budgets_[fault] = budget; }
  // Faults stop after `chaos`; what must happen must have happened `patience` later.
  void phases(Duration chaos, Duration patience) {
    chaos_ = chaos;
    patience_ = patience;
  }
  // Until `booted` holds, every choice that does not shape the run is boring: faults and odd orders start with the work.
  void quiet_boot(std::function<bool(const Workload&)> booted) { booted_ = std::move(booted); }
  // What a killed process leaves in files is found by the next one, or by nobody.
  void files_outlive_crashes() { files_outlive_crashes_ = true; }
  // A launcher that does not clean up: a rank that is killed ends no other rank of its job.
  void ranks_outlive_each_other() { ranks_outlive_each_other_ = true; }
  // The Files part that the machines run on leaves steps of a publish out: a bug of a part, to be planted.
  void files_publish_with(PublishSteps steps) { publish_steps_ = steps; }
  // Messages of fewer bytes are done at once; 0: none, CommModel::all_eager: all. Not called: the run's own choice.
  void eager_below(std::uint64_t bytes) { eager_below_ = bytes; }
  // Bytes that a stream holds before its writer waits. Not called: the run's own choice.
  void stream_window(std::uint64_t bytes) { stream_window_ = bytes; }
  void step_limit(std::uint64_t steps) { step_limit_ = steps; }

  // For who runs the processes elsewhere.
  const std::vector<std::unique_ptr<ProcessSpec>>& processes() const { return processes_; }
  bool has_users_or_launchers() const { return workload_ != nullptr || !launchers_.empty(); }

 private:
  friend class World;
  Choices& choices_;
  std::vector<std::unique_ptr<ProcessSpec>> processes_;
  std::vector<LauncherSpec> launchers_;
  std::unique_ptr<Workload> workload_;
  WorkFunction work_;
  std::map<Tag, std::uint32_t> budgets_;
  std::function<bool(const Workload&)> booted_;
  Duration chaos_ = seconds(5);
  Duration patience_ = seconds(30);
  std::uint64_t step_limit_ = 1'000'000;
  bool files_outlive_crashes_ = false, ranks_outlive_each_other_ = false;
  PublishSteps publish_steps_;
  std::optional<std::uint64_t> eager_below_, stream_window_;
};

}  // namespace tenter::sim
