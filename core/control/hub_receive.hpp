// Hub: what executors say. What one says wrongly ends its own route, and what comes too late or again is counted and dropped
// (P-A6, P-X5, P-X6, X06). At most one frame of an executor is here at a time, and none is kept.
#pragma once
#include "core/control/hub.hpp"
#include "core/control/inbound.hpp"

namespace tenter::control {

template <HubPorts O>
void Hub::on(const event::MessageArrived& e, O& out) {
  const std::uint32_t worker = worker_of(e.op);
  if (worker >= workers()) return;
  Route& route = routes_[worker];
  if (!route.receiving || e.op != operation(OperationKind::receive, worker, route.receives)) return;
  route.receiving = false;
  if (e.status == Status::ok)
    take(worker, e, out);
  else if (e.status == Status::no_space)
    fail(worker, Status::invalid,
         "a message of " + text_of(e.length) + " bytes with tag " + text_of(e.tag) + " is larger than a frame can be", out);
  else
    lose(worker, Status::peer_lost, "nothing can be received of it: " + std::string(e.content.text()), out);
  if (!route.left && !route.lost && state_ != HubState::closed) receive(worker, out);
}

template <class O>
void Hub::take(std::uint32_t worker, const event::MessageArrived& e, O& out) {
  Route& route = routes_[worker];
  const auto frame = read_inbound(e, config_.session, static_cast<std::int32_t>(worker));
  if (!frame) {
    if (frame.error().status == Status::not_found) return drop(worker, route.counts.stray, out);
    return fail(worker, Status::invalid, frame.error().what, out);
  }
  route.heard = e.now;
  route.silent_ticks = 0;
  switch (frame->type) {
    case FrameType::hello:
      return greeted(worker, *frame, out);
    case FrameType::control_reply:
    case FrameType::completion:
      return replied(worker, *frame, out);
    case FrameType::health:
      if (!frame->payload.empty()) return fail(worker, Status::invalid, "a HEALTH with a payload", out);
      if (frame->identity.sequence <= route.heard_beat) return drop(worker, route.counts.stray, out);
      route.heard_beat = frame->identity.sequence;
      if (route.phase == RoutePhase::registered) ++route.counts.early;
      return;
    case FrameType::task:
    case FrameType::control:
    case FrameType::shutdown:
      return fail(worker, Status::invalid, describe(frame->type, frame->identity) + ": only the controller sends it", out);
  }
}

template <class O>
void Hub::drop(std::uint32_t worker, std::uint64_t& count, O& out) {
  ++count;
  if (routes_[worker].dropped() > config_.dropped_max)
    fail(worker, Status::invalid, "more than " + text_of(config_.dropped_max) + " of its frames had to be dropped", out);
}

// busy --reply--> busy or ready
template <class O>
void Hub::replied(std::uint32_t worker, const Frame& frame, O& out) {
  Route& route = routes_[worker];
  const auto reply = read_any_reply(frame);
  if (!reply) return fail(worker, Status::invalid, reply.error().what, out);
  switch (route.lane.match(reply->sequence)) {
    case ReplyMatch::repeated:
      return drop(worker, route.counts.repeated, out);
    case ReplyMatch::never_sent:
      return fail(worker, Status::invalid, describe(frame.type, frame.identity) + " answers nothing that was sent", out);
    case ReplyMatch::late: {
      give_back(worker, *route.lane.find(reply->sequence));
      route.lane.remove(reply->sequence);
      ++route.counts.late;
      return leave_in_silence(worker, out);
    }
    case ReplyMatch::awaited:
      break;
  }
  Command command = *route.lane.find(reply->sequence);
  const bool fits = command.type == FrameType::task ? reply->name == task_result
                                                    : reply->name == command.control && reply->version == command.version;
  if (!fits)
    return fail(worker, Status::mismatch,
                describe(frame.type, frame.identity) + " answers " + std::string(to_string(reply->name)) + " version " +
                    text_of(reply->version) + ", asked was " + std::string(to_string(command.control)) + " version " +
                    text_of(command.version),
                out);
  give_back(worker, command);
  if (command.timed) out.cancel(operation(OperationKind::deadline, worker, command.sequence));
  route.lane.remove(command.sequence);
  const CallKind kind = command.type == FrameType::task ? CallKind::submit : CallKind::control;
  out.complete(command.ticket, command_answer(kind, {reply->code == 0 ? Status::ok : Status::failed, reply->code, worker,
                                                     command.sequence, Blob(reply->result), reply->error}));
  leave_in_silence(worker, out);
}

}  // namespace tenter::control
