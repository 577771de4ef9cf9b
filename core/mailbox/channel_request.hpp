// Channel, a request through the lane: check, queue, publish, wait, re-read the group word, copy the answer, release the lane.
#pragma once
#include <algorithm>

#include "core/mailbox/channel.hpp"
#include "core/mailbox/operation.hpp"
#include "core/mailbox/vector.hpp"

namespace tenter::mailbox {

template <ChannelPorts O>
void Channel::on(const event::Submitted& e, O& out) {
  call(e.call, no_role, number(e.ticket), e.now, out);
}

// any --call--> checked whole before anything shared is touched, then into the lane, into the queue, or refused
template <class O>
void Channel::call(const Note& note, Role from, std::uint64_t ticket, Time now, O& out) {
  auto read = read_request(note);
  if (!read) return answer(from, ticket, answer_error(read.error().status, "InvalidRequest", read.error().what), out);
  const Duration patience = number(read->patience) == 0 ? config_.deadline : read->patience;
  LaneCall call{from, ticket, read->opcode, read->target, read->rank, now + patience, std::move(read->payloads)};
  if (auto refused = check_call(call, config_.world))
    return answer(from, ticket, answer_error(refused->status, "InvalidRequest", refused->what), out);
  switch (state_) {
    case ChannelState::starting:
      return answer(from, ticket, not_started_note(), out);
    case ChannelState::closed:
      return answer(from, ticket, closed_note(call), out);
    case ChannelState::terminal:
      return answer(from, ticket, terminal_note(call, reason_, Status::peer_lost), out);
    case ChannelState::idle:
      return begin(std::move(call), out);
    default:
      break;
  }
  if (call.opcode != Opcode::shutdown && closing()) return answer(from, ticket, closing_note(), out);
  if (queue_.full()) return answer(from, ticket, queue_full_note(), out);
  queue_.push_back(std::move(call));
  watch_queue(out);
}

// idle --call--> waiting. The error length is 0 whenever the lane is idle, so no reason that rank 0 writes meanwhile is wiped.
template <class O>
void Channel::begin(LaneCall call, O& out) {
  current_ = std::move(call);
  busy_ = true;
  ++sequence_;
  out.write_region(layout::request_fields, request_header(current_, sequence_));
  out.write_region(layout::request_vector, vector_prefix(current_.payloads));
  std::uint64_t offset = layout::request_vector + prefix_bytes(current_.payloads.size());
  for (const Blob& payload : current_.payloads) {
    if (payload.empty()) continue;
    out.write_region(offset, payload);
    offset += payload.size();
  }
  const std::uint32_t ready = number(ready_state(current_.opcode));
  out.publish(request_word, ready);
  out.arm(operation(ChannelOperation::deadline), current_.deadline);
  out.watch(operation(ChannelOperation::lane, sequence_), request_word, ready);
  state_ = ChannelState::waiting;
}

template <ChannelPorts O>
void Channel::on(const event::WordChanged& e, O& out) {
  const bool of_this_request = e.op == operation(kind_of<ChannelOperation>(e.op), sequence_, index_of(e.op));
  switch (kind_of<ChannelOperation>(e.op)) {
    case ChannelOperation::group:
      return group_changed(e.now, e.value, out);
    case ChannelOperation::lane:
      // index 0: what it is after *_READY; index 1: after TASK_ACCEPTED
      if (of_this_request &&
          ((state_ == ChannelState::waiting && index_of(e.op) == 0) || (state_ == ChannelState::accepted && index_of(e.op) == 1)))
        lane_changed(e.value, out);
      return;
    case ChannelOperation::reread:
      if (of_this_request && (state_ == ChannelState::taking || state_ == ChannelState::failing))
        group_reread(e.now, e.value, out);
      return;
    case ChannelOperation::error_length:
      if (of_this_request) error_length_seen(e, out);
      return;
    default:
      return;
  }
}

// waiting, accepted --request word--> accepted | taking | failing | condemning
template <class O>
void Channel::lane_changed(std::uint32_t value, O& out) {
  const RequestState seen{value};
  const bool shutdown = current_.opcode == Opcode::shutdown;
  if (seen == RequestState::task_accepted) {
    state_ = ChannelState::accepted;
    return out.watch(operation(ChannelOperation::lane, sequence_, 1), request_word, value);
  }
  if (seen == (shutdown ? RequestState::shutdown_done : RequestState::task_done)) {
    state_ = ChannelState::taking;
    head_ = {};
    out.watch(operation(ChannelOperation::reread, sequence_), group_word, impossible_value);
    if (shutdown) return;
    out.copy_in(operation(ChannelOperation::lengths, sequence_), layout::response_count.offset, 8);
    out.copy_in(operation(ChannelOperation::prefix, sequence_), layout::response_vector,
                prefix_bytes(expected_replies(current_, config_.world)));
    return;
  }
  if (seen == RequestState::task_failed) {
    state_ = ChannelState::failing;
    return out.watch(operation(ChannelOperation::reread, sequence_), group_word, impossible_value);
  }
  condemn(illegal_word("request", value, state_name()), number(GroupState::ready), out);
}

// taking, failing --group word, loaded after the request word--> TERMINAL wins over whatever the request word says
template <class O>
void Channel::group_reread(Time now, std::uint32_t value, O& out) {
  const GroupState group{value};
  const bool shutdown = current_.opcode == Opcode::shutdown;
  if (group == GroupState::terminal) return explain(now, out);
  if (group != GroupState::ready && !(shutdown && group == GroupState::closed))
    return condemn(illegal_word("group", value, state_name()), value, out);
  if (state_ == ChannelState::failing)
    return out.watch(operation(ChannelOperation::error_length, sequence_), error_length_word, impossible_value);
  if (shutdown) {
    out.publish_quiet(request_word, number(RequestState::idle));
    return close(out);
  }
  head_.group_checked = true;
  take_head(now, out);
}

template <ChannelPorts O>
void Channel::on(const event::Copied& e, O& out) {
  if (e.op != operation(kind_of<ChannelOperation>(e.op), sequence_, index_of(e.op))) return;  // of an earlier request
  const bool errors = kind_of<ChannelOperation>(e.op) == ChannelOperation::errors;
  if (state_ == ChannelState::taking) return taken(e, out);
  if (state_ == ChannelState::failing && errors && index_of(e.op) == 0) return failed(e, out);
  if (state_ == ChannelState::explaining && errors && index_of(e.op) == 1) return end(reason_from_page(e.content), out);
}

// taking --lengths, prefix, one reply--> taking, or idle when it was the last
template <class O>
void Channel::taken(const event::Copied& e, O& out) {
  switch (kind_of<ChannelOperation>(e.op)) {
    case ChannelOperation::lengths:
      if (!head_.lengths.empty()) return;
      head_.lengths = e.content;
      return take_head(e.now, out);
    case ChannelOperation::prefix:
      if (!head_.prefix.empty()) return;
      head_.prefix = e.content;
      return take_head(e.now, out);
    case ChannelOperation::reply:
      if (index_of(e.op) >= replies_.size() || !replies_[index_of(e.op)].empty() || e.content.empty()) return;
      replies_[index_of(e.op)] = e.content;
      if (--copies_left_ == 0) finish(e.now, out);
      return;
    default:
      return;
  }
}

// The group word, the lengths and the prefix are here: the answer's shape is checked, then each reply is copied, once. An answer
// that breaks its format ends the group.
template <class O>
void Channel::take_head(Time now, O& out) {
  if (!head_.complete() || !replies_.empty()) return;
  auto lengths = check_response(head_, expected_replies(current_, config_.world));
  if (!lengths) return condemn(broken_answer(lengths.error().what), number(GroupState::ready), out);
  replies_.assign(lengths->size(), Blob());
  copies_left_ = 0;
  std::uint64_t offset = layout::response_vector + prefix_bytes(lengths->size());
  for (std::uint32_t i = 0; i < lengths->size(); ++i) {
    if ((*lengths)[i] == 0) continue;
    ++copies_left_;
    out.copy_in(operation(ChannelOperation::reply, sequence_, i), offset, (*lengths)[i]);
    offset += (*lengths)[i];
  }
  if (copies_left_ == 0) finish(now, out);
}

// taking --all copied--> idle, or waiting with the next call of the queue
template <class O>
void Channel::finish(Time now, O& out) {
  out.publish_quiet(request_word, number(RequestState::idle));
  answer(current_.from, current_.ticket, answer_note(Status::ok, Parts(std::exchange(replies_, {}))), out);
  next(now, out);
}

// failing --error list copied--> the call fails, the group lives. The length goes back to 0 while the area is still ours.
template <class O>
void Channel::failed(const event::Copied& e, O& out) {
  out.publish_quiet(error_length_word, 0);
  out.publish_quiet(request_word, number(RequestState::idle));
  answer(current_.from, current_.ticket, answer_note(Status::failed, {}, reason_from_page(e.content)), out);
  next(e.now, out);
}

// --the lane is free--> idle, or waiting with the first call of the queue that still has time
template <class O>
void Channel::next(Time now, O& out) {
  current_ = {};
  busy_ = false;
  state_ = ChannelState::idle;
  while (!queue_.empty() && !busy_) {
    LaneCall call = std::move(queue_[0]);
    queue_.erase(0);
    if (call.deadline <= now)
      answer(call.from, call.ticket, timed_out_in_queue(call), out);
    else
      begin(std::move(call), out);
  }
  if (!busy_) out.cancel(operation(ChannelOperation::deadline));
  watch_queue(out);
}

// One timer for the whole queue, at its earliest deadline.
template <class O>
void Channel::watch_queue(O& out) {
  Time earliest = end_of_time;
  for (const LaneCall& call : queue_) earliest = std::min(earliest, call.deadline);
  if (earliest == queue_deadline_) return;
  queue_deadline_ = earliest;
  if (earliest == end_of_time)
    out.cancel(operation(ChannelOperation::queue_deadline));
  else
    out.arm(operation(ChannelOperation::queue_deadline), earliest);
}

// --the earliest deadline of the queue--> those whose time is over fail, alone: nothing of them was ever published
template <class O>
void Channel::queue_timed_out(Time now, O& out) {
  queue_deadline_ = end_of_time;
  for (std::size_t i = 0; i < queue_.size();) {
    if (queue_[i].deadline > now) {
      ++i;
      continue;
    }
    answer(queue_[i].from, queue_[i].ticket, timed_out_in_queue(queue_[i]), out);
    queue_.erase(i);
  }
  watch_queue(out);
}

template <class O>
void Channel::answer(Role from, std::uint64_t ticket, Note outcome, O& out) {
  outcome.ticket = ticket;
  if (from == no_role)
    out.complete(Ticket{ticket}, std::move(outcome));
  else
    out.tell(from, std::move(outcome));
}

inline bool Channel::closing() const {
  if (busy_ && current_.opcode == Opcode::shutdown) return true;
  return std::any_of(queue_.begin(), queue_.end(), [](const LaneCall& call) { return call.opcode == Opcode::shutdown; });
}

}  // namespace tenter::mailbox
