// Member, one round, and the end. Everything that can go wrong between the bcast and the gather becomes this rank's record, so
// that no rank leaves the collective alone.
#pragma once
#include "core/mailbox/envelope.hpp"
#include "core/mailbox/member.hpp"
#include "core/mailbox/operation.hpp"

namespace tenter::mailbox {

// --> idle (rank 0: the Dispatcher says when) | receiving
template <class O>
void Member::await_round(O& out) {
  state_ = MemberState::idle;
  if (!root()) return receive({}, out);
  if (!waiting_round_.empty()) receive(std::exchange(waiting_round_, {}), out);
}

// --> receiving
template <class O>
void Member::receive(Blob envelope, O& out) {
  state_ = MemberState::receiving;
  out.bcast(operation(MemberOperation::round, ++round_), dispatch_communicator, Rank{0}, std::move(envelope));
}

template <MemberPorts O>
void Member::on(const event::Told& e, O& out) {
  if (e.from != config_.dispatcher) return;
  switch (NoteKind{e.note.kind}) {
    case NoteKind::attached:
      if (state_ == MemberState::attaching) announce(e.note.text, out);
      return;
    case NoteKind::round:
      if (state_ == MemberState::idle && root()) receive(e.note.text, out);
      if (state_ == MemberState::announcing && root()) waiting_round_ = e.note.text;
      return;
    case NoteKind::leave:
      return told_to_leave(leave_is_orderly(e.note), e.now, out);
    default:
      return;
  }
}

template <MemberPorts O>
void Member::on(const event::CollectiveDone& e, O& out) {
  switch (state_) {
    case MemberState::receiving:
      if (e.op == operation(MemberOperation::round, round_)) received(e, out);
      return;
    case MemberState::gathering:
      if (e.op == operation(MemberOperation::gather, round_)) gathered(e, out);
      return;
    case MemberState::freeing:
      if (e.op != operation(MemberOperation::free_domain) && e.op != operation(MemberOperation::free_dispatch)) return;
      if (e.status != Status::ok) return leave(1, false, out);
      if (e.op == operation(MemberOperation::free_dispatch)) return leave(exit_code_, true, out);
      return out.free_communicator(operation(MemberOperation::free_dispatch), dispatch_communicator);
    case MemberState::leaving:
      if (e.op == operation(MemberOperation::round, round_)) leave(1, false, out);
      return;
    case MemberState::left:
      return;
    default:
      return start_collective_done(e, out);
  }
}

// receiving --envelope--> executing | gathering, or left when it is the order to leave
template <class O>
void Member::received(const event::CollectiveDone& e, O& out) {
  if (e.status != Status::ok) return collective_failed("bcast of the request", e.status, out);
  Assignment assignment = assign(e.content.bytes(), config_.rank, config_.world);
  if (assignment.leave) return leave(1, false, out);
  opcode_ = assignment.opcode;
  if (!assignment.execute) return contribute(std::move(assignment.record), out);
  reply_to_ = assignment.reply_to;
  state_ = MemberState::executing;
  out.execute(operation(MemberOperation::execute, round_), std::move(assignment.callable), std::move(assignment.argument));
}

// executing --result or error--> gathering
template <MemberPorts O>
void Member::on(const event::Executed& e, O& out) {
  if (state_ != MemberState::executing || e.op != operation(MemberOperation::execute, round_)) return;
  contribute(record_of_reply(config_.rank, std::exchange(reply_to_, {}), e.status, e.reply), out);
}

// --> gathering
template <class O>
void Member::contribute(Blob record, O& out) {
  state_ = MemberState::gathering;
  out.gather(operation(MemberOperation::gather, round_), dispatch_communicator, Rank{0}, std::move(record));
}

// gathering --done--> idle | receiving the next one; after SHUTDOWN the others free their communicators, rank 0 once told to
template <class O>
void Member::gathered(const event::CollectiveDone& e, O& out) {
  if (e.status != Status::ok) return collective_failed("gather of the records", e.status, out);
  if (root()) {
    state_ = MemberState::idle;
    return out.tell(config_.dispatcher, gathered_note(e.parts));
  }
  if (opcode_ == Opcode::shutdown) return free_communicators(out);
  await_round(out);
}

// --> idle, rank 0: the Dispatcher says TERMINAL and why, then sends us off; the others have nobody to tell
template <class O>
void Member::collective_failed(std::string_view which, Status status, O& out) {
  if (!root()) return leave(1, false, out);
  state_ = MemberState::broken;
  out.tell(config_.dispatcher, collective_failed_note(which, round_, status));
}

// --the Dispatcher's order--> freeing after SHUTDOWN | leaving: the others learn it by the next bcast, which may never end
// when one of them is gone, so its end is not waited for longer than leave_wait | left, when a round cannot be cancelled
template <class O>
void Member::told_to_leave(bool orderly, Time now, O& out) {
  if (state_ == MemberState::left || state_ == MemberState::leaving || state_ == MemberState::freeing) return;
  if (state_ != MemberState::idle) return leave(1, false, out);
  if (orderly) return free_communicators(out);
  state_ = MemberState::leaving;
  out.bcast(operation(MemberOperation::round, ++round_), dispatch_communicator, Rank{0}, write_leave_envelope());
  out.arm(operation(MemberOperation::patience), now + config_.leave_wait);
}

// --> freeing: domain communicator first, then the one that this order came over
template <class O>
void Member::free_communicators(O& out) {
  state_ = MemberState::freeing;
  out.free_communicator(operation(MemberOperation::free_domain), domain_communicator);
}

template <MemberPorts O>
void Member::on(const event::TimerFired& e, O& out) {
  if (state_ == MemberState::leaving && e.op == operation(MemberOperation::patience)) leave(1, false, out);
}

// any --the parent is gone--> left: nobody takes answers any more, and the others notice the same
template <MemberPorts O>
void Member::on(const event::ParentExited&, O& out) {
  if (state_ != MemberState::left) leave(1, false, out);
}

// --> left
template <class O>
void Member::leave(std::int32_t code, bool orderly, O& out) {
  state_ = MemberState::left;
  out.exit_process(code, orderly);
}

}  // namespace tenter::mailbox
