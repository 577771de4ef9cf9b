// Properties of every codec over random values: what is written is read back; one flipped byte is an error or another value that
// encodes to exactly those bytes, never the old one; no cut is believed.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <rapidcheck/gtest.h>

#include "core/mailbox/envelope.hpp"
#include "core/mailbox/error_list.hpp"
#include "core/mailbox/frame.hpp"
#include "core/mailbox/header.hpp"
#include "core/mailbox/manifest.hpp"
#include "core/mailbox/vector.hpp"
#include "core/utf8.hpp"
#include "core/wire.hpp"
#include "tests/core/mailbox_codec/bytes.hpp"

namespace tenter::mailbox::test {
namespace {

Blob blob_of(const std::string& text) { return Blob(std::string_view(text)); }

Parts parts_of(const std::vector<std::string>& texts) {
  std::vector<Blob> blobs;
  for (const std::string& text : texts) blobs.push_back(blob_of(text));
  return Parts(std::move(blobs));
}

Blob whole(const Parts& payloads) {
  wire::Writer writer;
  writer.bytes(vector_prefix(payloads).bytes());
  for (const Blob& payload : payloads) writer.bytes(payload.bytes());
  return writer.blob();
}

FrameIdentity any_identity() {
  return {*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::arbitrary<std::int32_t>(), *rc::gen::arbitrary<std::uint64_t>()};
}

// `blob` with one byte of a random place changed to another value.
Blob one_byte_changed(const Blob& blob) {
  std::vector<std::byte> bytes = mutable_copy(blob);
  const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
  bytes[at] ^= static_cast<std::byte>(*rc::gen::inRange(1, 256));
  return Blob(Bytes(bytes));
}
Blob cut(const Blob& blob) { return Blob(blob.bytes().first(*rc::gen::inRange<std::size_t>(0, blob.size()))); }

RC_GTEST_PROP(PayloadVectorProperty, what_is_written_is_read_back, (const std::vector<std::string>& texts)) {
  const Parts payloads = parts_of(texts);
  const Blob vector = whole(payloads);
  RC_ASSERT(vector.size() == encoded_bytes(payloads));
  RC_ASSERT(decode_vector(vector, static_cast<std::uint32_t>(texts.size())).value() == payloads);
}

RC_GTEST_PROP(PayloadVectorProperty, a_changed_byte_or_a_cut_is_never_taken_for_the_same,
              (const std::vector<std::string>& texts)) {
  const Blob vector = whole(parts_of(texts));
  const auto count = static_cast<std::uint32_t>(texts.size());
  const Blob changed = one_byte_changed(vector);
  if (auto read = decode_vector(changed, count)) RC_ASSERT(whole(*read) == changed);
  RC_ASSERT(!decode_vector(cut(vector), count).has_value());
}

RC_GTEST_PROP(FrameProperty, what_is_written_is_read_back, (const std::string& payload)) {
  const FrameIdentity identity = any_identity();
  const auto type = FrameType{*rc::gen::inRange<std::uint32_t>(1, 8)};
  const auto flags = *rc::gen::inRange<std::uint32_t>(0, 2);
  const Blob blob = write_frame(type, identity, bytes_of(payload), flags).value();
  const auto frame = read_frame(blob.bytes()).value();
  RC_ASSERT(frame.type == type && frame.identity == identity && frame.flags == flags && Blob(frame.payload) == blob_of(payload));
  const Blob changed = one_byte_changed(blob);
  if (auto read = read_frame(changed.bytes()))
    RC_ASSERT(write_frame(read->type, read->identity, read->payload, read->flags).value() == changed);
  RC_ASSERT(!read_frame(cut(blob).bytes()).has_value());
}

RC_GTEST_PROP(TaskProperty, what_is_written_is_read_back,
              (const std::vector<std::uint64_t>& scalars, const std::string& inline_bytes)) {
  TaskCall call;
  for (std::byte& byte : call.callable) byte = static_cast<std::byte>(*rc::gen::inRange(0, 256));
  call.scalars = scalars;
  call.inline_bytes = bytes_of(inline_bytes);
  const Blob blob = write_task(any_identity(), call).value();
  const auto read = read_task(read_frame(blob.bytes()).value().payload).value();
  RC_ASSERT(read.callable == call.callable && read.scalars == scalars && Blob(read.inline_bytes) == blob_of(inline_bytes));
  RC_ASSERT(!read_task(cut(Blob(blob.bytes().subspan(40))).bytes()).has_value());
}

RC_GTEST_PROP(ReplyProperty, code_text_and_result_arrive,
              (std::int32_t code, const std::string& error, const std::string& result)) {
  const FrameIdentity identity = any_identity();
  const Blob blob = write_task_reply(identity, {code, error, bytes_of(result)});
  const auto frame = read_frame(blob.bytes()).value();
  const auto reply = read_reply(frame).value();
  RC_ASSERT(frame.identity == identity && reply.code == code);
  if (code == 0) RC_ASSERT(Blob(reply.result) == blob_of(result));
  if (code != 0 || result.empty()) RC_ASSERT(reply.error == utf8_cut(utf8_repaired(error), slr3::error_text_bytes_max));
  Frame shorter = frame;
  const Blob less = cut(Blob(frame.payload));
  shorter.payload = less.bytes();
  RC_ASSERT(!read_reply(shorter).has_value());
}

RC_GTEST_PROP(ErrorListProperty, every_list_parses_and_fits_and_keeps_its_first_entry,
              (const std::vector<std::pair<std::int32_t, std::string>>& entries)) {
  std::vector<RankError> errors;
  const auto times = *rc::gen::inRange(1, 400);
  for (const auto& [rank, text] : entries) {
    std::string message;
    for (int i = 0; i < times; ++i) message += text;
    errors.push_back({rank, text, message, false});
  }
  const Blob blob = encode_error_list(errors);
  RC_ASSERT(blob.size() <= error_list_bytes_max);
  const auto read = decode_error_list(blob.bytes());
  RC_ASSERT(read.empty() == errors.empty());
  if (errors.empty()) return;
  RC_ASSERT(read.front().rank == errors.front().rank);
  RC_ASSERT(read.front().message.size() <= error_message_bytes_max);
  const std::string repaired = utf8_repaired(errors.front().message);
  RC_ASSERT(repaired.size() > error_message_bytes_max || read.front().message == repaired);
  RC_ASSERT(encode_error_list(read) == blob);
}

RC_GTEST_PROP(ErrorListProperty, any_bytes_become_a_list_that_encodes_and_parses, (const std::vector<std::uint8_t>& bytes)) {
  const auto errors = decode_error_list(std::as_bytes(std::span(bytes)));
  const Blob once = encode_error_list(errors);
  RC_ASSERT(encode_error_list(decode_error_list(once.bytes())) == once);
}

RC_GTEST_PROP(EnvelopeProperty, what_is_written_is_read_back_and_nothing_less_is, (const std::string& vector)) {
  RequestFields fields{*rc::gen::arbitrary<std::uint64_t>(), Opcode{*rc::gen::inRange(1u, 5u)},
                       Target{*rc::gen::inRange(1u, 4u)},    *rc::gen::arbitrary<std::int32_t>(),
                       *rc::gen::arbitrary<std::uint32_t>(), static_cast<std::uint32_t>(vector.size())};
  const Blob blob = write_envelope(fields, bytes_of(vector));
  const auto envelope = read_envelope(blob.bytes()).value();
  RC_ASSERT(!envelope.leave && envelope.fields == fields && Blob(envelope.vector) == blob_of(vector));
  RC_ASSERT(!read_envelope(cut(blob).bytes()).has_value());
  const Blob changed = one_byte_changed(blob);
  if (auto read = read_envelope(changed.bytes()))
    RC_ASSERT(!read->leave && write_envelope(read->fields, read->vector) == changed);
}

RC_GTEST_PROP(RankRecordProperty, what_is_written_is_read_back_and_nothing_less_is,
              (std::uint32_t rank, const std::string& text, const std::string& reply)) {
  const auto outcome = Outcome{*rc::gen::inRange(0u, 4u)};
  const Blob blob = write_record({rank, outcome, text, text, bytes_of(reply)});
  const auto record = read_record(blob.bytes()).value();
  RC_ASSERT(record.rank == rank && record.outcome == outcome && record.message == text && Blob(record.reply) == blob_of(reply));
  RC_ASSERT(!read_record(cut(blob).bytes()).has_value());
}

RC_GTEST_PROP(ManifestProperty, what_is_written_is_read_back, (std::uint32_t version, std::uint64_t bytes, std::uint32_t world)) {
  const Manifest manifest{"tenter-" + std::to_string(bytes),
                          version,
                          bytes,
                          world,
                          {world & 0x7FFF'FFFF, bytes},
                          world % 2 == 0 ? "" : "host",
                          nanoseconds(static_cast<std::int64_t>(bytes >> 1)),
                          nanoseconds(version)};
  const Blob blob = write_manifest(manifest);
  RC_ASSERT(read_manifest(blob.text()).value() == manifest);
  RC_ASSERT(!read_manifest(cut(blob).text()).has_value());
}

RC_GTEST_PROP(PageHeaderProperty, what_is_written_is_read_back_and_no_changed_byte_outside_the_request_fields_attaches,
              (std::uint32_t world)) {
  RC_PRE(world != 0u);
  const Blob blob = encode_header(fresh_header(world));
  RC_ASSERT(decode_header(blob.bytes()).value() == fresh_header(world));
  RC_ASSERT(check_attach(blob.bytes(), layout::page_bytes, world, AttachAs::rank_0).has_value());
  std::vector<std::byte> bytes = mutable_copy(blob);
  const auto at = *rc::gen::inRange<std::size_t>(0, 256);
  bytes[at] ^= static_cast<std::byte>(*rc::gen::inRange(1, 256));
  const bool judged = at < 48 || at >= 80;  // what a request writes before its first sequence number is nobody's business
  RC_ASSERT(check_attach(Bytes(bytes), layout::page_bytes, world, AttachAs::rank_0).has_value() == !judged);
}

}  // namespace
}  // namespace tenter::mailbox::test
