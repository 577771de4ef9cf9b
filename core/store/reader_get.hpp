// Reader: one call, from its check to its one answer.
#pragma once
#include "core/store/reader.hpp"
#include "core/store/slot.hpp"
#include "core/text.hpp"

namespace tenter::store {

// Judged whole before anything is created or posted (S8).
inline Result<std::vector<Span>> Reader::plan(const Attachment* variable, const GetCall& call) const {
  if (!variable || !variable->announced)
    return error(Status::not_found, "there is no variable \"" + std::string(call.variable.text()) + "\"; join it first");
  if (variable->refusal != Status::ok) return error(variable->refusal, variable->why + "; join it again");
  if (!call.any_dtype && call.wanted != variable->dtype)
    return error(Status::mismatch, "variable \"" + std::string(call.variable.text()) + "\" has elements of " +
                                       std::string(to_string(variable->dtype)) + ", they are wanted as " +
                                       std::string(to_string(call.wanted)));
  const auto bytes = check_ranges(variable->map, variable->format, call.rows);
  if (!bytes) return tl::unexpected(bytes.error());
  if (*bytes != call.buffer_bytes)
    return error(Status::invalid, "the rows wanted have " + text_of(*bytes) + " bytes, the buffer " + text_of(call.buffer_bytes));
  return plan_reads(variable->map, variable->format, call.rows, span_bytes());
}

template <ReaderPorts O>
void Reader::on(const event::Submitted& e, O& out) {
  const auto call = read_get(e.call);
  if (!call) return out.complete(e.ticket, answer_note(CallKind::get, Status::invalid, "get: no call that a Reader knows"));
  const Attachment* variable = named(call->variable);
  auto spans = plan(variable, *call);
  if (!spans) return out.complete(e.ticket, answer_note(CallKind::get, spans.error().status, "get: " + spans.error().what));
  if (spans->empty()) return out.complete(e.ticket, answer_note(CallKind::get, Status::ok, {}));
  GetUnderWay get;
  get.number = ++calls_;
  get.ticket = e.ticket;
  get.attachment = variable->number;
  get.buffer = call->buffer;
  for (Span& span : *spans) get.spans.push_back({std::move(span), false, false, 0, false, 0});
  get.left = static_cast<std::uint32_t>(get.spans.size());
  out.arm(operation(ReaderOperation::deadline, get.number), e.now + call->patience);
  gets_.push_back(std::move(get));
  settle(out);
}

// The first reason counts.
inline void Reader::end(GetUnderWay& get, Status status, std::string text) {
  if (get.ending) return;
  get.ending = true;
  get.status = status;
  get.text = std::move(text);
}

template <class O>
void Reader::answer(const GetUnderWay& get, O& out) {
  out.cancel(operation(ReaderOperation::deadline, get.number));
  if (get.rests) out.cancel(operation(ReaderOperation::again, get.number));
  out.complete(get.ticket, answer_note(CallKind::get, get.status, get.status == Status::ok ? std::string() : "get: " + get.text));
}

template <ReaderPorts O>
void Reader::on(const event::TimerFired& e, O& out) {
  for (GetUnderWay& get : gets_) {
    if (get.rests && e.op == operation(ReaderOperation::again, get.number)) {
      get.rests = false;
      get.next = 0;
      for (SpanWork& work : get.spans) work.resting = false;
      return settle(out);
    }
    if (e.op != operation(ReaderOperation::deadline, get.number) || get.ending) continue;
    const SpanWork* waits = nullptr;
    for (const SpanWork& work : get.spans)
      if (!work.landed && (!waits || waits->tears != 0)) waits = &work;
    const std::string who =
        "variable \"" + std::string(find(get.attachment)->variable.text()) + "\", rank " + text_of(number(waits->span.rank));
    if (waits->tears != 0)
      end(get, Status::unavailable, who + ": a row was being updated whenever it was read, until the deadline");
    else
      end(get, Status::timed_out,
          who + ": " + text_of(get.left) + " of " + text_of(std::uint64_t{get.spans.size()}) +
              " reads were not answered by the deadline");
    return settle(out);
  }
}

template <class O>
void Reader::land(GetUnderWay& get, std::uint32_t which, const Attachment& variable, const event::ReadDone& e, O& out) {
  SpanWork& work = get.spans[which];
  work.posted = false;
  work.landed = true;
  --get.left;
  if (variable.format.versioned)
    land_rows(get, SpanWork(work), variable.format, e, out);
  else if (!work.span.lands_as_it_is())
    copy_pieces(get.buffer, work.span, 0, work.span.bytes, e.content, out);
  if (get.left == 0) end(get, Status::ok, {});
}

// Every row is judged by itself; one that is torn is read again alone, at once, and when it stays so, less and less often.
template <class O>
void Reader::land_rows(GetUnderWay& get, const SpanWork& work, const RowFormat& format, const event::ReadDone& e, O& out) {
  const Span& span = work.span;
  const std::uint64_t slot = format.slot_bytes();
  for (std::uint64_t at = 0; at < span.bytes; at += slot) {
    if (check_slot(format, e.content.bytes().subspan(at, slot))) {
      copy_pieces(get.buffer, span, at, at + slot, e.content, out);
      continue;
    }
    Span again{span.rank, span.offset + at, slot, {}};
    for (const Piece& piece : span.pieces)
      if (piece.from >= at && piece.from < at + slot) again.pieces.push_back({piece.from - at, piece.to, piece.bytes});
    if (again.pieces.empty()) continue;
    const std::uint32_t tears = work.tears + 1;
    const bool resting = tears > config_.tears_at_once;
    get.spans.push_back({std::move(again), false, false, tears, resting, 0});
    ++get.left;
    if (!resting || get.rests) continue;
    get.rests = true;
    const std::uint32_t doublings = std::min(tears - config_.tears_at_once, 16u);
    out.arm(operation(ReaderOperation::again, get.number),
            e.now + std::min(config_.first_rest * (std::int64_t{1} << doublings), config_.last_rest));
  }
}

// The pieces that begin in [from, to) of the span.
template <class O>
void Reader::copy_pieces(Buffer buffer, const Span& span, std::uint64_t from, std::uint64_t to, const Blob& content, O& out) {
  for (const Piece& piece : span.pieces)
    if (piece.from >= from && piece.from < to)
      out.fill_buffer(buffer, piece.to, Blob(content.bytes().subspan(piece.from, piece.bytes)));
}

}  // namespace tenter::store
