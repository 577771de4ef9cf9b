// Dispatcher, the end: TERMINAL seen or set, the parent woken, the member told to leave.
#pragma once
#include "core/mailbox/dispatcher.hpp"
#include "core/mailbox/operation.hpp"

namespace tenter::mailbox {

// parked .. completing --group word--> left when it is TERMINAL; a value that nobody may write makes it TERMINAL
template <class O>
void Dispatcher::group_changed(std::uint32_t value, O& out) {
  switch (state_) {
    case DispatcherState::unattached:
    case DispatcherState::opening:
    case DispatcherState::attaching:
    case DispatcherState::announcing:  // not watched yet
    case DispatcherState::condemning:  // its compare-exchange tells more than this watch
    case DispatcherState::releasing:
    case DispatcherState::left:
      return;
    default:
      break;
  }
  if (GroupState{value} == GroupState::terminal) return leave(false, out);
  // Our own CLOSED may be seen before the answer to its compare-exchange; a stranger's makes that one fail.
  if (GroupState{value} == GroupState::closed && (closed_ || state_ == DispatcherState::closing)) return;
  condemn(illegal_word_reason("group", value, state_name()), value, out);
}

// --something is broken--> condemning
template <class O>
void Dispatcher::condemn(Blob reason, std::uint32_t expected, O& out) {
  reason_ = std::move(reason);
  expected_ = expected;
  attempts_ = 0;
  state_ = DispatcherState::condemning;
  out.cancel(operation(DispatcherOperation::stall));
  out.publish_if(operation(DispatcherOperation::condemn, looks_), group_word, expected, number(GroupState::terminal));
}

// condemning --won--> the reason, then its length, then releasing; --lost to TERMINAL--> left, nothing written
template <class O>
void Dispatcher::condemned(std::uint32_t seen, O& out) {
  if (seen != expected_) {
    if (GroupState{seen} == GroupState::terminal || attempts_ + 1 >= claim_attempts_max) return leave(false, out);
    ++attempts_;
    expected_ = seen;
    return out.publish_if(operation(DispatcherOperation::condemn, looks_, attempts_), group_word, seen,
                          number(GroupState::terminal));
  }
  // An application error that was not taken yet is still read by the parent; it then stands for the reason.
  if (RequestState{lane_} != RequestState::task_failed) {
    out.write_region(layout::error_area, reason_);
    out.publish(error_length_word, static_cast<std::uint32_t>(reason_.size()));
  }
  attempts_ = 0;
  release(owed(lane_) ? lane_ : number(RequestState::request_ready), out);
}

// --> releasing: a request that the parent waits for fails, so that its wait ends. An idle word stays the parent's.
template <class O>
void Dispatcher::release(std::uint32_t expected, O& out) {
  expected_ = expected;
  state_ = DispatcherState::releasing;
  out.publish_if(operation(DispatcherOperation::release, looks_, attempts_), request_word, expected,
                 number(RequestState::task_failed));
}

// releasing --swapped--> left, or once more when the parent published meanwhile
template <class O>
void Dispatcher::released(std::uint32_t seen, O& out) {
  if (seen == expected_ || !owed(seen) || ++attempts_ >= claim_attempts_max) return leave(false, out);
  release(seen, out);
}

// --> left: for good. Closing the page ends its watches.
template <class O>
void Dispatcher::leave(bool orderly, O& out) {
  state_ = DispatcherState::left;
  out.cancel(operation(DispatcherOperation::stall));
  out.tell(config_.member, leave_note(orderly, reason_));
  out.close_page();
}

}  // namespace tenter::mailbox
