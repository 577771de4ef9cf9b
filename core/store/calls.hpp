// Every call of a user thread to the store's machines, and its answer: which note it is, and what its fields mean (spec A1).
// An answer has its call's kind, a status and, where it is not ok, a text that names culprit, cause and phase.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/event.hpp"
#include "core/store/dtype.hpp"
#include "core/store/plan.hpp"
#include "core/wire.hpp"

namespace tenter::store {

enum class CallKind : std::uint32_t {
  open = 32,         // Publisher, collective
  add = 33,          // Publisher, collective
  update = 34,       // Publisher
  close = 35,        // Publisher, collective
  join = 36,         // Joiner
  leave = 37,        // Joiner
  get = 38,          // Reader
  epoch_begin = 39,  // Publisher, collective, method window
  epoch_end = 40,    // the same
};
constexpr const char* to_string(CallKind kind) {
  switch (kind) {
    case CallKind::open:
      return "open";
    case CallKind::add:
      return "add";
    case CallKind::update:
      return "update";
    case CallKind::close:
      return "close";
    case CallKind::join:
      return "join";
    case CallKind::leave:
      return "leave";
    case CallKind::get:
      return "get";
    case CallKind::epoch_begin:
      return "epoch_begin";
    case CallKind::epoch_end:
      return "epoch_end";
  }
  return "?";
}
inline bool is(const Note& note, CallKind kind) { return note.kind == static_cast<std::uint32_t>(kind); }
inline Note call_note(CallKind kind) {
  Note note;
  note.kind = static_cast<std::uint32_t>(kind);
  return note;
}
inline Note answer_note(CallKind kind, Status status, const std::string& text) {
  Note note = call_note(kind);
  note.status = status;
  note.text = Blob(std::string_view(text));
  return note;
}

// Rows of one variable, in the order of the ranges, into a buffer that is the machine's until the answer.
struct GetCall {
  Blob variable;
  std::vector<RowRange> rows;
  Buffer buffer{};
  std::uint64_t buffer_bytes = 0;
  Duration patience{};        // at least 1 ns
  DType wanted = DType::raw;  // what the caller takes the elements for
  bool any_dtype = false;     // the caller takes bytes
};
inline Note get_note(const GetCall& call) {
  wire::Writer writer;
  writer.u64(number(call.buffer)).u64(call.buffer_bytes).u32(call.any_dtype ? 0 : number(call.wanted));
  writer.u64(call.rows.size());
  for (const RowRange& range : call.rows) writer.u64(range.first).u64(range.rows);
  Note note = call_note(CallKind::get);
  note.a = number(call.patience);
  note.parts = Parts{call.variable, writer.blob()};
  return note;
}
inline std::optional<GetCall> read_get(const Note& note) {
  if (!is(note, CallKind::get) || note.parts.size() != 2 || note.a < 1) return std::nullopt;
  GetCall call;
  call.variable = note.parts[0];
  call.patience = Duration{note.a};
  wire::Reader reader(note.parts[1].bytes());
  const std::uint64_t buffer = reader.u64();
  call.buffer = Buffer{static_cast<std::uint32_t>(buffer)};
  call.buffer_bytes = reader.u64();
  const std::uint32_t dtype = reader.u32();
  call.any_dtype = dtype == 0;
  call.wanted = DType{dtype};
  const std::uint64_t ranges = reader.u64();
  if (!reader.ok() || reader.left() / 16 < ranges) return std::nullopt;
  for (std::uint64_t i = 0; i < ranges; ++i) {
    const std::uint64_t first = reader.u64();
    call.rows.push_back({first, reader.u64()});
  }
  if (!reader.at_end()) return std::nullopt;
  return call;
}

// Waits until the variable can be read. cores, wanted: what the caller expects of the record; another one is refused at once.
struct JoinCall {
  Blob variable;
  Duration patience{};      // at least 1 ns
  std::uint32_t cores = 0;  // 0: any
  DType wanted = DType::raw;
  bool any_dtype = true;
  friend bool operator==(const JoinCall&, const JoinCall&) = default;
  TENTER_DESCRIBE(join_call, variable, patience, cores, wanted, any_dtype)
};
inline Note join_note(const JoinCall& call) {
  Note note = call_note(CallKind::join);
  note.a = number(call.patience);
  note.b = call.cores;
  note.c = call.any_dtype ? 0 : static_cast<std::int64_t>(number(call.wanted));
  note.parts = Parts{call.variable};
  return note;
}
inline std::optional<JoinCall> read_join(const Note& note) {
  if (!is(note, CallKind::join) || note.parts.size() != 1 || note.a < 1 || note.b < 0 || note.b > 0xFFFF'FFFF || note.c < 0 ||
      note.c > 0xFF)
    return std::nullopt;
  const auto dtype = DType{static_cast<std::uint32_t>(note.c)};
  return JoinCall{note.parts[0], Duration{note.a}, static_cast<std::uint32_t>(note.b), note.c == 0 ? DType::raw : dtype,
                  note.c == 0};
}

inline Note leave_note(Blob variable) {
  Note note = call_note(CallKind::leave);
  note.parts = Parts{std::move(variable)};
  return note;
}
inline std::optional<Blob> read_leave(const Note& note) {
  if (!is(note, CallKind::leave) || note.parts.size() != 1) return std::nullopt;
  return note.parts[0];
}

// One rank's shard of a new variable. Its rows: `content`; or the first rows x row bytes of `buffer`; or, with neither, zeroes.
// Rows with versions come as content or as zeroes, since each is stored with a checksum.
struct AddCall {
  Blob variable;
  DType dtype{};
  std::vector<std::uint64_t> row_shape;
  std::uint64_t rows = 0;
  bool versioned = false;
  Buffer buffer{};
  Blob content;
  friend bool operator==(const AddCall&, const AddCall&) = default;
  TENTER_DESCRIBE(add_call, variable, dtype, row_shape, rows, versioned, buffer, content)
};
inline Note add_note(const AddCall& call) {
  wire::Writer writer;
  writer.u32(number(call.dtype)).u32(call.versioned ? 1 : 0).u64(call.rows).u64(number(call.buffer));
  for (const std::uint64_t dimension : call.row_shape) writer.u64(dimension);
  Note note = call_note(CallKind::add);
  note.parts = Parts{call.variable, writer.blob(), call.content};
  return note;
}
inline std::optional<AddCall> read_add(const Note& note) {
  if (!is(note, CallKind::add) || note.parts.size() != 3) return std::nullopt;
  AddCall call;
  call.variable = note.parts[0];
  call.content = note.parts[2];
  wire::Reader reader(note.parts[1].bytes());
  call.dtype = DType{reader.u32()};
  call.versioned = reader.u32() != 0;
  call.rows = reader.u64();
  call.buffer = Buffer{static_cast<std::uint32_t>(reader.u64())};
  while (reader.ok() && reader.left() >= 8) call.row_shape.push_back(reader.u64());
  return reader.at_end() ? std::optional(call) : std::nullopt;
}

// New bytes of rows of the own shard, from its row `first` on.
struct UpdateCall {
  Blob variable;
  std::uint64_t first = 0;
  Blob content;  // whole rows
};
inline Note update_note(const UpdateCall& call) {
  Note note = call_note(CallKind::update);
  note.a = static_cast<std::int64_t>(call.first);
  note.parts = Parts{call.variable, call.content};
  return note;
}
inline std::optional<UpdateCall> read_update(const Note& note) {
  if (!is(note, CallKind::update) || note.parts.size() != 2) return std::nullopt;
  return UpdateCall{note.parts[0], static_cast<std::uint64_t>(note.a), note.parts[1]};
}

// patience: for readers that still read; 0: for ever.
inline Note close_note(Duration patience) {
  Note note = call_note(CallKind::close);
  note.a = number(patience);
  return note;
}

}  // namespace tenter::store
