#include "core/mailbox/dispatcher.hpp"

#include <algorithm>
#include <vector>

#include "core/mailbox/error_list.hpp"
#include "core/mailbox/header.hpp"
#include "core/mailbox/vector.hpp"
#include "core/text.hpp"
#include "core/wire.hpp"

namespace tenter::mailbox {
namespace {

std::string field_text(const Field& field, std::uint64_t value) {
  return std::string(field.name) + " at offset " + text_of(field.offset) + " is " + text_of(value);
}

}  // namespace

const char* to_string(DispatcherState state) {
  switch (state) {
    case DispatcherState::unattached:
      return "unattached";
    case DispatcherState::opening:
      return "opening";
    case DispatcherState::attaching:
      return "attaching";
    case DispatcherState::announcing:
      return "announcing";
    case DispatcherState::parked:
      return "parked";
    case DispatcherState::doubting:
      return "doubting";
    case DispatcherState::reading:
      return "reading";
    case DispatcherState::accepting:
      return "accepting";
    case DispatcherState::gathering:
      return "gathering";
    case DispatcherState::closing:
      return "closing";
    case DispatcherState::completing:
      return "completing";
    case DispatcherState::condemning:
      return "condemning";
    case DispatcherState::releasing:
      return "releasing";
    case DispatcherState::left:
      return "left";
  }
  return "?";
}

// The words were not copied with the bytes around them: the request word was loaded, INITIALIZING is what the compare-exchange on
// the group word will ask for, and the error length means nothing before READY.
std::optional<std::string> check_page(const PageHead& head, std::uint32_t request_word_value, std::uint32_t world) {
  const auto checked = check_head(head, GroupState::initializing, request_word_value, world, AttachAs::rank_0);
  if (!checked) return checked.error().what;
  return std::nullopt;
}

Result<RequestFields> check_request(Bytes header, RequestState ready, std::uint64_t last_sequence, std::uint32_t world) {
  auto read = read_request_fields(header);
  if (!read) return read;
  const RequestFields& fields = *read;
  const auto refuse = [](const Field& field, std::uint64_t value, std::string_view rule) {
    return error(Status::invalid, "request refused: " + field_text(field, value) + ", " + std::string(rule));
  };
  if (fields.bytes > layout::vector_bytes_max) return refuse(layout::request_length, fields.bytes, "more than 16777216");
  if (fields.sequence <= last_sequence)
    return refuse(layout::sequence, fields.sequence, "not newer than the last accepted one, " + text_of(last_sequence));
  if (to_string(fields.opcode)[0] == '?') return refuse(layout::opcode, number(fields.opcode), "not 1..4");
  if (to_string(fields.target)[0] == '?') return refuse(layout::target, number(fields.target), "not 1..3");
  if ((fields.opcode == Opcode::shutdown) != (ready == RequestState::shutdown_ready))
    return refuse(layout::opcode, number(fields.opcode), std::string("announced by ") + to_string(ready));
  const bool whole_group = fields.opcode == Opcode::ping || fields.opcode == Opcode::shutdown;
  if (whole_group && fields.target != Target::group)
    return refuse(layout::target, number(fields.target), std::string(to_string(fields.opcode)) + " is for the GROUP");
  const auto rank_bits = static_cast<std::uint32_t>(fields.rank);
  if (fields.target == Target::rank ? fields.rank < 0 || rank_bits >= world : fields.rank != -1)
    return refuse(layout::target_rank, rank_bits, std::string("not legal with target ") + to_string(fields.target));
  const std::uint32_t count = fields.target == Target::per_rank ? world : 1;
  if (fields.count != count) return refuse(layout::request_count, fields.count, "expected " + text_of(count));
  if (fields.bytes < prefix_bytes(count))
    return refuse(layout::request_length, fields.bytes, "fewer than count and lengths take");
  return read;
}

Result<Blob> make_envelope(const RequestFields& fields, const Blob& vector) {
  auto lengths = decode_prefix(vector.bytes(), fields.count, fields.bytes);
  if (!lengths) return error(Status::invalid, "request refused: " + lengths.error().what);
  if (vector.size() != fields.bytes) return error(Status::invalid, "request refused: its vector could not be copied whole");
  return write_envelope(fields, vector.bytes());
}

Verdict judge(const Parts& records, const RequestFields& fields, std::uint32_t world) {
  std::vector<RankError> transport, application;
  std::vector<Blob> replies(fields.target == Target::per_rank ? world : 1);
  const std::uint32_t only = fields.target == Target::rank ? static_cast<std::uint32_t>(fields.rank) : 0;
  if (records.size() != world)
    transport.push_back({no_culprit, "CollectiveMismatch",
                         text_of(std::uint64_t{records.size()}) + " records were gathered from " + text_of(world) + " ranks",
                         true});
  for (std::uint32_t rank = 0; rank < records.size() && rank < world; ++rank) {
    const auto culprit = static_cast<std::int32_t>(rank);
    auto record = read_record(records[rank].bytes());
    if (!record || record->rank != rank) {
      transport.push_back(
          {culprit, "BrokenRecord", record ? "it calls itself rank " + text_of(record->rank) : record.error().what, true});
      continue;
    }
    const RankError what{culprit, std::string(record->error_type), std::string(record->message),
                         record->outcome == Outcome::transport};
    if (record->outcome == Outcome::transport) transport.push_back(what);
    if (record->outcome == Outcome::application) application.push_back(what);
    const bool wanted = fields.target == Target::per_rank || rank == only;
    if (record->outcome == Outcome::done && wanted) replies[fields.target == Target::per_rank ? rank : 0] = Blob(record->reply);
    if (record->outcome == Outcome::idle && wanted)
      transport.push_back({culprit, "CollectiveMismatch", "it was addressed, and did nothing", true});
  }
  Verdict verdict;
  if (fields.opcode == Opcode::shutdown)
    transport.insert(transport.end(), application.begin(), application.end());  // the others left
  if (!transport.empty()) {
    verdict.kind = Verdict::Kind::transport;
    verdict.errors = encode_error_list(transport);
    return verdict;
  }
  verdict.replies = Parts(std::move(replies));
  if (application.empty())
    if (auto fits = check_capacity(verdict.replies); !fits)
      application.push_back({no_culprit, "RepliesTooLarge", fits.error().what, false});
  if (!application.empty()) {
    verdict.kind = Verdict::Kind::application;
    verdict.errors = encode_error_list(application);
  }
  return verdict;
}

Blob response_lengths(const Parts& replies) {
  return Blob(8, [&](MutableBytes to) {
    wire::store(to.data(), static_cast<std::uint32_t>(replies.size()));
    wire::store(to.data() + 4, static_cast<std::uint32_t>(encoded_bytes(replies)));
  });
}

Blob reason_list(std::string_view type, std::string_view why) {
  return encode_error(no_culprit, std::string(type), std::string(why));
}

Blob illegal_word_reason(std::string_view word, std::uint32_t value, std::string_view state) {
  const char* name = word == "group" ? to_string(GroupState{value}) : to_string(RequestState{value});
  return reason_list("IllegalState", "the " + std::string(word) + " word at offset " + (word == "group" ? "28" : "32") +
                                         " held " + text_of(value) + (name[0] == '?' ? "" : std::string(" (") + name + ")") +
                                         ", which nobody may write while rank 0 is " + std::string(state));
}

Blob refused_reason(const Blob& reasons, std::string_view why) {
  std::vector<RankError> errors = decode_error_list(reasons.bytes());
  errors.push_back({0, "PageRefused", "rank 0 refuses the page: " + std::string(why), false});
  return encode_error_list(errors);
}

Blob stalled_reason(std::uint64_t sequence) {
  return reason_list("LaneStalled", "lane stalled: the answer to request " + text_of(sequence) + " was not taken by the parent");
}

Blob collective_reason(std::string_view which, std::uint64_t round, Status status) {
  return reason_list("CollectiveFailed", "the " + std::string(which) + " of round " + text_of(round) + " ended with " +
                                             to_string(status) + ": a rank is gone or parted from the others");
}

Blob not_ready_reason(std::uint32_t group) {
  return reason_list("GroupEnded",
                     "the group word held " + text_of(group) + " when rank 0 wanted to publish READY: the parent gave up");
}

std::string wrong_size(std::uint64_t bytes) {
  return "the page has " + text_of(bytes) + " bytes, version 1 has " + text_of(layout::page_bytes);
}

}  // namespace tenter::mailbox
