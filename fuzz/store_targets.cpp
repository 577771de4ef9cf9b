#include "fuzz/store_targets.hpp"

#include <vector>

#include "core/check.hpp"
#include "core/store/beat.hpp"
#include "core/store/checksum.hpp"
#include "core/store/file_name.hpp"
#include "core/store/identity.hpp"
#include "core/store/plan.hpp"
#include "core/store/record.hpp"
#include "core/store/slot.hpp"
#include "core/wire.hpp"
#include "fuzz/reference_read.hpp"

namespace tenter::fuzz {

using namespace store;

namespace {

bool same(const Blob& blob, Bytes bytes) { return blob == Blob(bytes); }
Bytes rest(wire::Reader& reader) { return reader.bytes(reader.left()); }
std::vector<std::byte> copy_of(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

// Bytes whose last four are made the CRC-32C of the others.
std::vector<std::byte> summed(Bytes input) {
  std::vector<std::byte> bytes = copy_of(input);
  if (bytes.size() >= 4) wire::store(bytes.data() + bytes.size() - 4, crc32c(Bytes(bytes).first(bytes.size() - 4)));
  return bytes;
}

std::vector<std::byte> sealed(Bytes input) {
  std::vector<std::byte> bytes = copy_of(input);
  if (bytes.size() < layout::header_bytes) return bytes;
  std::uint32_t sum = crc32c(Bytes(bytes).first(layout::checksum.offset));
  for (std::size_t at = layout::header_bytes; at + layout::record_bytes <= bytes.size(); at += layout::record_bytes) {
    const Bytes part = Bytes(bytes).subspan(at, layout::record_checksum.offset);
    wire::store(bytes.data() + at + layout::record_checksum.offset, crc32c(part));
    sum = crc32c(part, sum);
  }
  wire::store(bytes.data() + layout::checksum.offset, sum);
  return bytes;
}

void record_once(Bytes input) {
  const auto read = decode_record(input);
  if (!read) return TENTER_CHECK(read.error().what.find("offset ") != std::string::npos);
  TENTER_CHECK(check_record(*read).has_value() && same(encode_record(*read), input));
  const RowFormat format = format_of(*read);
  std::vector<std::uint64_t> rows;
  for (const Shard& shard : read->shards) {
    rows.push_back(shard.rows);
    TENTER_CHECK(*format.region_bytes(shard.rows) <= shard.region_bytes);
    TENTER_CHECK(shard.base + shard.region_bytes >= shard.base);
  }
  const ShardMap map(rows);
  if (map.rows() != 0) TENTER_CHECK(map.place_of(map.rows() - 1).has_value());
  TENTER_CHECK(!map.place_of(map.rows()).has_value());
}

void shard_once(Bytes input, std::uint32_t rank) {
  const auto read = decode_shard(input, rank);
  if (read) TENTER_CHECK(same(encode_shard(*read, rank), input));
}

void beat_once(Bytes input) {
  const auto read = decode_beat(input);
  if (!read) return;
  TENTER_CHECK(same(encode_beat(*read), input));
  TENTER_CHECK(decode_beat_of(input, read->generation, read->reader).has_value());
}

// Whatever identity stands there: only the wanted one, byte for byte, is accepted.
void region_once(Bytes input) {
  const Identity wanted{{1, 2}, 3, 4, 5, 6};
  TENTER_CHECK(check_identity(input, wanted).has_value() == same(encode_identity(wanted), input));
}

}  // namespace

void record(Bytes input) {
  record_once(input);
  record_once(sealed(input));
}

void shard(Bytes input) {
  wire::Reader reader(input);
  const std::uint32_t rank = reader.u8();
  const Bytes bytes = rest(reader);
  shard_once(bytes, rank);
  shard_once(summed(bytes), rank);
}

void beat(Bytes input) {
  beat_once(input);
  beat_once(summed(input));
}

void region(Bytes input) {
  region_once(input);
  region_once(summed(input));
}

void row_slot(Bytes input) {
  wire::Reader reader(input);
  const RowFormat format{std::uint64_t{reader.u8()} + 1, true};
  const Bytes slot = rest(reader);
  if (slot.size() != format.slot_bytes()) return;
  const auto version = check_slot(format, slot);
  const Blob again =
      encode_slot(format, wire::load<std::uint64_t>(slot.data()) | 1, slot.subspan(slot_head_bytes, format.row_bytes));
  TENTER_CHECK(check_slot(format, again.bytes()).has_value());
  if (version) TENTER_CHECK(*version >= first_version);
}

void file_name(Bytes input) {
  const std::string_view text{reinterpret_cast<const char*>(input.data()), input.size()};
  if (const auto file = record_file_name(text)) {
    TENTER_CHECK(variable_of_file_name(*file).value() == text);
    TENTER_CHECK(file->size() <= file_name_bytes_max && file->find('/') == std::string::npos && (*file)[0] != '.');
  }
  if (const auto variable = variable_of_file_name(text)) TENTER_CHECK(record_file_name(*variable).value() == text);
}

void row_plan(Bytes input) {
  wire::Reader reader(input);
  const std::size_t ranks = reader.u8() % 9;
  const RowFormat format{std::uint64_t{reader.u8()} % 40 + 1, reader.u8() % 2 == 1};
  const std::uint64_t read_bytes = reader.u8();
  std::vector<std::uint64_t> rows;
  for (std::size_t i = 0; i < ranks; ++i) rows.push_back(reader.u8() % 32);
  std::vector<RowRange> ranges;
  while (reader.left() >= 2) ranges.push_back({reader.u8(), reader.u8()});
  check_plan(ShardMap(rows), format, ranges, read_bytes);
}

}  // namespace tenter::fuzz
