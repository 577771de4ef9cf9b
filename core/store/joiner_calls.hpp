// Joiner: the calls, their deadlines, and their one answer.
#pragma once
#include "core/store/joiner.hpp"
#include "core/text.hpp"

namespace tenter::store {

template <JoinerPorts O>
void Joiner::on(const event::Submitted& e, O& out) {
  if (const auto call = read_join(e.call)) return join(e, *call, out);
  if (const auto variable = read_leave(e.call)) return leave(e, *variable, out);
  out.complete(e.ticket, answer_note(CallKind::join, Status::invalid, "join: no call that a Joiner knows"));
}

template <class O>
void Joiner::join(const event::Submitted& e, const JoinCall& call, O& out) {
  const std::string who = "join \"" + std::string(call.variable.text()) + "\": ";
  if (const auto file = record_file_name(call.variable.text()); !file)
    return out.complete(e.ticket, answer_note(CallKind::join, file.error().status, who + file.error().what));
  if (const JoinUnderWay* same = named(call.variable)) {  // the same join: nothing is created
    const bool there = same->stage == JoinStage::joined;
    return out.complete(e.ticket, there
                                      ? answer_note(CallKind::join, Status::ok, {})
                                      : answer_note(CallKind::join, Status::exists, who + "it is being joined or left already"));
  }
  JoinUnderWay begun;
  begun.call = call;
  begun.ticket = e.ticket;
  begun.number = begun.deadline = ++sequence_;
  begun.look_again = config_.first_look_again;
  begun.last = "nothing was looked at yet";
  out.arm(operation(JoinerOperation::deadline, begun.deadline), e.now + call.patience);
  joins_.push_back(std::move(begun));
  read_record(joins_.back(), out);
}

template <class O>
void Joiner::leave(const event::Submitted& e, const Blob& variable, O& out) {
  JoinUnderWay* join = named(variable);
  const std::string who = "leave \"" + std::string(variable.text()) + "\": ";
  if (!join) return out.complete(e.ticket, answer_note(CallKind::leave, Status::not_found, who + "it is not joined"));
  if (join->stage != JoinStage::joined)
    return out.complete(e.ticket, answer_note(CallKind::leave, Status::unavailable, who + "it is being joined or left already"));
  join->ticket = e.ticket;
  undo(*join, Status::ok, out);
}

// From here on only the Reader's `detached` is awaited.
template <class O>
void Joiner::undo(JoinUnderWay& join, Status status, O& out) {
  join.stage = JoinStage::undoing;
  join.status = status;
  out.tell(config_.reader, number_note(NoteKind::detach, join.number));
}

// Nothing of it is left: it is answered and forgotten.
template <class O>
void Joiner::finish(JoinUnderWay& join, Status status, const std::string& text, O& out) {
  out.cancel(operation(JoinerOperation::deadline, join.deadline));
  if (join.stage == JoinStage::waiting) out.cancel(operation(JoinerOperation::look, join.awaited));
  out.complete(join.ticket,
               answer_note(CallKind::join, status, "join \"" + std::string(join.call.variable.text()) + "\": " + text));
  forget(join.number);
  let_go(out);
}

template <JoinerPorts O>
void Joiner::on(const event::TimerFired& e, O& out) {
  for (JoinUnderWay& join : joins_) {
    if (join.stage == JoinStage::waiting && e.op == operation(JoinerOperation::look, join.awaited)) {
      join.stage = JoinStage::listing;
      join.awaited = ++sequence_;
      return out.list_files(operation(JoinerOperation::list, join.awaited), Blob());
    }
    if (e.op != operation(JoinerOperation::deadline, join.deadline)) continue;
    if (join.stage == JoinStage::undoing && join.status == Status::unavailable) join.status = Status::timed_out;
    if (join.stage == JoinStage::joined || join.stage == JoinStage::undoing) return;
    if (join.stage == JoinStage::attaching) join.last = join.about + "its ranks did not answer their probes";
    if (join.stage == JoinStage::announcing) join.last = join.about + "the lease was not written";
    if (join.stage == JoinStage::attaching || join.stage == JoinStage::announcing) return undo(join, Status::timed_out, out);
    return finish(join, Status::timed_out, "not there by the deadline; last: " + join.last, out);
  }
}

template <JoinerPorts O>
void Joiner::on(const event::Told& e, O& out) {
  if (e.from == config_.beacon) {
    if (is(e.note, NoteKind::announced) && lease_ == LeaseState::writing) return announced(e.note, out);
    if (is(e.note, NoteKind::withdrawn) && lease_ == LeaseState::withdrawing) {
      lease_ = LeaseState::none;
      for (const Ticket ticket : std::exchange(leaving_, {})) out.complete(ticket, answer_note(CallKind::leave, Status::ok, {}));
      return announce(out);  // for who came meanwhile
    }
    return;
  }
  JoinUnderWay* join = numbered(static_cast<std::uint64_t>(e.note.a));
  if (e.from != config_.reader || !join) return;
  if (is(e.note, NoteKind::attached) && join->stage == JoinStage::attaching) return attached(*join, e, out);
  if (!is(e.note, NoteKind::detached) || join->stage != JoinStage::undoing) return;
  if (join->status == Status::ok) {  // a leave
    leaving_.push_back(join->ticket);
    forget(join->number);
    return let_go(out);
  }
  if (join->status == Status::unavailable) {  // its lease could not be written: another look
    wait(*join, e.now, out);
    return let_go(out);  // who held the lease may have left meanwhile
  }
  finish(*join, join->status, "not there by the deadline; last: " + join->last, out);
}

template <class O>
void Joiner::attached(JoinUnderWay& join, const event::Told& e, O& out) {
  if (e.note.status == Status::ok) {
    join.stage = JoinStage::announcing;
    return announce(out);
  }
  join.last = join.about + std::string(e.note.text.text());
  explain(join, out);
}

}  // namespace tenter::store
