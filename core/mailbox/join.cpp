#include "core/mailbox/join.hpp"

#include "core/mailbox/notes.hpp"
#include "core/text.hpp"
#include "core/wire.hpp"

namespace tenter::mailbox {

Note join_call(const Join& join) {
  wire::Writer writer;
  writer.u64(join.batch.slot).u64(join.batch.generation).u32(join.rank).u32(join.size).u32(join.of_group);
  writer.i64(number(join.patience));
  Note note;
  note.kind = kind_number(NoteKind::join);
  note.text = writer.blob();
  note.parts = Parts{join.payload};
  return note;
}

Result<Join> read_join(const Note& call) {
  if (call.kind != kind_number(NoteKind::join))
    return error(Status::invalid, "rendezvous: a call of kind " + text_of(call.kind) + " is not the arrival of a member");
  wire::Reader reader(call.text.bytes());
  Join join;
  join.batch.slot = reader.u64();
  join.batch.generation = reader.u64();
  join.rank = reader.u32();
  join.size = reader.u32();
  join.of_group = reader.u32();
  join.patience = Duration{reader.i64()};
  if (!reader.at_end())
    return error(Status::invalid, "rendezvous: the description of a member has " + text_of(std::uint64_t{call.text.size()}) +
                                      " bytes, not the 36 of its format");
  if (call.parts.size() != 1)
    return error(Status::invalid, "rendezvous: rank " + text_of(join.rank) + " brought " +
                                      text_of(std::uint64_t{call.parts.size()}) + " payloads, not one");
  if (number(join.patience) < 0)
    return error(Status::invalid, "rendezvous: rank " + text_of(join.rank) + " brought a negative time-out");
  join.payload = call.parts[0];
  return join;
}

}  // namespace tenter::mailbox
