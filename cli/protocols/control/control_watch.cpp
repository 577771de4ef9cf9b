#include "cli/protocols/control/control_watch.hpp"

namespace tenter::protocols {

using namespace control;

void ControlWatch::look(const sim::View& view) {
  for (sim::ProcessIndex p = 0; p < view.world().process_count(); ++p) {
    const sim::Process& process = view.world().process(p);
    const bool killed = process.life == sim::Life::gone && process.exit_signal != 0;
    // Also of one that stopped and went on between two events.
    if (process.stop_at == 0 && number(process.stopped_for) >= 0) stopped_.insert(p);
    if (killed || process.life == sim::Life::stopped)
      silent_.try_emplace(p, view.now());
    else
      silent_.erase(p);
  }
}

void ControlWatch::on_step(const sim::View& view, const sim::Step& s, sim::Findings& findings) {
  look(view);
  const auto* world = std::get_if<event::WorldJoined>(&s.event);
  if (world && world->status == Status::ok) joined_.insert(s.process);
  step(view, s, findings);
}

void ControlWatch::on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) {
  look(view);
  if (const ControlCall* call = control_workload_of(view).find(ticket)) complete(view, *call, outcome, findings);
}

void ControlWatch::on_end(const sim::View& view, sim::Findings& findings) {
  look(view);
  end(view, findings);
}

bool ControlWatch::innocent(const sim::View& view, std::uint32_t worker) const {
  const ControlWorkload& workload = control_workload_of(view);
  const sim::Process& process = view.world().process(worker + 1);
  const bool killed = process.life == sim::Life::gone && process.exit_signal != 0;
  return !killed && !was_stopped(worker + 1) && !was_stopped(controller) && !workload.shape().is_hostile(worker) &&
         !workload.shape().starved && !workload.route_cancelled(worker);
}

std::optional<Time> ControlWatch::silent_since(std::uint32_t worker) const {
  const auto found = silent_.find(worker + 1);
  return found == silent_.end() ? std::nullopt : std::optional(found->second);
}

// Of two shutdowns the first that arrives counts, and a process's clock may be a little fast.
bool ControlWatch::overdue(const sim::View& view) const {
  for (const ControlCall& call : control_workload_of(view).calls())
    if (call.kind == CallKind::shutdown && number(view.now() - call.submitted) >= number(call.patience) / 100 * 99) return true;
  return false;
}

}  // namespace tenter::protocols
