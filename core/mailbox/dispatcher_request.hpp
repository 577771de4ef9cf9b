// Dispatcher, one request: seen, copied to private memory, the copy validated, accepted, worked on by the group, answered.
#pragma once
#include "core/mailbox/dispatcher.hpp"
#include "core/mailbox/operation.hpp"
#include "core/mailbox/vector.hpp"

namespace tenter::mailbox {

// --> parked: waits for the request word to differ from `lane`
template <class O>
void Dispatcher::park(std::uint32_t lane, O& out) {
  state_ = DispatcherState::parked;
  lane_ = lane;
  out.watch(operation(DispatcherOperation::lane, ++looks_), request_word, lane);
}

// parked --request word--> reading | parked (the answer was taken) | condemning (a value that nobody may write now)
template <class O>
void Dispatcher::lane_changed(std::uint32_t value, O& out) {
  const RequestState seen{value};
  const RequestState was{lane_};
  if (was != RequestState::idle)
    out.cancel(operation(DispatcherOperation::stall));  // whatever it is now, the answer does not wait any more
  lane_ = value;
  if (seen == RequestState::idle) return park(value, out);
  if (seen != RequestState::request_ready && seen != RequestState::shutdown_ready)
    return condemn(illegal_word_reason("request", value, state_name()), number(GroupState::ready), out);
  state_ = DispatcherState::reading;
  request_ = {};
  out.copy_in(operation(DispatcherOperation::fields, looks_), layout::request_fields, layout::request_fields_bytes);
}

// reading --fields, vector--> accepting: from here on only the private copy counts
template <class O>
void Dispatcher::read(const event::Copied& e, O& out) {
  if (e.op == operation(DispatcherOperation::fields, looks_) && request_.bytes == 0) {
    auto request = check_request(e.content.bytes(), RequestState{lane_}, last_sequence_, world_);
    if (!request) return condemn(reason_list("BrokenRequest", request.error().what), number(GroupState::ready), out);
    request_ = *request;
    return out.copy_in(operation(DispatcherOperation::vector, looks_), layout::request_vector, request_.bytes);
  }
  if (e.op != operation(DispatcherOperation::vector, looks_) || request_.bytes == 0) return;
  auto envelope = make_envelope(request_, e.content);
  if (!envelope) return condemn(reason_list("BrokenRequest", envelope.error().what), number(GroupState::ready), out);
  envelope_ = std::move(*envelope);
  state_ = DispatcherState::accepting;
  out.publish_if_quiet(operation(DispatcherOperation::accept, looks_), request_word, lane_, number(RequestState::task_accepted));
}

// accepting --swapped--> gathering; another value is the parent's TASK_FAILED after TERMINAL, or a stranger's
template <class O>
void Dispatcher::accepted(std::uint32_t seen, O& out) {
  if (seen != lane_) return condemn(illegal_word_reason("request", seen, state_name()), number(GroupState::ready), out);
  lane_ = number(RequestState::task_accepted);
  last_sequence_ = request_.sequence;
  state_ = DispatcherState::gathering;
  out.tell(config_.member, text_note(NoteKind::round, std::exchange(envelope_, {})));
}

// gathering --a record of every rank--> completing | closing | condemning
template <class O>
void Dispatcher::gathered(const Parts& records, O& out) {
  Verdict verdict = judge(records, request_, world_);
  switch (verdict.kind) {
    case Verdict::Kind::transport:
      return condemn(std::move(verdict.errors), number(GroupState::ready), out);
    case Verdict::Kind::application: {
      const auto length = static_cast<std::uint32_t>(verdict.errors.size());
      out.write_region(layout::error_area, std::move(verdict.errors));
      out.publish_quiet(error_length_word, length);
      return complete(RequestState::task_failed, out);
    }
    case Verdict::Kind::replies:
      break;
  }
  if (request_.opcode == Opcode::shutdown) {
    state_ = DispatcherState::closing;
    return out.publish_if(operation(DispatcherOperation::close, looks_), group_word, number(GroupState::ready),
                          number(GroupState::closed));
  }
  out.write_region(layout::response_count.offset, response_lengths(verdict.replies));
  out.write_region(layout::response_vector, vector_prefix(verdict.replies));
  std::uint64_t offset = layout::response_vector + prefix_bytes(verdict.replies.size());
  for (const Blob& reply : verdict.replies) {
    if (reply.empty()) continue;
    out.write_region(offset, reply);
    offset += reply.size();
  }
  complete(RequestState::task_done, out);
}

// closing --READY -> CLOSED--> completing; TERMINAL came first--> left
template <class O>
void Dispatcher::closed(std::uint32_t seen, O& out) {
  if (GroupState{seen} == GroupState::terminal) return leave(false, out);
  if (GroupState{seen} != GroupState::ready) return condemn(illegal_word_reason("group", seen, state_name()), seen, out);
  closed_ = true;
  complete(RequestState::shutdown_done, out);
}

template <class O>
void Dispatcher::complete(RequestState outcome, O& out) {
  state_ = DispatcherState::completing;
  outcome_ = outcome;
  lane_ = number(outcome);
  out.publish_if(operation(DispatcherOperation::complete, looks_), request_word, number(RequestState::task_accepted),
                 number(outcome));
}

// completing --swapped--> parked, or left after SHUTDOWN; another value than TASK_ACCEPTED means that the parent gave up
template <class O>
void Dispatcher::completed(Time now, std::uint32_t seen, O& out) {
  if (outcome_ == RequestState::shutdown_done) return leave(true, out);
  if (seen != number(RequestState::task_accepted)) {
    lane_ = seen;
    return condemn(illegal_word_reason("request", seen, state_name()), number(GroupState::ready), out);
  }
  out.arm(operation(DispatcherOperation::stall), now + config_.stall);
  park(number(outcome_), out);
}

template <DispatcherPorts O>
void Dispatcher::on(const event::WordChanged& e, O& out) {
  switch (kind_of<DispatcherOperation>(e.op)) {
    case DispatcherOperation::group:
      return group_changed(e.value, out);
    case DispatcherOperation::lane:
      if (e.op != operation(DispatcherOperation::lane, looks_)) return;
      if (state_ == DispatcherState::parked) return lane_changed(e.value, out);
      if (state_ == DispatcherState::attaching) {
        lane_ = e.value;
        lane_known_ = true;
        attach(out);
      }
      return;
    case DispatcherOperation::doubt:  // doubting --still not taken--> condemning; --taken meanwhile--> as if parked
      if (state_ != DispatcherState::doubting || e.op != operation(DispatcherOperation::doubt, looks_)) return;
      if (e.value == lane_) return condemn(stalled_reason(last_sequence_), number(GroupState::ready), out);
      return lane_changed(e.value, out);
    default:
      return;
  }
}

template <DispatcherPorts O>
void Dispatcher::on(const event::Copied& e, O& out) {
  if (state_ == DispatcherState::reading) return read(e, out);
  if (state_ != DispatcherState::attaching) return;
  if (e.op == operation(DispatcherOperation::identity)) head_.identity = e.content;
  if (e.op == operation(DispatcherOperation::fields)) head_.middle = e.content;
  if (e.op == operation(DispatcherOperation::reserved)) head_.reserved = e.content;
  attach(out);
}

template <DispatcherPorts O>
void Dispatcher::on(const event::Swapped& e, O& out) {
  const auto kind = kind_of<DispatcherOperation>(e.op);
  const auto awaited = [&](DispatcherState state, DispatcherOperation what, std::uint32_t index = 0) {
    return state_ == state && kind == what && e.op == operation(what, looks_, index);
  };
  if (awaited(DispatcherState::announcing, DispatcherOperation::announce)) return announced(e.seen, out);
  if (awaited(DispatcherState::accepting, DispatcherOperation::accept)) return accepted(e.seen, out);
  if (awaited(DispatcherState::closing, DispatcherOperation::close)) return closed(e.seen, out);
  if (awaited(DispatcherState::completing, DispatcherOperation::complete)) return completed(e.now, e.seen, out);
  if (awaited(DispatcherState::condemning, DispatcherOperation::condemn, attempts_)) return condemned(e.seen, out);
  if (awaited(DispatcherState::releasing, DispatcherOperation::release, attempts_)) return released(e.seen, out);
}

// parked --an answer was not taken for too long--> doubting: it may have been taken without a wake, so the word is loaded
template <DispatcherPorts O>
void Dispatcher::on(const event::TimerFired& e, O& out) {
  if (state_ != DispatcherState::parked || e.op != operation(DispatcherOperation::stall)) return;
  if (RequestState{lane_} == RequestState::idle) return;
  state_ = DispatcherState::doubting;
  out.unwatch(operation(DispatcherOperation::lane, looks_));
  out.watch(operation(DispatcherOperation::doubt, ++looks_), request_word, impossible_value);
}

}  // namespace tenter::mailbox
