// Hub: beats of its own, the silence of others, deadlines. A silence is counted in own ticks, at each of which all that has come
// was heard before: a hub that was stopped for a while blames nobody (B26). Liveness and deadlines are apart: slow is not dead.
// P-A5, P-B3, P-X8.
#pragma once
#include "core/control/hub.hpp"

namespace tenter::control {

template <HubPorts O>
void Hub::on(const event::TimerFired& e, O& out) {
  if (e.op == operation(OperationKind::end)) return end_is_due(out);
  if (state_ == HubState::joining && e.op == operation(OperationKind::startup)) {
    reason_ = "the world was not joined within " + text_of(number(config_.startup_patience) / 1'000'000) + " ms";
    return join_failed(out);
  }
  if (state_ != HubState::open && state_ != HubState::closing) return;
  switch (kind_of(e.op)) {
    case OperationKind::tick:
      return tick(e.now, out);
    case OperationKind::startup:
      return startup_is_over(out);
    case OperationKind::deadline:
      return deadline_passed(worker_of(e.op), number_of(e.op), out);
    default:
      return;
  }
}

template <class O>
void Hub::tick(Time now, O& out) {
  for (std::uint32_t worker = 0; worker < workers() && state_ != HubState::closed; ++worker) {
    Route& route = routes_[worker];
    if (route.phase == RoutePhase::registered || route.left || route.lost) continue;
    if (++route.silent_ticks > config_.silent_ticks_max)
      lose(worker, Status::peer_lost,
           "nothing was heard of it for " + text_of(config_.silent_ticks_max) + " intervals of " +
               text_of(number(config_.heartbeat_interval) / 1'000'000) + " ms",
           out);
    else if (route.phase == RoutePhase::serving)
      beat(worker, out);
  }
  if (state_ != HubState::closed) out.arm(operation(OperationKind::tick), now + config_.heartbeat_interval);
}

// Needs no credit, and there is never more than one on its way.
template <class O>
void Hub::beat(std::uint32_t worker, O& out) {
  Route& route = routes_[worker];
  if (route.beating || !route.can(takes_beats)) return;
  route.beating = true;
  ++route.beats;
  out.send_message(operation(OperationKind::beat, worker, route.beats), config_.communicator, rank_of(worker), health_tag,
                   write_frame(FrameType::health, identity(worker, route.beats), {}).value());
}

template <class O>
void Hub::startup_is_over(O& out) {
  for (std::uint32_t worker = 0; worker < workers(); ++worker)
    if (routes_[worker].phase == RoutePhase::registered)
      fail(worker, Status::timed_out,
           "it said no HELLO within " + text_of(number(config_.startup_patience) / 1'000'000) + " ms of the start", out);
}

// Only that command ends; the route goes on, its executor may be slow.
template <class O>
void Hub::deadline_passed(std::uint32_t worker, std::uint64_t sequence, O& out) {
  Command* const command = worker < workers() ? routes_[worker].lane.find(sequence) : nullptr;
  if (!command || !command->timed) return;
  command->timed = false;
  give_up(worker, *command, Status::timed_out,
          "no reply of " + rank_text(worker) + " to its " +
              std::string(to_string(command->type == FrameType::task ? task_result : command->control)) + ", sequence " +
              text_of(sequence) + ", within the deadline; " +
              (command->credit == CreditSource::none ? "it may still be at work" : "it has not taken it yet"),
          out);
}

}  // namespace tenter::control
