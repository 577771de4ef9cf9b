// Scripts one Joiner by hand. Its operations count from 1: deadline 1, first read 2, attach 3.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/store/joiner.hpp"
#include "tests/core/mailbox_machines/script.hpp"
#include "tests/core/store_codec/samples.hpp"

namespace tenter::store::test {

inline constexpr Role reader_role{1}, beacon_role{2}, stranger_role{9};
inline constexpr Generation own_lease{0xa, 0xb};

using Joins = mailbox::test::Script<Joiner>;
inline constexpr Time after(std::int64_t ms) { return Time{0} + milliseconds(ms); }
inline Blob name_of_sample() { return Blob(sample_record().variable); }

inline Event call_of(Note note, Ticket ticket = Ticket{7}, Time now = Time{0}) {
  return event::Submitted{now, ticket, std::move(note)};
}
inline Event join_call(std::uint32_t cores = 0, bool any_dtype = true, DType wanted = DType::raw) {
  return call_of(join_note({name_of_sample(), seconds(20), cores, wanted, any_dtype}));
}
inline Event file_of(JoinerOperation kind, std::uint64_t sequence, Blob content, Status status = Status::ok, Time now = Time{0}) {
  return event::FileDone{now, operation(kind, sequence), status, std::move(content)};
}
inline Event record_read(std::uint64_t sequence, const Record& record = sample_record()) {
  return file_of(JoinerOperation::read, sequence, encode_record(record));
}
inline Event note_from(Role from, Note note, Time now = Time{0}) { return event::Told{now, from, std::move(note)}; }
inline Event attached_note(std::uint64_t number, Status status = Status::ok) {
  return note_from(reader_role,
                   number_note(NoteKind::attached, number, status,
                               status == Status::ok ? Blob() : Blob(std::string_view("probe of rank 1: no answer"))));
}
inline Event detached_note(std::uint64_t number, Time now = Time{0}) {
  return note_from(reader_role, number_note(NoteKind::detached, number), now);
}
inline Event announced_note(Status status = Status::ok) {
  return note_from(beacon_role, plain_note(NoteKind::announced, status, Blob(std::string_view("lease: a cause"))));
}
inline Event drawn_lease() {
  wire::Writer writer;
  writer.u64(own_lease.low).u64(own_lease.high);
  return event::RandomBytes{Time{0}, operation(JoinerOperation::draw), writer.blob()};
}
inline Event beat_read(std::uint64_t sequence, std::uint64_t count, Time now = Time{0}, BeatState state = BeatState::open) {
  const Record record = sample_record();
  return file_of(JoinerOperation::beat, sequence, encode_beat({BeatKind::core, state, record.generation, {}, count, 2'000}),
                 Status::ok, now);
}
inline Event due(JoinerOperation kind, std::uint64_t sequence, Time now) {
  return event::TimerFired{now, operation(kind, sequence)};
}
inline Event deadline_passed() { return due(JoinerOperation::deadline, 1, after(20'000)); }

inline Joins nothing_joined() {
  JoinerConfig config;
  config.reader = reader_role;
  config.beacon = beacon_role;
  return {Joiner(config), {}};
}
inline Joins reading_record() { return std::move(nothing_joined() << join_call()); }
inline Joins no_record() { return std::move(reading_record() << file_of(JoinerOperation::read, 2, {}, Status::not_found)); }
inline Joins listing_again() { return std::move(no_record() << due(JoinerOperation::look, 3, after(10))); }
inline Joins being_probed() { return std::move(reading_record() << record_read(2)); }
inline Joins being_explained() { return std::move(being_probed() << attached_note(3, Status::failed)); }
inline Joins drawing_lease() { return std::move(being_probed() << attached_note(3)); }
inline Joins writing_lease() { return std::move(drawing_lease() << drawn_lease()); }
inline Joins joined_once() { return std::move(writing_lease() << announced_note()); }
inline Joins left() { return std::move(joined_once() << call_of(leave_note(name_of_sample()), Ticket{8})); }

inline Note answer(const Joins& s) { return s.last<action::Complete>().outcome; }
inline std::string answer_text(const Joins& s) { return std::string(answer(s).text.text()); }

}  // namespace tenter::store::test
