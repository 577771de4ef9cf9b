// Channel, the end of the group: a deadline, an illegal value or Launch's news lead to TERMINAL, once and for good, with the
// first reason. Who loses the race for TERMINAL takes the winner's reason from the page.
#pragma once
#include "core/mailbox/channel.hpp"
#include "core/mailbox/operation.hpp"

namespace tenter::mailbox {

template <ChannelPorts O>
void Channel::on(const event::Told& e, O& out) {
  if (is(e.note, NoteKind::request)) return call(e.note, e.from, e.note.ticket, e.now, out);
  if (e.from != config_.launch) return;
  if (is(e.note, NoteKind::group_ready) && state_ == ChannelState::starting) {  // starting --READY was seen--> idle
    state_ = ChannelState::idle;
    return out.watch(operation(ChannelOperation::group), group_word, number(GroupState::ready));
  }
  if (is(e.note, NoteKind::culprit) && state_ == ChannelState::blaming) return blamed(e.note.text, out);
  if (!is(e.note, NoteKind::group_broken)) return;
  switch (state_) {
    case ChannelState::starting:
      return end(reason_from_page(e.note.text), out);
    case ChannelState::blaming:  // whoever died names itself
      return blamed(e.note.text, out);
    case ChannelState::idle:
    case ChannelState::waiting:
    case ChannelState::accepted:
    case ChannelState::taking:
    case ChannelState::failing:
      return condemn(broken_by_launch(e.note.text), number(GroupState::ready), out);
    default:
      return;  // ending already, with the first reason
  }
}

// idle .. failing --group word--> explaining when it is TERMINAL; a value that nobody may write makes it TERMINAL
template <class O>
void Channel::group_changed(Time now, std::uint32_t value, O& out) {
  switch (state_) {
    case ChannelState::idle:
    case ChannelState::waiting:
    case ChannelState::accepted:
    case ChannelState::taking:
    case ChannelState::failing:
      break;
    default:
      return;
  }
  if (GroupState{value} == GroupState::terminal) return explain(now, out);
  if (GroupState{value} == GroupState::closed && busy_ && current_.opcode == Opcode::shutdown) return;  // SHUTDOWN_DONE follows
  condemn(illegal_word("group", value, state_name()), value, out);
}

template <ChannelPorts O>
void Channel::on(const event::TimerFired& e, O& out) {
  switch (kind_of<ChannelOperation>(e.op)) {
    case ChannelOperation::queue_deadline:
      if (!queue_.empty()) queue_timed_out(e.now, out);
      return;
    case ChannelOperation::deadline:
      if (state_ == ChannelState::waiting || state_ == ChannelState::accepted || state_ == ChannelState::taking ||
          state_ == ChannelState::failing)
        look_first(e.now, out);
      return;
    case ChannelOperation::patience:
      if (state_ == ChannelState::blaming) blamed({}, out);
      if (state_ == ChannelState::explaining) end(missing_reason("it was not complete in time"), out);
      return;
    default:
      return;
  }
}

// waiting .. failing --deadline--> blaming: TERMINAL makes the ranks leave, and who was stopped could not be told any more
template <class O>
void Channel::look_first(Time now, O& out) {
  failure_ = deadline_failure(current_, sequence_);
  blame(now, out);
}

// blaming --the culprit, or nobody--> terminal; before TERMINAL is ours: condemning
template <class O>
void Channel::blamed(const Blob& errors, O& out) {
  if (won_) return end(reason_with(failure_, errors), out);
  out.cancel(operation(ChannelOperation::patience));
  failure_.found = errors;
  failure_.looked = true;
  condemn(LaneFailure(failure_), number(GroupState::ready), out);
}

// idle .. failing, blaming --something is broken--> condemning
template <class O>
void Channel::condemn(LaneFailure failure, std::uint32_t expected, O& out) {
  failure_ = std::move(failure);
  state_ = ChannelState::condemning;
  expected_ = expected;
  attempts_ = 0;
  out.publish_if(operation(ChannelOperation::condemn, sequence_), group_word, expected, number(GroupState::terminal));
}

template <ChannelPorts O>
void Channel::on(const event::Swapped& e, O& out) {
  if (state_ == ChannelState::condemning && e.op == operation(ChannelOperation::condemn, sequence_, attempts_))
    return condemned(e, out);
  if (state_ == ChannelState::withdrawing && e.op == operation(ChannelOperation::withdraw, sequence_)) return withdrawn(e, out);
}

// condemning --won--> withdrawing (a request is in the lane) | blaming; --lost--> explaining, or closed after a SHUTDOWN
template <class O>
void Channel::condemned(const event::Swapped& e, O& out) {
  if (e.seen != expected_) {
    const GroupState seen{e.seen};
    if (seen == GroupState::terminal) return explain(e.now, out);
    if (seen == GroupState::closed && busy_ && current_.opcode == Opcode::shutdown) return close(out);
    if (++attempts_ < condemn_attempts_max) {  // a stranger writes the word; TERMINAL must still stick
      expected_ = e.seen;
      return out.publish_if(operation(ChannelOperation::condemn, sequence_, attempts_), group_word, e.seen,
                            number(GroupState::terminal));
    }
    out.publish(group_word, number(GroupState::terminal));
  }
  won_ = true;
  if (!busy_) {
    out.publish(request_word, number(RequestState::task_failed));  // wakes a parked rank 0
    return blame(e.now, out);
  }
  state_ = ChannelState::withdrawing;
  out.publish_if(operation(ChannelOperation::withdraw, sequence_), request_word, number(RequestState::task_accepted),
                 number(RequestState::task_failed));
}

// withdrawing --what the request word held--> blaming: it is the phase that the request had reached
template <class O>
void Channel::withdrawn(const event::Swapped& e, O& out) {
  failure_.phase = e.seen;
  failure_.phase_known = true;
  if (RequestState{e.seen} != RequestState::task_accepted) out.publish(request_word, number(RequestState::task_failed));
  blame(e.now, out);
}

// --> blaming, unless Launch named the culprit already
template <class O>
void Channel::blame(Time now, O& out) {
  if (!failure_.culprit.empty()) return end(reason_with(failure_, failure_.culprit), out);
  if (failure_.looked) return end(reason_with(failure_, failure_.found), out);
  state_ = ChannelState::blaming;
  out.tell(config_.launch, text_note(NoteKind::who_is_to_blame, reason_of(failure_)));
  out.arm(operation(ChannelOperation::patience), now + config_.blame_wait);
}

// --another set TERMINAL--> explaining: its reason is complete when the error length is not 0
template <class O>
void Channel::explain(Time now, O& out) {
  state_ = ChannelState::explaining;
  failure_ = {};
  failure_.status = Status::peer_lost;
  out.publish(request_word, number(RequestState::task_failed));
  out.watch(operation(ChannelOperation::error_length, sequence_, 1), error_length_word, 0);
  out.arm(operation(ChannelOperation::patience), now + config_.reason_wait);
}

// failing, explaining --error length--> the list is copied, once its length is believable
template <class O>
void Channel::error_length_seen(const event::WordChanged& e, O& out) {
  const std::uint32_t which = index_of(e.op);
  if (state_ != (which == 0 ? ChannelState::failing : ChannelState::explaining)) return;
  if (e.value >= 1 && e.value <= layout::error_bytes_max)
    return out.copy_in(operation(ChannelOperation::errors, sequence_, which), layout::error_area, e.value);
  if (which == 0) return condemn(illegal_error_length(e.value), number(GroupState::ready), out);
  end(missing_reason(illegal_error_length(e.value).cause), out);
}

// --the reason is known--> terminal: the call in the lane and every waiting one end with it, later ones at once
template <class O>
void Channel::end(Blob reason, O& out) {
  const bool told_by_launch = state_ == ChannelState::starting;
  reason_ = std::move(reason);
  state_ = ChannelState::terminal;
  release_watches(out);
  if (won_ && !busy_) {  // nobody else may write the error area while the lane is idle
    out.write_region(layout::error_area, reason_);
    out.publish(error_length_word, static_cast<std::uint32_t>(reason_.size()));
  }
  if (busy_) answer(current_.from, current_.ticket, answer_note(failure_.status, {}, reason_), out);
  busy_ = false;
  current_ = {};
  head_ = {};
  replies_.clear();
  for (const LaneCall& call : queue_) answer(call.from, call.ticket, terminal_note(call, reason_, Status::peer_lost), out);
  queue_.clear();
  if (!told_by_launch) out.tell(config_.launch, text_note(NoteKind::group_ended, reason_));
}

// taking, condemning --the group is CLOSED after our SHUTDOWN--> closed
template <class O>
void Channel::close(O& out) {
  state_ = ChannelState::closed;
  release_watches(out);
  answer(current_.from, current_.ticket, answer_note(Status::ok, {}), out);
  busy_ = false;
  current_ = {};
  for (const LaneCall& call : queue_) answer(call.from, call.ticket, closed_note(call), out);
  queue_.clear();
  out.tell(config_.launch, plain_note(NoteKind::group_closed));
}

template <class O>
void Channel::release_watches(O& out) {
  queue_deadline_ = end_of_time;
  out.cancel(operation(ChannelOperation::deadline));
  out.cancel(operation(ChannelOperation::queue_deadline));
  out.cancel(operation(ChannelOperation::patience));
  out.unwatch(operation(ChannelOperation::group));
  out.unwatch(operation(ChannelOperation::lane, sequence_, 0));
  out.unwatch(operation(ChannelOperation::lane, sequence_, 1));
  out.unwatch(operation(ChannelOperation::error_length, sequence_, 1));
}

}  // namespace tenter::mailbox
