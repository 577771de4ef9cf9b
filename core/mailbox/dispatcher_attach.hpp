// Dispatcher, attaching: the page is opened and refused unless every byte that the creator fixed is as it must be; then READY,
// or TERMINAL with the reasons of the ranks that are not ready.
#pragma once
#include "core/mailbox/dispatcher.hpp"
#include "core/mailbox/operation.hpp"

namespace tenter::mailbox {

// unattached --the ranks are there--> opening; gathering --the round is over--> completing, closing or condemning
template <DispatcherPorts O>
void Dispatcher::on(const event::Told& e, O& out) {
  if (e.from != config_.member) return;
  if (state_ == DispatcherState::unattached) {
    auto order = read_attach(e.note);
    if (!order) return;
    world_ = order->world;
    reason_ = order->reasons;
    state_ = DispatcherState::opening;
    return out.open_page(operation(DispatcherOperation::open), order->page);
  }
  if (state_ == DispatcherState::gathering && is(e.note, NoteKind::gathered)) return gathered(e.note.parts, out);
  if (state_ == DispatcherState::gathering && is(e.note, NoteKind::collective_failed))
    condemn(collective_reason(e.note.text.text(), static_cast<std::uint64_t>(e.note.a), e.note.status), number(GroupState::ready),
            out);
}

// opening --found, whole--> attaching
template <DispatcherPorts O>
void Dispatcher::on(const event::PageOpened& e, O& out) {
  if (state_ != DispatcherState::opening || e.op != operation(DispatcherOperation::open)) return;
  if (e.status != Status::ok) return refuse(e.text.text(), out);
  if (e.bytes != layout::page_bytes) return refuse(wrong_size(e.bytes), out);
  state_ = DispatcherState::attaching;
  head_ = {};
  out.copy_in(operation(DispatcherOperation::identity), 0, layout::group_state.offset);
  out.copy_in(operation(DispatcherOperation::fields), layout::gap.offset, layout::error_length.offset - layout::gap.offset);
  out.copy_in(operation(DispatcherOperation::reserved), layout::reserved.offset, layout::reserved.bytes);
  out.watch(operation(DispatcherOperation::lane, ++looks_), request_word, impossible_value);
}

// attaching --identity, gap and fields, reserved bytes, request word--> announcing, or left when one of them is wrong
template <class O>
void Dispatcher::attach(O& out) {
  if (!head_.complete() || !lane_known_) return;
  if (auto wrong = check_page(head_, lane_, world_)) return refuse(*wrong, out);
  head_ = {};
  state_ = DispatcherState::announcing;
  expected_ = number(GroupState::initializing);
  const GroupState next = reason_.empty() ? GroupState::ready : GroupState::terminal;
  out.publish_if(operation(DispatcherOperation::announce, looks_), group_word, expected_, number(next));
}

// --not our page, or not as it must be--> left; nothing was written into it
template <class O>
void Dispatcher::refuse(std::string_view why, O& out) {
  state_ = DispatcherState::left;
  reason_ = refused_reason(reason_, why);
  out.close_page();
  out.tell(config_.member, text_note(NoteKind::attached, reason_));
}

// announcing --swapped--> parked when READY is published, else left: the parent gave up, or we said TERMINAL ourselves
template <class O>
void Dispatcher::announced(std::uint32_t seen, O& out) {
  if (seen != expected_ && reason_.empty()) reason_ = not_ready_reason(seen);
  if (reason_.empty()) {
    out.tell(config_.member, text_note(NoteKind::attached, {}));
    out.watch(operation(DispatcherOperation::group), group_word, number(GroupState::ready));
    return park(number(RequestState::idle), out);
  }
  if (seen == expected_) {
    out.write_region(layout::error_area, reason_);
    out.publish(error_length_word, static_cast<std::uint32_t>(reason_.size()));
  }
  state_ = DispatcherState::left;
  out.close_page();
  out.tell(config_.member, text_note(NoteKind::attached, reason_));
}

}  // namespace tenter::mailbox
