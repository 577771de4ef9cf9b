// Hub: tasks and controls on their way out, and those that their callers withdraw. Nothing waits here: a call is sent or refused
// (P-X1). Spec A1, B2.3.
#pragma once
#include "core/control/hub.hpp"
#include "core/control/slr3.hpp"

namespace tenter::control {

template <HubPorts O>
void Hub::on(const event::Submitted& e, O& out) {
  if (const auto call = read_submit(e.call)) return submit(e, *call, out);
  if (const auto call = read_send_control(e.call)) return send_control(e, *call, out);
  if (is(e.call, CallKind::start)) return start(e, out);
  if (is(e.call, CallKind::cancel)) return cancel(e, out);
  if (is(e.call, CallKind::cancel_route)) return cancel_route(e, out);
  if (is(e.call, CallKind::health)) return out.complete(e.ticket, health(e.now));
  if (is(e.call, CallKind::shutdown)) return shutdown(e, out);
  out.complete(e.ticket,
               answer_note(CallKind{e.call.kind}, Status::invalid, "no call that a hub knows, or one with wrong fields"));
}

template <class O>
void Hub::submit(const event::Submitted& e, const SubmitCall& call, O& out) {
  if (const auto task = read_task(call.payload.bytes()); !task)
    return out.complete(e.ticket, answer_note(CallKind::submit, Status::invalid, task.error().what));
  send(e, worker_that(call), call.patience, Command{.ticket = e.ticket, .type = FrameType::task}, call.payload.bytes(), out);
}

template <class O>
void Hub::send_control(const event::Submitted& e, const SendControlCall& call, O& out) {
  if (call.command.size() > payload_bytes_max - control_head_bytes)
    return out.complete(e.ticket, answer_note(CallKind::control, Status::invalid,
                                              "a command of " + text_of(std::uint64_t{call.command.size()}) +
                                                  " bytes is larger than a frame has room for"));
  Command command{.ticket = e.ticket, .type = FrameType::control, .control = call.control};
  command.version = call.control == ControlName::comm_init ? domain_control_version : control_version;
  const Blob payload = write_control({command.control, command.version, call.command.bytes()});
  send(e, call.worker, call.patience, command, payload.bytes(), out);
}

// ready, busy --sent--> busy
template <class O>
void Hub::send(const event::Submitted& e, std::uint32_t worker, Duration patience, Command command, Bytes payload, O& out) {
  const CallKind kind{e.call.kind};
  if (const auto refused = refusal(worker)) return out.complete(e.ticket, answer_note(kind, refused->status, refused->what));
  command.bytes = layout::header_bytes + payload.size();
  if (command.bytes > config_.credit.largest_bytes)
    return out.complete(e.ticket,
                        answer_note(kind, Status::invalid,
                                    "a frame of " + text_of(command.bytes) + " bytes, the largest that may be sent is " +
                                        text_of(config_.credit.largest_bytes)));
  command.credit = credit_.take(worker, command.bytes, e.now);
  if (command.credit == CreditSource::none)
    return out.complete(e.ticket, answer_note(kind, Status::no_space,
                                              "no credit for " + text_of(command.bytes) + " bytes to " + rank_text(worker) +
                                                  ": " + text_of(credit_.share_free(worker)) + " are free of its share, " +
                                                  text_of(credit_.pool_free()) + " of the pool"));
  Lane& lane = routes_[worker].lane;
  command.sequence = lane.number_next();
  command.timed = number(patience) > 0;
  lane.add(command);
  out.send_message(operation(OperationKind::command, worker, command.sequence), config_.communicator, rank_of(worker),
                   tag_of(command.type), write_frame(command.type, identity(worker, command.sequence), payload).value());
  if (command.timed) out.arm(operation(OperationKind::deadline, worker, command.sequence), e.now + patience);
}

// The executor cannot be told: what it has been sent it does, and its reply is dropped.
template <class O>
void Hub::cancel(const event::Submitted& e, O& out) {
  for (std::uint32_t worker = 0; worker < workers(); ++worker)
    for (Command& command : routes_[worker].lane.commands()) {
      if (command.given_up || number(command.ticket) != e.call.ticket) continue;
      give_up(worker, command, Status::cancelled, "cancelled by the caller", out);
      return out.complete(e.ticket, answer_note(CallKind::cancel, Status::ok, {}));
    }
  out.complete(e.ticket, answer_note(CallKind::cancel, Status::not_found, "no task or control of that ticket is under way"));
}

// any --cancel--> failed (P-A4, P-X7)
template <class O>
void Hub::cancel_route(const event::Submitted& e, O& out) {
  if (e.call.a < 0 || e.call.a >= workers())
    return out.complete(e.ticket,
                        answer_note(CallKind::cancel_route, Status::invalid, "there is no worker " + text_of(e.call.a)));
  if (state_ != HubState::open)
    return out.complete(e.ticket, answer_note(CallKind::cancel_route, Status::unavailable, "the session is not open"));
  fail(static_cast<std::uint32_t>(e.call.a), Status::cancelled, "cancelled by the caller", out);
  out.complete(e.ticket, answer_note(CallKind::cancel_route, Status::ok, {}));
}

// Its caller is answered; the frame keeps its credit until it is sent, and its place in the window until its reply is here.
template <class O>
void Hub::give_up(std::uint32_t worker, Command& command, Status status, std::string text, O& out) {
  if (command.timed) out.cancel(operation(OperationKind::deadline, worker, command.sequence));
  command.timed = false;
  command.given_up = true;
  const CallKind kind = command.type == FrameType::task ? CallKind::submit : CallKind::control;
  out.complete(command.ticket, command_answer(kind, {status, 0, worker, command.sequence, {}, std::move(text)}));
}

inline void Hub::give_back(std::uint32_t worker, Command& command) {
  credit_.give_back(worker, command.bytes, std::exchange(command.credit, CreditSource::none));
}

// What is sent needs no credit any more.
template <HubPorts O>
void Hub::on(const event::MessageSent& e, O& out) {
  const std::uint32_t worker = worker_of(e.op);
  if (worker >= workers() || routes_[worker].lost || routes_[worker].left) return;
  Route& route = routes_[worker];
  const bool is_beat = e.op == operation(OperationKind::beat, worker, route.beats) && route.beating;
  const bool is_end = route.told_to_leave != 0 && e.op == operation(OperationKind::command, worker, route.told_to_leave);
  Command* const command = kind_of(e.op) == OperationKind::command ? route.lane.find(number_of(e.op)) : nullptr;
  if (command) give_back(worker, *command);
  if (is_beat) route.beating = false;
  if (!command && !is_beat && !is_end) return;
  if (e.status != Status::ok)
    return lose(worker, Status::peer_lost, "a message could not be sent: " + std::string(e.text.text()), out);
  if (is_end) route.told = true;
  leave_in_silence(worker, out);
}

}  // namespace tenter::control
