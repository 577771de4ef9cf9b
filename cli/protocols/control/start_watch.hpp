// What has happened to the processes of a start that gives it a reason to fail: who was killed or stopped from outside, which
// rank is fated not to start, what a port refused. A failure without one of these is a bug.
#pragma once
#include <set>
#include <string>

#include "cli/protocols/control/start_workload.hpp"
#include "sim/property.hpp"

namespace tenter::protocols {

class StartWatch : public sim::Monitor {
 public:
  void on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override;
  void on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) override;

 protected:
  virtual void step(const sim::View&, const sim::Step&, sim::Findings&) {}
  virtual void complete(const sim::View&, const StartCall&, const Note& /*outcome*/, sim::Findings&) {}

  // Of a start that fails, and of an end that is not asked for; empty: there is none.
  std::string cause(const sim::View& view) const;
  bool supervisor_was_stopped() const { return supervisor_was_stopped_; }
  static bool of_supervisor(const sim::Step& step, Role role) { return step.process == supervisor_process && step.role == role; }
  // The launcher and the ranks; no process of it is there before it was spawned.
  static bool of_job(const sim::Process& process) { return process.parent != sim::no_process; }

 private:
  void look(const sim::View& view);
  void look_at_events(const sim::View& view, const sim::Step& step);
  std::string cause_;  // the first
  bool supervisor_was_stopped_ = false;
  bool ends_them_ = false;  // the supervisor does, so that a death is no cause any more
};

}  // namespace tenter::protocols
