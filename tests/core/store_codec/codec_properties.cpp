// Properties over random values: what is written is read back; a changed byte or a cut is never taken for the same; a plan of
// reads gives what reading row by row gives.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <rapidcheck/gtest.h>

#include "core/store/beat.hpp"
#include "core/store/identity.hpp"
#include "core/store/slot.hpp"
#include "core/utf8.hpp"
#include "fuzz/reference_read.hpp"
#include "tests/core/store_codec/failing_check.hpp"
#include "tests/core/store_codec/samples.hpp"

namespace tenter::store::test {
namespace codec_properties {
namespace {

std::string any_text(std::size_t least, std::size_t most) {
  std::string text = utf8_repaired(*rc::gen::arbitrary<std::string>());
  std::erase(text, '\0');
  text = std::string(utf8_cut(text, most));
  return text.size() < least ? std::string(least, 'x') : text;
}

Blob any_blob(std::size_t most) {
  const auto bytes = *rc::gen::container<std::vector<std::uint8_t>>(*rc::gen::inRange<std::size_t>(1, most + 1),
                                                                    rc::gen::arbitrary<std::uint8_t>());
  return Blob(std::as_bytes(std::span(bytes)));
}

Generation any_generation() { return {*rc::gen::nonZero<std::uint64_t>(), *rc::gen::arbitrary<std::uint64_t>()}; }

Record any_record() {
  Record record;
  record.generation = any_generation();
  record.start_time = *rc::gen::arbitrary<std::int64_t>();
  record.owner = {*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::arbitrary<std::uint64_t>()};
  record.dtype = DType{*rc::gen::inRange(1u, 15u)};
  for (int i = *rc::gen::inRange(0, 9); i > 0; --i) record.row_shape.push_back(*rc::gen::inRange<std::uint64_t>(1, 40));
  record.versioned = *rc::gen::arbitrary<bool>();
  record.mr_mode = *rc::gen::arbitrary<std::uint64_t>();
  record.address_format = *rc::gen::arbitrary<std::uint32_t>();
  record.heartbeat_ms = *rc::gen::nonZero<std::uint32_t>();
  record.job = any_text(0, 64);
  record.host = any_text(0, 256);
  record.variable = any_text(1, 256);
  record.provider = any_text(1, 64);
  const RowFormat format = format_of(record);
  for (int i = *rc::gen::inRange(1, 6); i > 0; --i) {
    const auto rows = *rc::gen::inRange<std::uint64_t>(0, 50);
    record.shards.push_back({any_blob(256), any_blob(64), *rc::gen::inRange<std::uint64_t>(0, 1u << 30),
                             *format.region_bytes(rows) + *rc::gen::inRange<std::uint64_t>(0, 100), rows});
  }
  return record;
}

Blob one_byte_changed(const Blob& blob) {
  std::vector<std::byte> bytes = mutable_copy(blob);
  bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] ^= static_cast<std::byte>(*rc::gen::inRange(1, 256));
  return Blob(Bytes(bytes));
}

RC_GTEST_PROP(StoreRecordProperty, what_is_written_is_read_back_and_nothing_else_is, ()) {
  const Record record = any_record();
  RC_ASSERT(check_record(record).has_value());
  const Blob file = encode_record(record);
  RC_ASSERT(decode_record(file.bytes()).value() == record);
  RC_ASSERT(!decode_record(one_byte_changed(file).bytes()).has_value());
  RC_ASSERT(!decode_record(file.bytes().first(*rc::gen::inRange<std::size_t>(0, file.size()))).has_value());
}

RC_GTEST_PROP(StoreRecordProperty, a_changed_byte_under_right_checksums_is_an_error_or_another_record, ()) {
  const Blob file = resealed(one_byte_changed(encode_record(any_record())));
  if (const auto read = decode_record(file.bytes())) RC_ASSERT(encode_record(*read) == file);
}

// The kind of B11 and B14: parts of two good files.
RC_GTEST_PROP(StoreRecordProperty, a_file_mixed_of_two_is_never_believed, ()) {
  const Record record = any_record();
  Record other = record;
  other.generation = any_generation();
  for (Shard& shard : other.shards) shard.key = any_blob(64);
  RC_PRE(other.generation != record.generation);
  const Blob one = encode_record(record), two = encode_record(other);
  const auto at = *rc::gen::inRange<std::size_t>(1, one.size());
  const Blob mixed(std::string(one.text().substr(0, at)) + std::string(two.text().substr(at)));
  if (mixed != one && mixed != two) RC_ASSERT(!decode_record(mixed.bytes()).has_value());
}

RC_GTEST_PROP(StoreFileNameProperty, every_name_that_has_a_file_comes_back_from_it, (const std::string& bytes)) {
  const std::string variable = *rc::gen::arbitrary<bool>() ? bytes : any_text(1, 60);
  const auto file = record_file_name(variable);
  if (!file) return;
  RC_ASSERT(variable_of_file_name(*file).value() == variable);
  RC_ASSERT(file->find('/') == std::string::npos && file->front() != '.' && file->size() <= file_name_bytes_max);
}

RC_GTEST_PROP(StoreBeatProperty, what_is_written_is_read_back_and_nothing_else_is, (std::uint64_t count)) {
  const bool lease = *rc::gen::arbitrary<bool>();
  const Beat beat{lease ? BeatKind::reader : BeatKind::core,
                  BeatState{*rc::gen::inRange(1u, 4u)},
                  any_generation(),
                  lease ? any_generation() : Generation{},
                  count,
                  *rc::gen::nonZero<std::uint32_t>()};
  const Blob file = encode_beat(beat);
  RC_ASSERT(decode_beat_of(file.bytes(), beat.generation, beat.reader).value() == beat);
  RC_ASSERT(!decode_beat(one_byte_changed(file).bytes()).has_value());
}

RC_GTEST_PROP(StoreIdentityProperty, only_the_region_that_was_promised_is_accepted,
              (std::uint64_t variable, std::uint64_t rows)) {
  const Identity wanted{any_generation(), variable, rows, *rc::gen::arbitrary<std::uint64_t>(),
                        *rc::gen::arbitrary<std::uint32_t>()};
  const Blob block = encode_identity(wanted);
  RC_ASSERT(check_identity(block.bytes(), wanted).has_value());
  RC_ASSERT(!check_identity(one_byte_changed(block).bytes(), wanted).has_value());
}

RC_GTEST_PROP(StoreSlotProperty, words_of_two_versions_are_never_one_row, ()) {
  const Blob row = any_blob(200), other_row = any_blob(200);
  const RowFormat format{row.size(), true};
  const auto version = *rc::gen::inRange<std::uint64_t>(1, 1'000);
  const Blob before = encode_slot(format, version, row.bytes());
  RC_ASSERT(check_slot(format, before.bytes()).value() == version);
  std::vector<std::byte> next = mutable_copy(row);
  for (std::size_t i = 0; i < next.size(); ++i) next[i] ^= other_row.bytes()[i % other_row.size()];
  const Blob after = encode_slot(format, version + 1, next);
  std::vector<std::byte> mixed = mutable_copy(before);
  for (std::size_t at = 0; at < mixed.size(); at += 8)
    if (*rc::gen::arbitrary<bool>())
      std::copy_n(after.bytes().begin() + static_cast<std::ptrdiff_t>(at), 8, mixed.begin() + static_cast<std::ptrdiff_t>(at));
  const auto judged = check_slot(format, mixed);
  // All words of head and row are of one version, or it is torn. (Padding shares its word with the row's end.)
  RC_ASSERT(judged.has_value() == (Blob(Bytes(mixed)) == before || Blob(Bytes(mixed)) == after));
}

RC_GTEST_PROP(StorePlanProperty, gives_what_reading_row_by_row_gives_with_the_fewest_reads, ()) {
  const FailingCheck failing;
  const auto shards = *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 20));
  const ShardMap map(shards);
  const RowFormat format{*rc::gen::inRange<std::uint64_t>(1, 30), *rc::gen::arbitrary<bool>()};
  std::vector<RowRange> ranges;
  for (int i = *rc::gen::inRange(0, 12); i > 0; --i) {
    const auto first = *rc::gen::inRange<std::uint64_t>(0, map.rows() + 1);
    ranges.push_back({first, *rc::gen::inRange<std::uint64_t>(0, std::min<std::uint64_t>(map.rows() - first, 9) + 1)});
  }
  fuzz::check_plan(map, format, ranges, *rc::gen::inRange<std::uint64_t>(format.versioned ? format.slot_bytes() : 1, 200));
}

RC_GTEST_PROP(StorePlanProperty, refuses_exactly_the_ranges_that_leave_the_rows, (std::uint64_t first, std::uint64_t rows)) {
  const ShardMap map(
      std::vector<std::uint64_t>{*rc::gen::inRange<std::uint64_t>(0, 300), *rc::gen::inRange<std::uint64_t>(0, 300)});
  const RowRange small{first % 700, rows % 700}, any{first, rows};
  const RowFormat format{3, false};
  RC_ASSERT(check_ranges(map, format, {&small, 1}).has_value() == (small.first + small.rows <= map.rows()));
  RC_ASSERT(!check_ranges(map, format, {&any, 1}).has_value() || any.first <= map.rows());
}

}  // namespace
}  // namespace codec_properties
}  // namespace tenter::store::test
