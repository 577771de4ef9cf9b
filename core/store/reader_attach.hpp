// Reader: variables come and go; who is believed, and who is no longer.
#pragma once
#include "core/store/reader.hpp"
#include "core/text.hpp"

namespace tenter::store {

template <ReaderPorts O>
void Reader::on(const event::Told& e, O& out) {
  if (e.from != config_.owner) return;
  if (is(e.note, NoteKind::attach)) {
    attach(e.note, out);
  } else if (is(e.note, NoteKind::detach)) {
    const auto number = static_cast<std::uint64_t>(e.note.a);
    Attachment* variable = find(number);
    if (!variable) return out.tell(config_.owner, number_note(NoteKind::detached, number));
    variable->leaving = true;
    variable->announced = true;  // whatever its attach was going to say is answered by `detached`
    variable->refusal = Status::ok;
    for (GetUnderWay& get : gets_)
      if (get.attachment == number) end(get, Status::cancelled, "the variable was left");
  } else {
    return;
  }
  settle(out);
}

// The record was decoded by its owner before; here it is judged whether this process can read what it describes.
template <class O>
void Reader::attach(const Note& note, O& out) {
  const auto number = static_cast<std::uint64_t>(note.a);
  const auto refused = [&](Status status, const std::string& why) {
    out.tell(config_.owner, number_note(NoteKind::attached, number, status, Blob(std::string_view(why))));
  };
  if (note.parts.size() != 1 || find(number)) return refused(Status::invalid, "attach: no record, or a number that is used");
  const auto record = decode_record(note.parts[0].bytes());
  if (!record) return refused(record.error().status, record.error().what);
  if (named(Blob(record->variable))) return refused(Status::exists, "variable \"" + record->variable + "\" is attached already");
  if (record->provider != config_.provider.text())
    return refused(Status::mismatch, "variable \"" + record->variable + "\" is served by provider " + record->provider +
                                         ", this process uses " + std::string(config_.provider.text()));
  Attachment variable;
  variable.number = number;
  variable.variable = Blob(record->variable);
  variable.generation = record->generation;
  variable.dtype = record->dtype;
  variable.address_format = record->address_format;
  variable.format = format_of(*record);
  std::vector<std::uint64_t> rows;
  for (const Shard& shard : record->shards) {
    rows.push_back(shard.rows);
    Target target;
    target.shard = shard;
    variable.targets.push_back(std::move(target));
  }
  variable.map = ShardMap(rows);
  attachments_.push_back(std::move(variable));
}

// An attach that cannot succeed: forgotten, and told, when nothing of it is in flight.
inline void Reader::refuse(Attachment& variable, Status status, std::string why) {
  if (variable.leaving) return;
  variable.leaving = true;
  variable.refusal = status;
  variable.why = std::move(why);
}

// What an announced variable's record describes is no longer there: final until it is attached anew.
inline void Reader::lose(Attachment& variable, Status status, const std::string& why) {
  variable.refusal = status;
  variable.why = why;
  for (GetUnderWay& get : gets_)
    if (get.attachment == variable.number) end(get, status, why);
}

// The first failure may have been another read's, or an old endpoint's: it is tried once more on a new one.
inline void Reader::target_failed(Attachment& variable, std::uint32_t rank, Status status, const std::string& text) {
  broken_ = true;
  const std::string why = "variable \"" + std::string(variable.variable.text()) + "\", rank " + text_of(rank) + ": " + text;
  if (!variable.announced) return refuse(variable, status, "probe of " + why);
  if (++variable.targets[rank].failures < 2) return;
  variable.targets[rank].failures = 0;
  for (GetUnderWay& get : gets_) {
    if (get.attachment != variable.number) continue;
    const bool wants = std::any_of(get.spans.begin(), get.spans.end(),
                                   [&](const SpanWork& work) { return !work.landed && work.span.rank == Rank{rank}; });
    if (wants) end(get, status, why);
  }
}

inline void Reader::probed(Attachment& variable, std::uint32_t rank, const event::ReadDone& e) {
  if (e.status != Status::ok) return target_failed(variable, rank, e.status, "the probe failed: " + std::string(e.text.text()));
  const auto same = check_identity(e.content.bytes(), variable.identity_of(rank));
  if (same) {
    variable.targets[rank].standing = Standing::believed;
    return;
  }
  const std::string why = "variable \"" + std::string(variable.variable.text()) + "\": generation changed: " + same.error().what;
  if (variable.announced)
    lose(variable, Status::mismatch, why);
  else
    refuse(variable, Status::mismatch, why);
}

}  // namespace tenter::store
