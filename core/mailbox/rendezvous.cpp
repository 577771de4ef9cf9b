#include "core/mailbox/rendezvous.hpp"

#include <string>

#include "core/mailbox/error_list.hpp"
#include "core/mailbox/layout.hpp"
#include "core/mailbox/notes.hpp"
#include "core/mailbox/vector.hpp"
#include "core/text.hpp"

namespace tenter::mailbox {

namespace {

std::string text(std::uint64_t value) { return text_of(value); }

std::string name_of(const BatchId& id) { return "slot " + text(id.slot) + ", generation " + text(id.generation); }

std::string who(const Join& join) { return "rendezvous: rank " + text(join.rank) + " of " + name_of(join.batch); }

std::string milliseconds_of(Duration duration) { return text_of(number(duration) / 1'000'000) + " ms"; }

// "1, 3" : the ranks that have not arrived; the first 16 and how many more.
std::string absent(const Batch& batch) {
  std::string list;
  std::uint32_t named = 0, missing = 0;
  for (std::uint32_t rank = 0; rank < batch.members.size(); ++rank) {
    if (batch.members[rank]) continue;
    ++missing;
    if (named == 16) continue;
    list += (named++ == 0 ? "" : ", ") + text(rank);
  }
  if (missing > named) list += " and " + text(missing - named) + " more";
  return list;
}

}  // namespace

std::optional<Error> check_join(const Join& join, std::uint32_t world) {
  if (join.size == 0) return Error{Status::invalid, who(join) + ": the operation has no member"};
  if (join.rank >= world) return Error{Status::invalid, who(join) + ": the group has ranks 0.." + text(world - 1) + " only"};
  if (join.of_group == 0 || join.of_group > join.size)
    return Error{Status::invalid,
                 who(join) + ": " + text(join.of_group) + " ranks of the group among " + text(join.size) + " members"};
  if (join.size == world && join.of_group != world)
    return Error{Status::invalid, who(join) + ": the selection mixes " + text(join.of_group) + " ranks of the group with " +
                                      text(join.size - join.of_group) +
                                      " other workers at the group's size; select the whole group, or fewer members"};
  const std::uint64_t count = join.size == world ? world : 1;
  const std::uint64_t bytes = prefix_bytes(count) + join.payload.size();
  if (bytes > layout::vector_bytes_max)
    return Error{Status::no_space, who(join) + ": its payload of " + text(join.payload.size()) +
                                       " bytes does not fit the request, which holds " +
                                       text(layout::vector_bytes_max - prefix_bytes(count)) + " bytes of payload"};
  return std::nullopt;
}

Error too_many_batches(const Join& join) {
  return {Status::no_space, who(join) + ": " + text(batches_max) + " group operations are under way already, no other can begin"};
}
Error too_many_directed(const Join& join) {
  return {Status::no_space, who(join) + ": " + text(directed_max) + " directed requests are under way already"};
}
Error already_dispatched(const Join& join) {
  return {Status::unavailable, who(join) + " came too late or twice: this operation was dispatched already"};
}
Error duplicate_member(const Join& join) {
  return {Status::exists, who(join) + " is there already: the second arrival is refused, the first one stays"};
}
Error ended_error(const Join& join, const Blob& reason) {
  return {Status::unavailable, who(join) + ": the group has ended: " + std::string(reason.text())};
}

Error timed_out(const Batch& batch, std::uint32_t rank) {
  const Duration patience = batch.members[rank] ? batch.members[rank]->patience : Duration{};
  return {Status::timed_out, "rendezvous: rank " + text(rank) + " of " + name_of(batch.id) + " waited " +
                                 milliseconds_of(patience) + " for rank " + absent(batch) +
                                 "; nothing was dispatched, the group is not affected"};
}

Error ended_while_gathering(const Batch& batch, std::uint32_t rank, const Blob& reason) {
  return {Status::peer_lost, "rendezvous: rank " + text(rank) + " of " + name_of(batch.id) + " waited for rank " + absent(batch) +
                                 " when the group ended; nothing was dispatched: " + std::string(reason.text())};
}

Note member_outcome(const Note& answer, std::uint32_t rank, std::uint32_t world) {
  if (answer.status == Status::ok) {
    if (answer.parts.size() != world)
      return refused({Status::mismatch, "rendezvous: rank " + text(rank) + ": the answer has " + text(answer.parts.size()) +
                                            " replies for " + text(world) + " ranks"});
    return answer_note(Status::ok, Parts{answer.parts[rank]});
  }
  if (answer.status != Status::failed) return answer_note(answer.status, {}, answer.text);
  std::vector<RankError> errors = decode_error_list(answer.text.bytes());
  std::vector<RankError> own;
  for (const RankError& error : errors)
    if (error.rank == static_cast<std::int32_t>(rank)) own.push_back(error);
  if (!own.empty()) return answer_note(Status::failed, {}, encode_error_list(own));
  errors.insert(errors.begin(),
                RankError{static_cast<std::int32_t>(rank), "OperationFailed",
                          "this rank reported no error; its reply is dropped, because the operation failed on another rank"});
  return answer_note(Status::cancelled, {}, encode_error_list(errors));
}

Note directed_outcome(const Note& answer, std::uint32_t rank) {
  if (answer.status == Status::ok && answer.parts.size() != 1)
    return refused({Status::mismatch, "rendezvous: rank " + text(rank) + ": the answer has " + text(answer.parts.size()) +
                                          " replies for one directed request"});
  return answer_note(answer.status, answer.parts, answer.text);
}

Note refused(const Error& error) { return answer_error(error.status, "RendezvousError", error.what); }

Note group_request(std::uint64_t ticket, Duration budget, Parts payloads) {
  return request_note({Opcode::task, Target::per_rank, -1, budget, std::move(payloads)}, ticket);
}

Note directed_request(std::uint64_t ticket, std::uint32_t rank, Duration budget, Blob payload) {
  return request_note({Opcode::task, Target::rank, static_cast<std::int32_t>(rank), budget, Parts{std::move(payload)}}, ticket);
}

std::string_view Rendezvous::state_name() const {
  if (ended_) return "ended";
  bool exchanging = !directed_.empty();
  for (const Batch& batch : batches_) exchanging = exchanging || batch.exchange != 0;
  if (exchanging) return "exchanging";
  return batches_.empty() ? "empty" : "gathering";
}

std::size_t Rendezvous::waiting_members() const {
  std::size_t count = directed_.size();
  for (const Batch& batch : batches_) count += batch.arrived;
  return count;
}

Batch* Rendezvous::find(const BatchId& id) {
  for (Batch& batch : batches_)
    if (batch.id == id && batch.exchange == 0) return &batch;
  return nullptr;
}

}  // namespace tenter::mailbox
