#include "cli/protocols/control/start_watch.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace tenter::protocols {

using namespace control;

void StartWatch::look(const sim::View& view) {
  for (sim::ProcessIndex p = 0; p < view.world().process_count(); ++p) {
    const sim::Process& process = view.world().process(p);
    if (p != supervisor_process && !of_job(process)) continue;
    // Also of one that stopped and went on between two events.
    const bool stopped = process.life == sim::Life::stopped || (process.stop_at == 0 && number(process.stopped_for) >= 0);
    if (stopped && p == supervisor_process) supervisor_was_stopped_ = true;
    if (stopped && cause_.empty()) cause_ = process.name + " was stopped";
    const bool killed = process.life == sim::Life::gone && process.exit_signal != 0;
    if (killed && !ends_them_ && cause_.empty()) cause_ = process.name + " was killed";
  }
}

void StartWatch::look_at_events(const sim::View& view, const sim::Step& step) {
  const std::string& who = view.world().process(step.process).name;
  const auto* world = std::get_if<event::WorldJoined>(&step.event);
  if (world && world->status != Status::ok && cause_.empty()) cause_ = who + " was refused by its message library";
  const auto* file = std::get_if<event::FileDone>(&step.event);
  if (file && file->status != Status::ok && cause_.empty()) cause_ = who + " could not write";
}

void StartWatch::on_step(const sim::View& view, const sim::Step& s, sim::Findings& findings) {
  look(view);
  look_at_events(view, s);
  step(view, s, findings);
  for (const Action& action : s.actions)
    if (std::holds_alternative<action::KillProcesses>(action)) ends_them_ = true;
}

void StartWatch::on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) {
  look(view);
  if (const StartCall* call = start_workload_of(view).find(ticket)) complete(view, *call, outcome, findings);
}

std::string StartWatch::cause(const sim::View& view) const {
  if (!cause_.empty()) return cause_;
  const StartWorkload& workload = start_workload_of(view);
  const StartShape& shape = workload.shape();
  if (workload.stop_asked()) return "its end was asked for";
  if (shape.has_impostor) return "a peer has the token that is no rank";
  for (std::uint32_t rank = 0; rank < shape.world(); ++rank)
    if (const RankFate fate = shape.fates[rank]; fate != RankFate::works && fate < RankFate::ends_by_request)
      return "rank " + text_of(rank) + " is fated to fail";
  return {};
}

}  // namespace tenter::protocols
