// Publisher: what all calls share. The intents of all ranks are compared before anything is created (S8, S9); rank 0's outcome is
// every rank's (D18).
#pragma once
#include "core/store/publisher.hpp"
#include "core/store/slot.hpp"
#include "core/text.hpp"

namespace tenter::store {

template <PublisherPorts O>
void Publisher::on(const event::Submitted& e, O& out) {
  if (const auto call = read_update(e.call)) return update(e, *call, out);
  const bool known = is(e.call, CallKind::open) || is(e.call, CallKind::close) || is(e.call, CallKind::epoch_begin) ||
                     is(e.call, CallKind::epoch_end) || read_add(e.call).has_value();
  if (!known)
    return out.complete(e.ticket, answer_note(CallKind{e.call.kind}, Status::invalid, "no call that a Publisher knows"));
  calls_.push_back({e.ticket, e.call});
  if (step_ == PublisherStep::idle) begin(out);
}

template <class O>
void Publisher::begin(O& out) {
  outcome_ = Status::ok;
  outcome_text_.clear();
  switch (kind()) {
    case CallKind::open:
      return open(out);
    case CallKind::add:
      return agree_on(intent_to_add(), out);
    case CallKind::epoch_begin:
    case CallKind::epoch_end:
      return agree_on(intent_of_epoch(), out);
    default:
      return agree_on({open_ ? Status::ok : Status::unavailable, open_ ? "" : "the store is not open", "close", {}}, out);
  }
}

template <class O>
void Publisher::agree_on(Intent intent, O& out) {
  gather(std::move(intent), PublisherStep::agreeing, out);
}

template <PublisherPorts O>
void Publisher::on(const event::CollectiveDone& e, O& out) {
  if (e.op != op(PublisherOperation::collective)) return;
  if (step_ == PublisherStep::agreeing) return agreed(e, out);
  if (step_ == PublisherStep::sharing) return shared(e, out);
  if (step_ == PublisherStep::concluding) return concluded(e, out);
  if (step_ == PublisherStep::leaving) {  // every rank's Reader is done: nobody of this job reads from here
    step_ = PublisherStep::closing;
    ++sequence_;
    out.close_fabric(op(PublisherOperation::local), Endpoint{endpoint_});
  }
}

template <class O>
void Publisher::agreed(const event::CollectiveDone& e, O& out) {
  const auto intents =
      e.status == Status::ok ? agree(e.parts) : Result<std::vector<Intent>>(error(e.status, std::string(e.content.text())));
  if (!intents) {
    outcome_ = intents.error().status;
    outcome_text_ = intents.error().what;
    // A second open is refused and leaves the store as it is.
    if (kind() != CallKind::open || !link_ || open_) return finish(outcome_, outcome_text_, out);
    step_ = PublisherStep::closing;
    ++sequence_;
    return out.close_fabric(op(PublisherOperation::local), Endpoint{endpoint_});
  }
  if (kind() == CallKind::open) return opened_everywhere(*intents, out);
  if (kind() == CallKind::add) return register_rows(out);
  if (kind() == CallKind::close) return close(out);
  epoch_ = kind() == CallKind::epoch_begin;
  finish(Status::ok, {}, out);
}

// An epoch is a fence: what any rank's update had been answered for before it is seen by every rank's reads after it, since all
// ranks have exchanged their intents in between. Misuse is an error, the same on all ranks, and changes nothing (D25).
inline Intent Publisher::intent_of_epoch() const {
  const bool begins = kind() == CallKind::epoch_begin;
  Intent intent;
  intent.what = to_string(kind());
  const char* wrong = !open_                             ? "the store is not open"
                      : config_.method != Method::window ? "epochs are of method window"
                      : begins && epoch_                 ? "an epoch has begun already"
                      : !begins && !epoch_               ? "no epoch has begun"
                                                         : nullptr;
  if (wrong) intent = {Status::unavailable, wrong, intent.what, {}};
  return intent;
}

// Rank 0's outcome becomes everybody's. The others wait for it from the start.
template <class O>
void Publisher::conclude(Status status, std::string text, O& out) {
  step_ = PublisherStep::concluding;
  ++sequence_;
  out.bcast(op(PublisherOperation::collective), config_.communicator, Rank{0},
            leads() ? encode_intent({status, std::move(text), {}, {}}) : Blob());
}

template <class O>
void Publisher::concluded(const event::CollectiveDone& e, O& out) {
  const auto outcome = e.status == Status::ok ? decode_intent(e.content) : std::nullopt;
  outcome_ = outcome ? outcome->status : Status::failed;
  outcome_text_ = outcome ? outcome->text : "rank 0's outcome did not arrive: " + std::string(e.content.text());
  if (kind() == CallKind::close) {
    next_ = 0;
    return detach_next(out);
  }
  if (outcome_ == Status::ok && kind() == CallKind::add) return added(e.now, out);
  if (outcome_ == Status::ok) {
    open_ = true;
    return finish(Status::ok, {}, out);
  }
  ++sequence_;
  if (kind() == CallKind::open) {
    step_ = PublisherStep::closing;
    return out.close_fabric(op(PublisherOperation::local), Endpoint{endpoint_});
  }
  step_ = PublisherStep::undoing;
  out.unregister_region(op(PublisherOperation::local), Region{static_cast<std::uint32_t>(adding_.number)});
}

template <class O>
void Publisher::finish(Status status, const std::string& text, O& out) {
  const std::string who = std::string(to_string(kind())) +
                          (kind() == CallKind::add ? " \"" + std::string(calls_.front().note.parts[0].text()) + "\"" : "");
  out.complete(calls_.front().ticket, answer_note(kind(), status, text.empty() ? std::string() : who + ": " + text));
  calls_.erase(calls_.begin());
  step_ = PublisherStep::idle;
  record_ = {};
  shard_ = {};
  adding_ = {};
  if (!calls_.empty()) begin(out);
}

// Local: no other rank takes part, and no reader is told.
template <class O>
void Publisher::update(const event::Submitted& e, const UpdateCall& call, O& out) {
  const std::string who = "update \"" + std::string(call.variable.text()) + "\": ";
  const auto found =
      std::find_if(variables_.begin(), variables_.end(), [&](const Published& p) { return p.variable == call.variable; });
  const auto refused = [&](Status status, const std::string& text) {
    out.complete(e.ticket, answer_note(CallKind::update, status, who + text));
  };
  if (step_ == PublisherStep::closing) return refused(Status::unavailable, "the store is being closed");
  if (found == variables_.end()) return refused(Status::not_found, "this rank does not publish it");
  const std::uint64_t row = found->format.row_bytes, count = call.content.size() / row;
  if (call.content.size() % row != 0)
    return refused(Status::invalid, text_of(std::uint64_t{call.content.size()}) + " bytes are no whole rows of " + text_of(row));
  if (call.first > found->rows || count > found->rows - call.first)
    return refused(Status::invalid,
                   text_of(count) + " rows from row " + text_of(call.first) + " of this rank on, it has " + text_of(found->rows));
  const Region region{static_cast<std::uint32_t>(found->number)};
  if (!found->format.versioned) {
    if (count != 0) out.store_region(region, found->format.slot_offset(call.first), call.content);
  } else if (count != 0) {
    ++found->version;
    for (std::uint64_t i = 0; i < count; ++i)
      out.store_region(region, found->format.slot_offset(call.first + i),
                       encode_slot(found->format, found->version, call.content.bytes().subspan(i * row, row)));
  }
  out.complete(e.ticket, answer_note(CallKind::update, Status::ok, {}));
}

}  // namespace tenter::store
