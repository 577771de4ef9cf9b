// What has happened to the processes of a run of control, so that a monitor can tell who had a reason to fail. "Innocent" is a
// worker whose process and whose hub were neither killed nor stopped, that says nothing hostile, that nobody cancelled and that
// the network did not starve.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "cli/protocols/control/control_workload.hpp"
#include "sim/property.hpp"

namespace tenter::protocols {

class ControlWatch : public sim::Monitor {
 public:
  void on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override;
  void on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) override;
  void on_end(const sim::View& view, sim::Findings& findings) override;

 protected:
  virtual void step(const sim::View&, const sim::Step&, sim::Findings&) {}
  virtual void complete(const sim::View&, const ControlCall&, const Note& /*outcome*/, sim::Findings&) {}
  virtual void end(const sim::View&, sim::Findings&) {}

  bool hub_was_stopped() const { return was_stopped(controller); }
  bool innocent(const sim::View& view, std::uint32_t worker) const;
  // Since when it says nothing: it was killed, or stopped and is so still.
  std::optional<Time> silent_since(std::uint32_t worker) const;
  // The shutdown's deadline has passed.
  bool overdue(const sim::View& view) const;
  bool joined(sim::ProcessIndex process) const { return joined_.contains(process); }

 private:
  void look(const sim::View& view);
  bool was_stopped(sim::ProcessIndex process) const { return stopped_.contains(process); }
  std::set<sim::ProcessIndex> stopped_, joined_;
  std::map<sim::ProcessIndex, Time> silent_;
};

}  // namespace tenter::protocols
