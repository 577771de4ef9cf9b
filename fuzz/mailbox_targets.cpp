#include "fuzz/mailbox_targets.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "core/mailbox/dispatcher_values.hpp"
#include "core/mailbox/envelope.hpp"
#include "core/mailbox/error_list.hpp"
#include "core/mailbox/frame.hpp"
#include "core/mailbox/header.hpp"
#include "core/mailbox/manifest.hpp"
#include "core/mailbox/vector.hpp"
#include "core/utf8.hpp"
#include "core/wire.hpp"

namespace tenter::fuzz {

using namespace mailbox;

namespace {

bool same(const Blob& blob, Bytes bytes) { return blob == Blob(bytes); }
Bytes rest(wire::Reader& reader) { return reader.bytes(reader.left()); }
std::string_view text_of_bytes(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

void task_payload(const Frame& frame, Bytes whole) {
  auto call = read_task(frame.payload);
  if (!call) return;
  TENTER_CHECK(task_argument(*call).size() == 4 + 8 * call->scalars.size() + call->inline_bytes.size());
  const Blob again = write_task(frame.identity, *call).value();  // without config and flags, which are not kept
  const auto config = Bytes(frame.payload).subspan(slr3::callable_digest_bytes, 28);
  const bool plain = frame.flags == 0 && std::all_of(config.begin(), config.end(), [](std::byte b) { return b == std::byte{0}; });
  TENTER_CHECK(!plain || same(again, whole));
}

// Its text is repaired while it is read, so only what was read is written and read again alike.
void reply_payload(const Frame& frame) {
  auto reply = read_reply(frame);
  if (!reply) return;
  TENTER_CHECK(reply->error.size() <= slr3::error_text_bytes_max);
  TENTER_CHECK(frame.type == FrameType::control_reply || (reply->result.empty() && reply->control == slr3::task_result));
  const Blob again = frame.type == FrameType::completion ? write_completion(frame.identity, reply->code, reply->error)
                                                         : write_control_reply(frame.identity, reply->control, *reply);
  const auto second = read_reply(read_frame(again.bytes()).value());
  TENTER_CHECK(second && second->code == reply->code && second->error == reply->error && second->control == reply->control);
  TENTER_CHECK(Blob(second->result) == Blob(reply->result));
}

}  // namespace

void page_header(Bytes input) {
  wire::Reader reader(input);
  const std::uint64_t mapping = reader.u64();
  const std::uint32_t world = reader.u32();
  const AttachAs as{static_cast<std::uint8_t>(reader.u8() % 3)};
  const Bytes bytes = rest(reader);
  auto header = decode_header(bytes);
  TENTER_CHECK(header.has_value() == (bytes.size() >= layout::header_bytes));
  auto attached = check_attach(bytes, mapping, world, as);
  TENTER_CHECK(attached.has_value() || !attached.error().what.empty());
  if (!attached) return;
  TENTER_CHECK(mapping == layout::page_bytes && (world == 0 || header->world == world) && is_valid(header->group_state));
  TENTER_CHECK(same(encode_header(*header), bytes.first(layout::header_bytes)));
}

void request(Bytes input) {
  wire::Reader reader(input);
  const RequestState ready{reader.u32()};
  const std::uint64_t last = reader.u64();
  const std::uint32_t world = reader.u32();
  auto fields = check_request(rest(reader), ready, last, world);
  if (!fields) return;
  TENTER_CHECK(is_valid(fields->opcode) && is_valid(fields->target) && fields->sequence > last);
  TENTER_CHECK(fields->bytes >= prefix_bytes(fields->count) && fields->bytes <= layout::vector_bytes_max);
  TENTER_CHECK(fields->target == Target::rank ? static_cast<std::uint32_t>(fields->rank) < world : fields->rank == -1);
  TENTER_CHECK(fields->count == (fields->target == Target::per_rank ? world : 1));
}

void vector(Bytes input) {
  wire::Reader reader(input);
  const std::uint32_t count = reader.u32();
  const std::uint64_t claimed = reader.u64();
  const Blob whole(rest(reader));
  if (auto lengths = decode_prefix(whole.bytes(), count, claimed)) {
    std::uint64_t sum = prefix_bytes(count);
    for (const std::uint32_t length : *lengths) sum += length;
    TENTER_CHECK(sum == claimed && claimed <= layout::vector_bytes_max && lengths->size() == count);
  }
  auto payloads = decode_vector(whole, count);
  if (!payloads) return;
  wire::Writer writer(whole.size());
  writer.bytes(vector_prefix(*payloads).bytes());
  for (const Blob& payload : *payloads) writer.bytes(payload.bytes());
  TENTER_CHECK(writer.blob() == whole && encoded_bytes(*payloads) == whole.size());
}

void frame(Bytes input) {
  auto read = read_frame(input);
  if (!read) return TENTER_CHECK(!read.error().what.empty());
  TENTER_CHECK(same(write_frame(read->type, read->identity, read->payload, read->flags).value(), input));
  if (read->type == FrameType::task) task_payload(*read, input);
  if (read->type == FrameType::control_reply || read->type == FrameType::completion) reply_payload(*read);
  if (read->type != FrameType::control) return;
  if (auto call = read_control(read->payload))
    TENTER_CHECK(same(write_control(read->identity, *call, read->flags != 0).value(), input) && is_valid(call->name));
}

void error_list(Bytes input) {
  const std::vector<RankError> errors = decode_error_list(input);
  for (const RankError& error : errors)
    TENTER_CHECK(utf8_repaired(error.message) == error.message && utf8_repaired(error.type) == error.type);
  const Blob once = encode_error_list(errors);
  TENTER_CHECK(once.size() <= error_list_bytes_max);
  const std::vector<RankError> again = decode_error_list(once.bytes());
  TENTER_CHECK(again.size() <= errors.size() + 1 && again.empty() == errors.empty());
  TENTER_CHECK(encode_error_list(again) == once);
}

void manifest(Bytes input) {
  const std::string_view text = text_of_bytes(input);
  if (auto read = read_manifest(text)) TENTER_CHECK(read_manifest(write_manifest(*read).text()).value() == *read);
  if (auto read = read_report(text)) {
    TENTER_CHECK(read->process.pid > 0 && read->process.pid <= 0x7FFF'FFFF);
    TENTER_CHECK(read_report(write_report(*read).text()).value() == *read);
  }
}

void envelope(Bytes input) {
  if (auto read = read_envelope(input))
    TENTER_CHECK(same(read->leave ? write_leave_envelope() : write_envelope(read->fields, read->vector), input));
  if (auto record = read_record(input)) {
    const bool kept = record->error_type.size() <= error_type_bytes_max && record->message.size() <= error_message_bytes_max;
    TENTER_CHECK(!kept || same(write_record(*record), input));
  }
  if (auto readiness = read_readiness(input)) {
    const bool kept = readiness->trouble.size() <= error_message_bytes_max;
    TENTER_CHECK(!kept || same(write_readiness(*readiness), input));
  }
}

}  // namespace tenter::fuzz
