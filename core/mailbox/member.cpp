#include "core/mailbox/member.hpp"

#include <algorithm>
#include <vector>

#include "core/mailbox/envelope.hpp"
#include "core/mailbox/error_list.hpp"
#include "core/mailbox/vector.hpp"
#include "core/text.hpp"

namespace tenter::mailbox {
namespace {

constexpr std::string_view unreadable_mark = "unreadable: ";

Blob done(std::uint32_t rank, Bytes reply = {}) { return write_record({rank, Outcome::done, {}, {}, reply}); }

Blob failure(std::uint32_t rank, Outcome outcome, std::string_view type, std::string_view message) {
  return write_record({rank, outcome, type, message, {}});
}

// The payload of this rank, where it is in the envelope.
Result<Bytes> payload_of(const Envelope& envelope, std::uint32_t rank) {
  auto lengths = decode_prefix(envelope.vector, envelope.fields.count, envelope.fields.bytes);
  if (!lengths) return tl::unexpected(lengths.error());
  const std::size_t index = envelope.fields.target == Target::per_rank ? rank : 0;
  if (index >= lengths->size())
    return error(Status::invalid, "there is no payload " + text_of(std::uint64_t{index}) + " in a vector of " +
                                      text_of(std::uint64_t{lengths->size()}));
  std::uint64_t offset = prefix_bytes(lengths->size());
  for (std::size_t i = 0; i < index; ++i) offset += (*lengths)[i];
  return envelope.vector.subspan(static_cast<std::size_t>(offset), (*lengths)[index]);
}

// GROUP is asked for by the frame's flag, and only the two domain controls may ask (spec B4, C5.2).
std::optional<std::string> wrong_target(const Frame& frame, ControlName control, Target target) {
  const bool flagged = (frame.flags & slr3::group_target_flag) != 0;
  if (flagged != (target == Target::group))
    return std::string(flagged ? "its frame asks for the GROUP" : "its frame does not ask for the GROUP") +
           ", the request's target is " + to_string(target);
  if (flagged && !may_target_group(control)) return "control " + text_of(number(control)) + " may not address the GROUP";
  return std::nullopt;
}

Result<Assignment> read_work(const Frame& frame, const Envelope& envelope) {
  Assignment work;
  work.opcode = envelope.fields.opcode;
  work.execute = true;
  work.reply_to.identity = frame.identity;
  const FrameType expected = work.opcode == Opcode::task ? FrameType::task : FrameType::control;
  if (frame.type != expected)
    return error(Status::invalid, std::string("a ") + to_string(work.opcode) + " request carries a frame of type " +
                                      text_of(number(frame.type)) + ", expected " + text_of(number(expected)));
  if (work.opcode == Opcode::task) {
    auto task = read_task(frame.payload);
    if (!task) return tl::unexpected(task.error());
    if (frame.flags != 0)
      return error(Status::invalid, "frame: flags at offset 36 is " + text_of(frame.flags) + ", a TASK has none");
    work.callable = Blob(Bytes(task->callable));
    work.argument = task_argument(*task);
    return work;
  }
  auto control = read_control(frame.payload);
  if (!control) return tl::unexpected(control.error());
  if (auto wrong = wrong_target(frame, control->name, envelope.fields.target))
    return error(Status::invalid, "control: " + *wrong);
  work.callable = Blob("control/" + text_of(number(control->name)));
  work.argument = Blob(control->command);
  work.reply_to.control = control->name;
  return work;
}

}  // namespace

const char* to_string(MemberState state) {
  switch (state) {
    case MemberState::describing:
      return "describing";
    case MemberState::reporting:
      return "reporting";
    case MemberState::loading:
      return "loading";
    case MemberState::distributing:
      return "distributing";
    case MemberState::duplicating:
      return "duplicating";
    case MemberState::agreeing:
      return "agreeing";
    case MemberState::attaching:
      return "attaching";
    case MemberState::announcing:
      return "announcing";
    case MemberState::idle:
      return "idle";
    case MemberState::receiving:
      return "receiving";
    case MemberState::executing:
      return "executing";
    case MemberState::gathering:
      return "gathering";
    case MemberState::broken:
      return "broken";
    case MemberState::freeing:
      return "freeing";
    case MemberState::leaving:
      return "leaving";
    case MemberState::left:
      return "left";
  }
  return "?";
}

Assignment assign(Bytes content, std::uint32_t rank, std::uint32_t world) {
  Assignment assignment;
  auto envelope = read_envelope(content);
  if (!envelope) {
    assignment.record = failure(rank, Outcome::transport, "BrokenEnvelope", envelope.error().what);
    return assignment;
  }
  assignment.leave = envelope->leave;
  assignment.opcode = envelope->fields.opcode;
  if (assignment.leave) return assignment;
  const RequestFields& fields = envelope->fields;
  const bool works = fields.opcode == Opcode::task || fields.opcode == Opcode::control;
  const bool addressed = fields.target != Target::rank || fields.rank == static_cast<std::int32_t>(rank);
  if (!works || !addressed || rank >= world) {
    assignment.record = addressed && !works ? done(rank) : write_record({rank, Outcome::idle, {}, {}, {}});
    return assignment;
  }
  auto payload = payload_of(*envelope, rank);
  auto frame = payload ? read_frame(*payload) : Result<Frame>(tl::unexpected(payload.error()));
  auto work = frame ? read_work(*frame, *envelope) : Result<Assignment>(tl::unexpected(frame.error()));
  if (work) return std::move(*work);
  assignment.record = failure(rank, Outcome::application, "BrokenPayload", work.error().what);
  return assignment;
}

Blob record_of_reply(std::uint32_t rank, const ReplyTo& to, Status status, const Blob& reply) {
  if (status != Status::ok)
    return failure(rank, Outcome::application, "RemoteOperationError",
                   reply.empty() ? std::string_view(to_string(status)) : reply.text());
  const bool of_task = to.control == slr3::task_result;
  const std::uint64_t bytes = reply_frame_bytes(of_task, reply.size());
  if (bytes > payload_bytes_max(1))
    return failure(rank, Outcome::application, "ReplyTooLarge",
                   "its reply takes " + text_of(bytes) + " bytes, an answer has room for " + text_of(payload_bytes_max(1)));
  const ReplyContent content{0, {}, reply.bytes()};
  const Blob frame = of_task ? write_task_reply(to.identity, content) : write_control_reply(to.identity, to.control, content);
  return done(rank, frame.bytes());
}

Blob unreadable_manifest(const Blob& cause) { return Blob(std::string(unreadable_mark) + std::string(cause.text())); }

Result<Manifest> check_manifest(const Blob& content, std::uint32_t world) {
  if (content.text().starts_with(unreadable_mark))
    return error(Status::failed,
                 "rank 0 could not read the manifest: " + std::string(content.text().substr(unreadable_mark.size())));
  auto manifest = read_manifest(content.text());
  if (!manifest) return manifest;
  if (manifest->page_version != layout::protocol_version)
    return error(Status::mismatch, "manifest: page_version is " + text_of(manifest->page_version) + ", this side implements 1");
  if (manifest->page_bytes != layout::page_bytes)
    return error(Status::mismatch,
                 "manifest: page_bytes is " + text_of(manifest->page_bytes) + ", expected " + text_of(layout::page_bytes));
  if (manifest->world != world)
    return error(Status::mismatch, "manifest: world is " + text_of(manifest->world) + ", MPI says " + text_of(world));
  return manifest;
}

Blob report_trouble(const Blob& cause) { return Blob("its report could not be published: " + std::string(cause.text())); }

Blob readiness_of(std::uint32_t rank, ProcessId self, const Blob& trouble) {
  return write_readiness({rank, self, trouble.text()});
}

Blob readiness_reasons(const Parts& all, std::uint32_t world) {
  std::vector<RankError> errors;
  if (all.size() != world)
    errors.push_back({no_culprit, "CollectiveMismatch",
                      text_of(std::uint64_t{all.size()}) + " ranks told their readiness, expected " + text_of(world), false});
  for (std::uint32_t rank = 0; rank < all.size() && rank < world; ++rank) {
    auto readiness = read_readiness(all[rank].bytes());
    const auto culprit = static_cast<std::int32_t>(rank);
    if (!readiness || readiness->rank != rank)
      errors.push_back({culprit, "BrokenReadiness",
                        readiness ? "it calls itself rank " + text_of(readiness->rank) : readiness.error().what, false});
    else if (!readiness->trouble.empty())
      errors.push_back({culprit, "NotReady", std::string(readiness->trouble), false});
  }
  return errors.empty() ? Blob() : encode_error_list(errors);
}

}  // namespace tenter::mailbox
