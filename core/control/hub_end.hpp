// Hub: the end of a route, and of all. Every executor that may live is told to leave, also a busy one and one whose route has
// failed; the process ends in order only when each has said its last word (P-X11, P-X12). One deadline, kept in every case.
#pragma once
#include "core/control/hub.hpp"

namespace tenter::control {

// any but failed, closed --why--> failed. The first reason stays. What is still heard of it is dropped.
template <class O>
void Hub::fail(std::uint32_t worker, Status status, std::string reason, O& out) {
  Route& route = routes_[worker];
  if (route.ended()) return;
  route.phase = RoutePhase::failed;
  route.cause = status;
  route.reason = std::move(reason);
  for (Command& command : route.lane.commands()) {
    if (command.credit != CreditSource::none) out.abandon_send(operation(OperationKind::command, worker, command.sequence));
    give_back(worker, command);
    if (!command.given_up)
      give_up(worker, command, status == Status::cancelled ? Status::cancelled : Status::peer_lost,
              rank_text(worker) + ": " + route.reason, out);
  }
  route.lane.clear();
  credit_.leave_line(worker);
  if (!route.lost && !route.left) tell_to_leave(worker, out);
  answer_starts(out);
  look_for_the_end(out);
}

// It has failed, and nothing is expected of it any more.
template <class O>
void Hub::lose(std::uint32_t worker, Status status, std::string reason, O& out) {
  routes_[worker].lost = true;
  let_go(worker, out);
  if (routes_[worker].ended()) return look_for_the_end(out);
  fail(worker, status, std::move(reason), out);
}

template <class O>
void Hub::tell_to_leave(std::uint32_t worker, O& out) {
  Route& route = routes_[worker];
  if (route.told_to_leave != 0) return;
  route.told_to_leave = route.lane.number_next();
  out.send_message(operation(OperationKind::command, worker, route.told_to_leave), config_.communicator, rank_of(worker),
                   lifecycle_tag, write_frame(FrameType::shutdown, identity(worker, route.told_to_leave), {}).value());
}

// Nothing of this route is with the port any more.
template <class O>
void Hub::let_go(std::uint32_t worker, O& out) {
  Route& route = routes_[worker];
  if (route.receiving) out.withdraw_receive(operation(OperationKind::receive, worker, route.receives));
  if (route.beating) out.abandon_send(operation(OperationKind::beat, worker, route.beats));
  if (route.told_to_leave != 0) out.abandon_send(operation(OperationKind::command, worker, route.told_to_leave));
  route.receiving = route.beating = false;
}

// open --shutdown--> closing. A second one waits for the same end, and may abort; one after the end has no effect.
template <class O>
void Hub::shutdown(const event::Submitted& e, O& out) {
  if (state_ == HubState::closed) return out.complete(e.ticket, answer_note(CallKind::shutdown, Status::ok, {}));
  if (state_ == HubState::idle)
    return out.complete(e.ticket, answer_note(CallKind::shutdown, Status::unavailable, "the process has not started yet"));
  if (e.call.a <= 0)
    return out.complete(e.ticket, answer_note(CallKind::shutdown, Status::invalid, "a shutdown needs a patience above 0"));
  if (shutdowns_.size() >= config_.waiting_calls_max)
    return out.complete(e.ticket, answer_note(CallKind::shutdown, Status::no_space, "too many wait for the end already"));
  shutdowns_.push_back(e.ticket);
  if (state_ == HubState::failed) return end(Status::failed, reason_, out);
  if (shutdowns_.size() == 1) out.arm(operation(OperationKind::end), e.now + Duration{e.call.a});
  if (e.call.b != 0) cancel_all(out);
  if (state_ == HubState::open) close_all(out);
}

template <class O>
void Hub::close_all(O& out) {
  state_ = HubState::closing;
  for (const Ticket ticket : std::exchange(starts_, {}))
    out.complete(ticket, answer_note(CallKind::start, Status::unavailable, "the session ends"));
  for (std::uint32_t worker = 0; worker < workers(); ++worker) {
    Route& route = routes_[worker];
    if (route.ended()) continue;
    route.phase = RoutePhase::draining;
    tell_to_leave(worker, out);
  }
  look_for_the_end(out);
}

// Their replies will be late.
template <class O>
void Hub::cancel_all(O& out) {
  for (std::uint32_t worker = 0; worker < workers(); ++worker)
    for (Command& command : routes_[worker].lane.commands())
      if (!command.given_up) give_up(worker, command, Status::cancelled, "the session was ended", out);
}

template <class O>
void Hub::look_for_the_end(O& out) {
  if (state_ != HubState::closing) return;
  for (const Route& route : routes_)
    if (!route.ended() || (!route.left && !route.lost)) return;
  std::string text = failed_routes();
  const Status status = text.empty() ? Status::ok : overdue_ ? Status::timed_out : Status::failed;
  end(status, std::move(text), out);
}

// closing --time--> closed. The supervisor ends who has not left.
template <class O>
void Hub::end_is_due(O& out) {
  if (shutdowns_.empty()) return;
  overdue_ = true;
  if (state_ == HubState::joining) return end(Status::timed_out, "the world was not joined by the deadline", out);
  for (std::uint32_t worker = 0; worker < workers() && state_ == HubState::closing; ++worker)
    if (Route& route = routes_[worker]; !route.ended() || (!route.left && !route.lost))
      lose(worker, Status::timed_out, "it did not leave by the deadline of the shutdown", out);
}

template <class O>
void Hub::end(Status status, std::string text, O& out) {
  bool orderly = state_ == HubState::closing;
  state_ = HubState::closed;
  for (const Route& route : routes_) orderly = orderly && route.left;
  for (const OperationKind timer : {OperationKind::end, OperationKind::tick, OperationKind::startup})
    out.cancel(operation(timer));
  for (const Ticket ticket : std::exchange(starts_, {}))
    out.complete(ticket, answer_note(CallKind::start, Status::unavailable, text));
  for (const Ticket ticket : std::exchange(shutdowns_, {})) out.complete(ticket, answer_note(CallKind::shutdown, status, text));
  out.exit_process(status == Status::ok ? 0 : 1, orderly);
}

}  // namespace tenter::control
