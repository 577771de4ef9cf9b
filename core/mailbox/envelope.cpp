#include "core/mailbox/envelope.hpp"

#include <algorithm>
#include <string>

#include "core/text.hpp"
#include "core/utf8.hpp"
#include "core/wire.hpp"

namespace tenter::mailbox {
namespace {

constexpr std::uint32_t envelope_magic = 0x45424D54;   // "TMBE"
constexpr std::uint32_t record_magic = 0x52424D54;     // "TMBR"
constexpr std::uint32_t readiness_magic = 0x59424D54;  // "TMBY"
// What an envelope is. In every one at the same place, so that a cut envelope is never taken for the order to leave.
constexpr std::uint32_t request_kind = 1, leave_kind = 2;
constexpr std::size_t request_header_bytes = 28;  // of the 36 in the page: without response count and bytes
// A text that is cut here is still longer than an error list takes, so that it is marked as cut there.
constexpr std::size_t text_limit = error_message_bytes_max + error_type_bytes_max;

tl::unexpected<Error> broken(std::string_view what, std::size_t bytes) {
  return error(Status::invalid, std::string(what) + " of " + text_of(std::uint64_t{bytes}) + " bytes breaks its format");
}
std::string_view text_view(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace

Blob write_request_fields(const RequestFields& fields) {
  return Blob(static_cast<std::size_t>(layout::request_fields_bytes), [&](MutableBytes to) {
    const auto at = [&](const Field& field) { return to.data() + (field.offset - layout::request_fields); };
    wire::store(at(layout::sequence), fields.sequence);
    wire::store(at(layout::opcode), number(fields.opcode));
    wire::store(at(layout::target), number(fields.target));
    wire::store(at(layout::target_rank), static_cast<std::uint32_t>(fields.rank));
    wire::store(at(layout::request_count), fields.count);
    wire::store(at(layout::request_length), fields.bytes);
    wire::store(at(layout::response_count), 0u);
    wire::store(at(layout::response_length), 0u);
  });
}

Result<RequestFields> read_request_fields(Bytes bytes) {
  wire::Reader reader(bytes);
  RequestFields fields;
  fields.sequence = reader.u64();
  fields.opcode = Opcode{reader.u32()};
  fields.target = Target{reader.u32()};
  fields.rank = reader.i32();
  fields.count = reader.u32();
  fields.bytes = reader.u32();
  if (!reader.ok()) return broken("request header", bytes.size());
  return fields;
}

Blob write_envelope(const RequestFields& fields, Bytes vector) {
  constexpr std::size_t head = 12;
  return Blob(head + request_header_bytes + vector.size(), [&](MutableBytes to) {
    wire::store(to.data(), envelope_magic);
    wire::store(to.data() + 4, envelope_version);
    wire::store(to.data() + 8, request_kind);
    const Blob header = write_request_fields(fields);
    const Bytes kept = header.bytes().first(request_header_bytes);
    std::copy(kept.begin(), kept.end(), to.begin() + head);
    std::copy(vector.begin(), vector.end(), to.begin() + head + request_header_bytes);
  });
}

Blob write_leave_envelope() {
  wire::Writer writer(12);
  return writer.u32(envelope_magic).u32(envelope_version).u32(leave_kind).blob();
}

Result<Envelope> read_envelope(Bytes bytes) {
  wire::Reader reader(bytes);
  if (reader.u32() != envelope_magic || reader.u32() != envelope_version) return broken("envelope", bytes.size());
  Envelope envelope;
  const std::uint32_t kind = reader.u32();
  envelope.leave = kind == leave_kind;
  if (envelope.leave && reader.at_end()) return envelope;
  const Bytes header = reader.bytes(request_header_bytes);
  if (kind != request_kind || !reader.ok()) return broken("envelope", bytes.size());
  envelope.fields = *read_request_fields(header);
  envelope.vector = reader.bytes(reader.left());
  if (envelope.vector.size() != envelope.fields.bytes) return broken("envelope", bytes.size());
  return envelope;
}

Blob write_record(const Record& record) {
  wire::Writer writer(32 + record.error_type.size() + record.message.size() + record.reply.size());
  writer.u32(record_magic).u32(envelope_version).u32(record.rank).u32(number(record.outcome));
  writer.counted(utf8_cut(record.error_type, error_type_bytes_max + 8))
      .counted(utf8_cut(record.message, error_message_bytes_max + 8));
  return writer.counted(record.reply).blob();
}

Result<Record> read_record(Bytes bytes) {
  wire::Reader reader(bytes);
  if (reader.u32() != record_magic || reader.u32() != envelope_version) return broken("record", bytes.size());
  Record record;
  record.rank = reader.u32();
  const std::uint32_t outcome = reader.u32();
  record.outcome = Outcome{outcome};
  record.error_type = text_view(reader.counted(text_limit));
  record.message = text_view(reader.counted(text_limit));
  record.reply = reader.counted(layout::vector_bytes_max);
  if (!reader.at_end() || outcome > number(Outcome::transport)) return broken("record", bytes.size());
  return record;
}

Blob write_readiness(const Readiness& readiness) {
  wire::Writer writer(48 + readiness.trouble.size());
  writer.u32(readiness_magic).u32(envelope_version).u32(readiness.rank);
  writer.u64(readiness.process.pid).u64(readiness.process.start_time);
  return writer.counted(utf8_cut(readiness.trouble, error_message_bytes_max + 8)).blob();
}

Result<Readiness> read_readiness(Bytes bytes) {
  wire::Reader reader(bytes);
  if (reader.u32() != readiness_magic || reader.u32() != envelope_version) return broken("readiness", bytes.size());
  Readiness readiness;
  readiness.rank = reader.u32();
  readiness.process.pid = reader.u64();
  readiness.process.start_time = reader.u64();
  readiness.trouble = text_view(reader.counted(text_limit));
  if (!reader.at_end()) return broken("readiness", bytes.size());
  return readiness;
}

}  // namespace tenter::mailbox
