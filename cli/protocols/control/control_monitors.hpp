// What must always hold of control, as monitors over the events of a simulated run. The ids are those of docs/properties.md.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>

#include "cli/protocols/control/control_watch.hpp"

namespace tenter::protocols {

// S1, S7, P-A6, P-X2: what an answer says is the call's own, and it has a cause that this route had.
class CommandsMonitor : public ControlWatch {
 protected:
  void complete(const sim::View& view, const ControlCall& call, const Note& outcome, sim::Findings& findings) override;

 private:
  void judge_task(const sim::View&, const ControlCall&, const Note&, sim::Findings&);
  void judge_control(const sim::View&, const ControlCall&, const Note&, sim::Findings&);
  std::string cause_missing(const sim::View&, const ControlCall&, const Note&);
  std::map<std::pair<std::int64_t, std::int64_t>, Ticket> sequences_;  // by worker and sequence: whose answer it was
};

// S3: a task runs at most once, where it was sent, and never when it was refused.
class RunsMonitor : public ControlWatch {
 protected:
  void step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override;
  void complete(const sim::View& view, const ControlCall& call, const Note& outcome, sim::Findings& findings) override;

 private:
  void answers(const sim::View&, sim::ProcessIndex, const action::SendMessage&, sim::Findings&);
  std::set<std::uint64_t> ran_, refused_;
  std::set<std::pair<sim::ProcessIndex, std::uint64_t>> answered_;  // by process and sequence
};

// P-A5, P-X8, P-X11: what ends by itself ends in time.
class BoundsMonitor : public ControlWatch {
 protected:
  void step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override;
  void complete(const sim::View& view, const ControlCall& call, const Note& outcome, sim::Findings& findings) override;
};

// P-X11, P-X12, P-X18: every executor leaves, none that was heard is doubted, and in order when the shutdown says so.
class LeavingMonitor : public ControlWatch {
 protected:
  void step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override;
  void complete(const sim::View& view, const ControlCall& call, const Note& outcome, sim::Findings& findings) override;
  void end(const sim::View& view, sim::Findings& findings) override;

 private:
  void judge_code(const sim::View& view, const sim::Step& step, sim::Findings& findings);
  std::set<sim::ProcessIndex> answered_;      // its `serve`, or its shutdown
  std::set<sim::ProcessIndex> at_work_;       // a task runs
  std::map<sim::ProcessIndex, Time> worked_;  // when a task began or ended there last
  std::set<sim::ProcessIndex> asked_;         // `serve` was called
  bool all_left_ = false;                     // the shutdown said ok
};

}  // namespace tenter::protocols
