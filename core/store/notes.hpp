// Every note between the store's machines: who sends it to whom, and what its fields mean. Nobody else touches Note::a.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/event.hpp"
#include "core/store/beat.hpp"

namespace tenter::store {

enum class NoteKind : std::uint32_t {
  announce = 1,   // owner -> Beacon: parts = path, beat. -> announced
  announced = 2,  // Beacon -> owner: the first beat is written, or was not and will not be: status, text
  say = 3,        // owner -> Beacon: a = BeatState. -> said
  said = 4,       // Beacon -> owner: a = BeatState, written
  withdraw = 5,   // owner -> Beacon: -> withdrawn
  withdrawn = 6,  // Beacon -> owner: the file is gone; status and text when it could not be removed
  unheard = 7,    // Beacon -> owner: status, text. not_found: its directory is gone, no further beat comes; else: others may
                  // by now take it for dead, and it goes on trying
  drain = 8,      // owner -> Leases: parts = generation, a = patience in ns, 0: for ever. -> drained
  drained = 9,    // Leases -> owner: ok: nobody reads. timed_out, failed: a = readers that may still read, text names some
  attach = 10,    // owner -> Reader: a = number of a variable, used once; parts = its record. -> attached
  attached = 11,  // Reader -> owner: a; ok: every rank passed its probe. Else status, text, and it is forgotten
  detach = 12,    // owner -> Reader: a. Its calls are cancelled -> detached (also of a number that is not attached)
  detached = 13,  // Reader -> owner: a. Nothing of it is posted, and nothing of it lands any more
};

constexpr std::uint32_t kind_number(NoteKind kind) { return static_cast<std::uint32_t>(kind); }
inline bool is(const Note& note, NoteKind kind) { return note.kind == kind_number(kind); }

inline Note plain_note(NoteKind kind, Status status = Status::ok, Blob text = {}) {
  Note note;
  note.kind = kind_number(kind);
  note.status = status;
  note.text = std::move(text);
  return note;
}

inline Note number_note(NoteKind kind, std::uint64_t number, Status status = Status::ok, Blob text = {}) {
  Note note = plain_note(kind, status, std::move(text));
  note.a = static_cast<std::int64_t>(number);
  return note;
}
inline Note attach_note(std::uint64_t number, Blob record) {
  Note note = number_note(NoteKind::attach, number);
  note.parts = Parts{std::move(record)};
  return note;
}

struct Announcement {
  Blob path;
  Beat beat;  // kind, generation, reader, period; its count is the Beacon's business
  friend bool operator==(const Announcement&, const Announcement&) = default;
  TENTER_DESCRIBE(announcement, path, beat)
};
inline Note announce_note(const Announcement& what) {
  Note note = plain_note(NoteKind::announce);
  note.parts = Parts{what.path, encode_beat(what.beat)};
  return note;
}
// Nothing when the note is none, or its parts are wrong: a bug of the sender.
inline std::optional<Announcement> read_announce(const Note& note) {
  if (!is(note, NoteKind::announce) || note.parts.size() != 2) return std::nullopt;
  const auto beat = decode_beat(note.parts[1].bytes());
  if (!beat || note.parts[0].empty()) return std::nullopt;
  return Announcement{note.parts[0], *beat};
}

inline Note state_note(NoteKind kind, BeatState state) {
  Note note = plain_note(kind);
  note.a = static_cast<std::int64_t>(number(state));
  return note;
}
inline std::optional<BeatState> read_state(const Note& note) {
  if (note.a < 1 || note.a > static_cast<std::int64_t>(number(BeatState::closed))) return std::nullopt;
  return BeatState{static_cast<std::uint32_t>(note.a)};
}

struct Drain {
  Generation generation;
  Duration patience{};  // 0: for ever
  friend bool operator==(const Drain&, const Drain&) = default;
  TENTER_DESCRIBE(drain, generation, patience)
};
inline Note drain_note(const Drain& what) {
  Note note = plain_note(NoteKind::drain);
  wire::Writer writer;
  writer.u64(what.generation.low).u64(what.generation.high);
  note.parts = Parts{writer.blob()};
  note.a = number(what.patience);
  return note;
}
inline std::optional<Drain> read_drain(const Note& note) {
  if (!is(note, NoteKind::drain) || note.parts.size() != 1 || note.parts[0].size() != generation_bytes || note.a < 0)
    return std::nullopt;
  return Drain{generation_of(note.parts[0].bytes()), Duration{note.a}};
}
inline Note drained_note(Status status, std::uint64_t readers, std::string text) {
  Note note = plain_note(NoteKind::drained, status, Blob(std::string_view(text)));
  note.a = static_cast<std::int64_t>(readers);
  return note;
}

}  // namespace tenter::store
