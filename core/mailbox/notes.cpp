#include "core/mailbox/notes.hpp"

#include <limits>
#include <string>

#include "core/mailbox/error_list.hpp"
#include "core/text.hpp"

namespace tenter::mailbox {

Note plain_note(NoteKind kind) {
  Note note;
  note.kind = number(kind);
  return note;
}

Note text_note(NoteKind kind, Blob text) {
  Note note = plain_note(kind);
  note.text = std::move(text);
  return note;
}

Note request_note(const RequestCall& call, std::uint64_t ticket) {
  Note note = plain_note(NoteKind::request);
  note.ticket = ticket;
  note.a = static_cast<std::int64_t>(number(call.opcode) | static_cast<std::uint64_t>(number(call.target)) << 32);
  note.b = call.rank;
  note.c = number(call.patience);
  note.parts = call.payloads;
  return note;
}

Result<RequestCall> read_request(const Note& note) {
  if (!is(note, NoteKind::request))
    return error(Status::invalid, "channel: a call of kind " + text_of(note.kind) + " is not a request");
  if (note.c < 0) return error(Status::invalid, "channel: the time-out of a request is negative: " + text_of(note.c) + " ns");
  RequestCall call;
  call.opcode = Opcode{static_cast<std::uint32_t>(note.a & 0xFFFF'FFFF)};
  call.target = Target{static_cast<std::uint32_t>(static_cast<std::uint64_t>(note.a) >> 32)};
  if (note.b < std::numeric_limits<std::int32_t>::min() || note.b > std::numeric_limits<std::int32_t>::max())
    return error(Status::invalid, "channel: target rank " + text_of(note.b) + " is no rank");
  call.rank = static_cast<std::int32_t>(note.b);
  call.patience = Duration{note.c};
  call.payloads = note.parts;
  return call;
}

Note answer_note(Status status, Parts replies, Blob errors) {
  Note note = plain_note(NoteKind::answer);
  note.status = status;
  note.text = std::move(errors);
  note.parts = std::move(replies);
  return note;
}

Note answer_error(Status status, std::string_view error_type, std::string_view message) {
  return answer_note(status, {}, encode_error(no_culprit, std::string(error_type), std::string(message)));
}

Note attach_note(const AttachOrder& order) {
  Note note = text_note(NoteKind::attach, order.page);
  note.a = order.world;
  if (!order.reasons.empty()) note.parts = Parts{order.reasons};
  return note;
}

Result<AttachOrder> read_attach(const Note& note) {
  if (!is(note, NoteKind::attach) || note.text.empty() || note.a < 1 || note.a > std::numeric_limits<std::uint32_t>::max() ||
      note.parts.size() > 1)
    return error(Status::invalid, "dispatcher: not an order to attach");
  return AttachOrder{note.text, static_cast<std::uint32_t>(note.a), note.parts.empty() ? Blob() : note.parts[0]};
}

Note gathered_note(Parts records) {
  Note note = plain_note(NoteKind::gathered);
  note.parts = std::move(records);
  return note;
}

Note collective_failed_note(std::string_view which, std::uint64_t round, Status status) {
  Note note = text_note(NoteKind::collective_failed, Blob(which));
  note.a = static_cast<std::int64_t>(round);
  note.status = status;
  return note;
}

Note leave_note(bool orderly, Blob reason) {
  Note note = text_note(NoteKind::leave, std::move(reason));
  note.a = orderly ? 1 : 0;
  return note;
}

}  // namespace tenter::mailbox
