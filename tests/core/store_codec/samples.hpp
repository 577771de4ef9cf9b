// Records for the tests, and the tools to break them.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/store/checksum.hpp"
#include "core/store/record.hpp"
#include "core/wire.hpp"
#include "tests/core/mailbox_codec/bytes.hpp"

namespace tenter::store::test {

using mailbox::test::bytes_of;
using mailbox::test::contains;
using mailbox::test::for_each_cut;
using mailbox::test::for_each_flip;
using mailbox::test::hex;
using mailbox::test::mutable_copy;
using mailbox::test::with;

// float32 rows of 2 x 3 on three ranks with 5, 0 and 2 rows.
inline Record sample_record(bool versioned = false) {
  Record record;
  record.generation = {0x0706'0504'0302'0100, 0x0F0E'0D0C'0B0A'0908};
  record.start_time = 1'700'000'000'123'456'789;
  record.owner = {4'321, 987'654};
  record.dtype = DType::float32;
  record.row_shape = {2, 3};
  record.versioned = versioned;
  record.mr_mode = 0x34;
  record.address_format = 3;
  record.heartbeat_ms = 2'000;
  record.job = "train/7";
  record.host = "node-3";
  record.variable = "x/größe 1";
  record.provider = "tcp;ofi_rxm";
  const RowFormat format = format_of(record);
  for (const std::uint64_t rows : {5u, 0u, 2u}) {
    const auto rank = static_cast<char>('0' + record.shards.size());
    record.shards.push_back({Blob("address of " + std::string(1, rank)), Blob(std::string("\1\2\3\4\5\6\7") + rank),
                             0x1000 * (record.shards.size() + 1), *format.region_bytes(rows), rows});
  }
  return record;
}

// `file` with all its checksums made right again: what a writer would have written that holds these wrong values.
inline Blob resealed(const Blob& file) {
  std::vector<std::byte> bytes = mutable_copy(file);
  std::uint32_t sum = crc32c(Bytes(bytes).first(layout::checksum.offset));
  for (std::size_t at = layout::header_bytes; at + layout::record_bytes <= bytes.size(); at += layout::record_bytes) {
    const Bytes summed = Bytes(bytes).subspan(at, layout::record_checksum.offset);
    wire::store(bytes.data() + at + layout::record_checksum.offset, crc32c(summed));
    sum = crc32c(summed, sum);
  }
  wire::store(bytes.data() + layout::checksum.offset, sum);
  return Blob(Bytes(bytes));
}

// Where a field of rank `rank`'s record is in the file.
inline std::size_t at_rank(std::uint32_t rank, const Field& field) {
  return layout::header_bytes + std::size_t{rank} * layout::record_bytes + field.offset;
}

}  // namespace tenter::store::test
