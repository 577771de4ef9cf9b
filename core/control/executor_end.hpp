// Executor: the end, in order or not. Spec B3.7; P-X11, P-X12.
#pragma once
#include "core/control/executor.hpp"

namespace tenter::control {

// leaving --all answered--> parting
template <class O>
void Executor::leave_if_done(Time now, O& out) {
  if (state_ != ExecutorState::leaving || running_ || !queue_.empty()) return;
  state_ = ExecutorState::parting;
  out.cancel(operation(OperationKind::tick));
  if (can(says_goodbye)) greet(ReadyState::not_ready, out);
  out.arm(operation(OperationKind::end), now + config_.leave_patience);
  part_if_all_is_taken(out);
}

// parting --all that was said is taken--> gone
template <class O>
void Executor::part_if_all_is_taken(O& out) {
  if (state_ == ExecutorState::parting && unsent_.empty() && !beating_) end(Status::ok, {}, true, out);
}

// any --lost or not to be believed--> gone
template <class O>
void Executor::give_up(Status status, std::string text, O& out) {
  if (receiving_) out.withdraw_receive(operation(OperationKind::receive, 0, receives_));
  receiving_ = false;
  end(status, text, false, out);
}

template <class O>
void Executor::end(Status status, std::string_view text, bool orderly, O& out) {
  if (state_ == ExecutorState::gone) return;
  state_ = ExecutorState::gone;
  out.cancel(operation(OperationKind::tick));
  out.cancel(operation(OperationKind::end));
  if (serve_called_) out.complete(serve_, answer_note(CallKind::serve, status, text));
  out.exit_process(status == Status::ok ? 0 : 1, orderly);
}

}  // namespace tenter::control
