// Executor: what it hears and how it is heard. Spec B2.5, B2.10; P-A5, P-X5, P-X18.
#pragma once
#include <algorithm>

#include "core/control/executor.hpp"

namespace tenter::control {

// idle --started--> joining
template <ExecutorPorts O>
void Executor::on(const event::Started& e, O& out) {
  if (state_ != ExecutorState::idle) return;
  state_ = ExecutorState::joining;
  out.arm(operation(OperationKind::end), e.now + startup_patience());
  out.join_world(operation(OperationKind::join));
}

// joining --ok--> serving; --else--> gone
template <ExecutorPorts O>
void Executor::on(const event::WorldJoined& e, O& out) {
  if (state_ != ExecutorState::joining || e.op != operation(OperationKind::join)) return;
  out.cancel(operation(OperationKind::end));
  if (e.status != Status::ok) return give_up(e.status, "the world could not be joined: " + std::string(e.text.text()), out);
  if (number(e.rank) != config_.worker + 1 || e.ranks != config_.world)
    return give_up(Status::mismatch,
                   "this is rank " + text_of(e.rank) + " of " + text_of(e.ranks) + ", the topology has it as rank " +
                       text_of(config_.worker + 1) + " of " + text_of(config_.world),
                   out);
  state_ = ExecutorState::serving;
  greet(ReadyState::ready, out);
  receive_if_room(out);
  out.arm(operation(OperationKind::tick), e.now + config_.heartbeat_interval);
}

// One call: answered when the session ends.
template <ExecutorPorts O>
void Executor::on(const event::Submitted& e, O& out) {
  if (!is(e.call, CallKind::serve))
    return out.complete(e.ticket, answer_note(CallKind{e.call.kind}, Status::invalid, "no call that an executor knows"));
  if (serve_called_) return out.complete(e.ticket, answer_note(CallKind::serve, Status::exists, "it serves already"));
  if (state_ == ExecutorState::gone)
    return out.complete(e.ticket, answer_note(CallKind::serve, Status::unavailable, "the session has ended"));
  serve_called_ = true;
  serve_ = e.ticket;
}

template <class O>
void Executor::greet(ReadyState ready, O& out) {
  reply(FrameType::hello, 0,
        write_hello({config_.session, static_cast<std::int32_t>(config_.worker), config_.profile, config_.features, ready}), out);
}

// While there is no room, what the controller sends waits on its side: it is the only one that waits (P-X5).
template <class O>
void Executor::receive_if_room(O& out) {
  const bool room =
      queue_.size() < config_.queued_max && queued_bytes_ <= config_.queued_bytes_max && unsent_.size() <= config_.queued_max;
  if (receiving_ || !room || state_ != ExecutorState::serving) return;
  receiving_ = true;
  out.receive_message(operation(OperationKind::receive, 0, ++receives_), config_.communicator, Rank{0}, frame_bytes_max);
}

template <ExecutorPorts O>
void Executor::on(const event::MessageArrived& e, O& out) {
  if (!receiving_ || e.op != operation(OperationKind::receive, 0, receives_)) return;
  receiving_ = false;
  if (e.status == Status::no_space)
    return give_up(Status::invalid, "the controller sent " + text_of(e.length) + " bytes, more than a frame can be", out);
  if (e.status != Status::ok)
    return give_up(Status::peer_lost, "nothing can be received of the controller: " + std::string(e.content.text()), out);
  take(e, out);
  receive_if_room(out);
}

template <class O>
void Executor::take(const event::MessageArrived& e, O& out) {
  const auto frame = read_inbound(e, config_.session, static_cast<std::int32_t>(config_.worker));
  if (!frame && frame.error().status == Status::not_found) return drop(out);
  if (!frame) return give_up(Status::invalid, "from the controller: " + frame.error().what, out);
  heard_ = true;
  silent_ticks_ = 0;
  switch (frame->type) {
    case FrameType::task:
    case FrameType::control:
      if (frame->identity.sequence <= newest_) return drop(out);  // done once already, or out of order
      newest_ = frame->identity.sequence;
      queue_.push_back({newest_, frame->type, Blob(frame->payload)});
      queued_bytes_ += frame->payload.size();
      return work(out);
    case FrameType::shutdown:
      state_ = ExecutorState::leaving;  // it is the controller's last frame, so nothing is received any more
      return leave_if_done(e.now, out);
    case FrameType::health:
      return;
    case FrameType::hello:
    case FrameType::control_reply:
    case FrameType::completion:
      return drop(out);
  }
}

template <class O>
void Executor::drop(O& out) {
  if (++dropped_ > config_.dropped_max)
    give_up(Status::invalid, "more than " + text_of(config_.dropped_max) + " frames of the controller had to be dropped", out);
}

template <ExecutorPorts O>
void Executor::on(const event::MessageSent& e, O& out) {
  if (state_ == ExecutorState::gone) return;
  const bool is_beat = beating_ && e.op == operation(OperationKind::beat, 0, beats_);
  const auto unsent = std::find(unsent_.begin(), unsent_.end(), number_of(e.op));
  const bool is_reply = kind_of(e.op) == OperationKind::reply && unsent != unsent_.end();
  if (!is_beat && !is_reply) return;
  if (e.status != Status::ok)
    return give_up(Status::peer_lost, "a message to the controller could not be sent: " + std::string(e.text.text()), out);
  if (is_beat) beating_ = false;
  if (is_reply) unsent_.erase(unsent);
  receive_if_room(out);
  part_if_all_is_taken(out);
}

template <ExecutorPorts O>
void Executor::on(const event::TimerFired& e, O& out) {
  if (e.op == operation(OperationKind::end) && state_ == ExecutorState::parting)
    return give_up(Status::timed_out, "the controller did not take the last words", out);
  if (e.op == operation(OperationKind::end) && state_ == ExecutorState::joining)
    return give_up(Status::timed_out,
                   "the world was not joined within " + text_of(number(startup_patience()) / 1'000'000) + " ms", out);
  if (e.op != operation(OperationKind::tick) || (state_ != ExecutorState::serving && state_ != ExecutorState::leaving)) return;
  // Who does not listen because of its own work cannot tell silence; who waits for its answers to be taken can.
  const bool listens = receiving_ || unsent_.size() > config_.queued_max;
  if (listens && can(takes_beats) && ++silent_ticks_ > (heard_ ? config_.silent_ticks_max : config_.startup_ticks_max))
    return give_up(Status::peer_lost,
                   "nothing was heard of the controller for " + text_of(silent_ticks_ - 1) + " intervals of " +
                       text_of(number(config_.heartbeat_interval) / 1'000'000) + " ms",
                   out);
  beat(out);
  out.arm(operation(OperationKind::tick), e.now + config_.heartbeat_interval);
}

// Independent of what runs and of what is queued; never more than one on its way.
template <class O>
void Executor::beat(O& out) {
  if (beating_) return;
  beating_ = true;
  ++beats_;
  out.send_message(operation(OperationKind::beat, 0, beats_), config_.communicator, Rank{0}, health_tag,
                   write_frame(FrameType::health, identity(beats_), {}).value());
}

}  // namespace tenter::control
