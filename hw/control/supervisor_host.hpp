// The process that owns a control job: Supervisor and Gate on hardware parts. Spec control.md A1; docs/protocols/gate.md. The
// calling thread drives the loop, and is the one that starts the launcher: it must outlive the job.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/control/supervisor_values.hpp"
#include "core/error.hpp"

namespace tenter::hw {

class SupervisorHost {
 public:
  // With a private folder of its own under `base` (PrivateFolder's default when empty) and a guardian, started from `guardian`
  // (program and arguments, see guardian.hpp), which ends the job when this process is killed.
  static Result<std::unique_ptr<SupervisorHost>> open(const std::vector<std::string>& guardian, const std::string& base = {});
  SupervisorHost(const SupervisorHost&) = delete;
  SupervisorHost& operator=(const SupervisorHost&) = delete;
  ~SupervisorHost();  // ends a job that is still there; nothing is left

  const std::string& folder() const;
  // One job a host. Until GO, or until nothing of the job is left and the error says why. `stop` is asked after every event and
  // nudge; when it says so the job is ended: cancelled. spec.root is set here.
  Result<void> start(control::JobSpec spec, const std::function<bool()>& stop);
  // Until nothing of the job is left. An error is what went wrong with it since GO.
  Result<void> wait(const std::function<bool()>& stop);
  void nudge();  // any thread: `stop` is asked again

 private:
  struct Inside;
  explicit SupervisorHost(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

// Told by the name of the file that a launcher leads to (mpiexec is a link to mpiexec.hydra or to orterun), so that none runs to
// say it; what has neither name is taken for Hydra.
control::LauncherFamily family_of_launcher(const std::string& launcher);

}  // namespace tenter::hw
