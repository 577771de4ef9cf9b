// Hub: the world, and every executor's first and last word. Spec B2.5; X06.
#pragma once
#include "core/control/hub.hpp"

namespace tenter::control {

// idle --started--> joining
template <HubPorts O>
void Hub::on(const event::Started& e, O& out) {
  if (state_ != HubState::idle) return;
  state_ = HubState::joining;
  out.arm(operation(OperationKind::startup), e.now + config_.startup_patience);
  out.join_world(operation(OperationKind::join));
}

// joining --ok--> open: from now on every executor is listened to; --else--> failed
template <HubPorts O>
void Hub::on(const event::WorldJoined& e, O& out) {
  if (state_ != HubState::joining || e.op != operation(OperationKind::join)) return;
  if (e.status != Status::ok)
    reason_ = "the world could not be joined: " + std::string(e.text.text());
  else if (number(e.rank) != 0 || e.ranks != workers() + 1)
    reason_ = "this is rank " + text_of(e.rank) + " of " + text_of(e.ranks) + ", the topology has the controller as rank 0 of " +
              text_of(workers() + 1);
  if (!reason_.empty()) return join_failed(out);
  state_ = HubState::open;
  for (std::uint32_t worker = 0; worker < workers(); ++worker) {
    routes_[worker].heard = e.now;
    receive(worker, out);
  }
  out.arm(operation(OperationKind::startup), e.now + config_.startup_patience);
  out.arm(operation(OperationKind::tick), e.now + config_.heartbeat_interval);
  if (!shutdowns_.empty()) close_all(out);
}

// joining --else, time--> failed
template <class O>
void Hub::join_failed(O& out) {
  state_ = HubState::failed;
  out.cancel(operation(OperationKind::startup));
  answer_starts(out);
  if (!shutdowns_.empty()) end(Status::failed, reason_, out);
}

template <class O>
void Hub::receive(std::uint32_t worker, O& out) {
  Route& route = routes_[worker];
  route.receiving = true;
  out.receive_message(operation(OperationKind::receive, worker, ++route.receives), config_.communicator, rank_of(worker),
                      frame_bytes_max);
}

template <class O>
void Hub::start(const event::Submitted& e, O& out) {
  if (state_ == HubState::closing || state_ == HubState::closed)
    return out.complete(e.ticket, answer_note(CallKind::start, Status::unavailable, "the session ends"));
  if (starts_.size() >= config_.waiting_calls_max)
    return out.complete(e.ticket, answer_note(CallKind::start, Status::no_space, "too many wait for the start already"));
  starts_.push_back(e.ticket);
  answer_starts(out);
}

// Once no HELLO is awaited any more.
template <class O>
void Hub::answer_starts(O& out) {
  if (starts_.empty() || state_ == HubState::idle || state_ == HubState::joining) return;
  for (const Route& route : routes_)
    if (route.phase == RoutePhase::registered && state_ == HubState::open) return;
  std::string text = state_ == HubState::failed ? reason_ : failed_routes();
  const Status status = text.empty() ? Status::ok : Status::failed;
  for (const Ticket ticket : std::exchange(starts_, {})) out.complete(ticket, answer_note(CallKind::start, status, text));
}

// registered --HELLO--> ready. Another one is dropped: a rank of a static world greets once.
template <class O>
void Hub::greeted(std::uint32_t worker, const Frame& frame, O& out) {
  Route& route = routes_[worker];
  const auto hello = read_hello(frame.payload);
  if (!hello) return fail(worker, Status::invalid, hello.error().what, out);
  if (hello->session != config_.session || hello->worker != static_cast<std::int32_t>(worker))
    return fail(worker, Status::mismatch,
                "its HELLO is of session " + text_of_hex(hello->session) + ", worker " + text_of(hello->worker), out);
  if (hello->ready == ReadyState::not_ready) return said_goodbye(worker, out);
  if (std::exchange(route.greeted, true)) return drop(worker, route.counts.stray, out);
  if (hello->profile != config_.profiles[worker])
    return fail(worker, Status::mismatch,
                "its HELLO has the profile '" + hello->profile + "', the topology '" + config_.profiles[worker] + "'", out);
  route.features = hello->features & all_features;
  if (route.phase != RoutePhase::registered)
    return leave_in_silence(worker, out);  // it is to leave, or has failed, before it came
  route.phase = RoutePhase::serving;
  beat(worker, out);  // so that it knows at once that it was heard
  answer_starts(out);
}

// Whoever says no goodbye has left, as far as anyone can know, when it has answered and has taken SHUTDOWN.
template <class O>
void Hub::leave_in_silence(std::uint32_t worker, O& out) {
  const Route& route = routes_[worker];
  if (route.phase == RoutePhase::draining && route.greeted && route.told && route.lane.empty() && !route.can(says_goodbye))
    said_goodbye(worker, out);
}

// draining --goodbye--> closed; a route that has failed is done with; any other fails, for it was not asked to leave.
template <class O>
void Hub::said_goodbye(std::uint32_t worker, O& out) {
  Route& route = routes_[worker];
  // It cannot have taken what is still with the port: who says goodbye then leaves messages that nobody will take.
  for (const Command& command : route.lane.commands())
    if (command.credit != CreditSource::none)
      return lose(worker, Status::peer_lost, "it left before it had taken what it was sent", out);
  const bool all_answered = route.lane.size() == route.lane.given_up();
  route.left = true;
  let_go(worker, out);
  if (route.phase != RoutePhase::draining || !all_answered) {
    fail(worker, Status::peer_lost, all_answered ? "it left by itself" : "it left without an answer to what it had been sent",
         out);
  } else {
    route.lane.clear();
    route.phase = RoutePhase::closed;
  }
  look_for_the_end(out);
}

}  // namespace tenter::control
