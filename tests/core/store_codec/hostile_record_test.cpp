// Records whose checksums are right and whose values are not: somebody wrote them so. D22, X02, B34.
#include <limits>

#include "core/store/record.hpp"
#include "tests/core/store_codec/samples.hpp"

namespace tenter::store::test {
namespace hostile_record_test {
namespace {

constexpr std::uint64_t max64 = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t max32 = std::numeric_limits<std::uint32_t>::max();

template <class T>
auto decoded_with(std::size_t offset, T value, bool versioned = false) {
  return decode_record(resealed(with(encode_record(sample_record(versioned)), offset, value)).bytes());
}

TEST(HostileRecord, a_core_count_that_the_file_does_not_hold_is_refused_before_anything_is_allocated) {
  for (const std::uint32_t cores : {0u, max32, layout::cores_max + 1, 0x8000'0000u})
    EXPECT_REFUSED(decoded_with(layout::cores.offset, cores), ("cores at offset 72 is " + std::to_string(cores)).c_str());
  for (const std::uint32_t cores : {1u, 2u, 4u, layout::cores_max})
    EXPECT_REFUSED(decoded_with(layout::cores.offset, cores), "file_bytes at offset 24 is 2128");
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{2'127}, max64, max64 - 1, std::uint64_t{1} << 63})
    EXPECT_REFUSED(decoded_with(layout::file_size.offset, bytes),
                   ("file_bytes at offset 24 is " + std::to_string(bytes)).c_str());
}

TEST(HostileRecord, ranks_are_in_order_and_each_once) {
  for (const std::uint32_t rank : {0u, 2u, 3u, max32})
    EXPECT_REFUSED(decoded_with(at_rank(1, layout::rank), rank),
                   ("rank 1: rank at offset 1392 is " + std::to_string(rank) + ", wanted 1").c_str());
}

TEST(HostileRecord, lengths_beyond_their_slots_are_refused) {
  for (const std::uint32_t length : {257u, 2'129u, max32})
    EXPECT_REFUSED(decoded_with(at_rank(2, layout::address_length), length),
                   ("rank 2: address_bytes at offset 1764 is " + std::to_string(length) + ", wanted at most 256").c_str());
  for (const std::uint32_t length : {65u, 65'535u, max32})
    EXPECT_REFUSED(decoded_with(at_rank(2, layout::key_length), length), "rank 2: key_bytes at offset 1768");
  EXPECT_REFUSED(decoded_with(at_rank(0, layout::address_length), 0u), "rank 0: address at offset 1128", "not 0");
  for (const Field& field : {layout::job_length, layout::host_length, layout::name_length, layout::provider_length})
    EXPECT_REFUSED(decoded_with(field.offset, max32), std::string(field.name).c_str(), "wanted at most");
}

TEST(HostileRecord, full_slots_are_fine_and_empty_ones_are_not) {
  Record record = sample_record();
  record.shards[0].address = Blob(std::string(256, 'a'));
  record.shards[0].key = Blob(std::string(64, 'k'));
  record.job = std::string(64, 'j');
  record.variable = std::string(256, 'v');
  EXPECT_EQ(decode_record(encode_record(record).bytes()).value(), record);
  record.shards[1].address = Blob();
  EXPECT_REFUSED(check_record(record), "rank 1: address_bytes at offset 1396 is 0, wanted 1 to 256");
  record.shards[1].address = record.shards[0].address;
  record.shards[1].key = Blob();
  EXPECT_REFUSED(check_record(record), "rank 1: key_bytes at offset 1400 is 0, wanted 1 to 64");
}

TEST(HostileRecord, a_region_that_wraps_or_is_too_short_is_refused) {
  const auto refused = [](const Field& field, std::uint64_t value, const char* text) {
    EXPECT_REFUSED(decoded_with(at_rank(2, field), value), "rank 2", text);
  };
  refused(layout::region_bytes, 111, "region_bytes at offset 1784 is 111, wanted at least 112 for 2 rows");
  refused(layout::region_bytes, 0, "wanted at least 112");
  for (const std::uint64_t bytes : {(std::uint64_t{1} << 62) + 1, std::uint64_t{1} << 63, max64 - 1, max64})
    refused(layout::region_bytes, bytes, "wanted at most 2^62");
  refused(layout::base, max64 - 110, "do not wrap");
  EXPECT_TRUE(decoded_with(at_rank(2, layout::base), max64 - 112));
  Record wrapping = sample_record();
  wrapping.shards[0].base = 0xFFFF'FFFF'FFFF'F000;
  wrapping.shards[0].region_bytes = 0x2000;
  EXPECT_REFUSED(check_record(wrapping), "rank 0: base at offset 1040", "8192, do not wrap");
}

TEST(HostileRecord, rows_whose_bytes_or_sum_overflow_are_refused) {
  for (const std::uint64_t rows : {max64, std::uint64_t{1} << 63, (std::uint64_t{1} << 62) / 24 + 1})
    EXPECT_REFUSED(decoded_with(at_rank(1, layout::rows), rows), "rank 1: rows at offset 1424", "2^62");
  EXPECT_REFUSED(decoded_with(at_rank(1, layout::rows), std::uint64_t{1}), "rank 1: region_bytes", "for 1 rows");
  Record record = sample_record();
  record.row_shape = {};
  record.dtype = DType::raw;
  for (Shard& shard : record.shards) {
    shard.rows = (std::uint64_t{1} << 62) - 64;
    shard.region_bytes = std::uint64_t{1} << 62;
  }
  EXPECT_REFUSED(check_record(record), "rank 1: rows at offset 1424", "with those before");
  for (const std::uint64_t rows : {std::uint64_t{0}, std::uint64_t{8}, max64})
    EXPECT_REFUSED(decoded_with(layout::total_rows.offset, rows), "total_rows at offset 152", "wanted 7");
}

TEST(HostileRecord, a_row_shape_that_overflows_or_is_empty_is_refused) {
  for (const std::uint64_t extent : {std::uint64_t{1} << 63, max64, std::uint64_t{1} << 61})
    EXPECT_REFUSED(decoded_with(layout::row_shape.offset, extent), "row_shape at offset 88", "2^62");
  EXPECT_REFUSED(decoded_with(layout::row_shape.offset + 8, std::uint64_t{0}), "row_shape at offset 88", "dimension 1 is 0");
  EXPECT_REFUSED(decoded_with(layout::row_shape.offset + 16, std::uint64_t{1}), "row_shape at offset 104 is 1", "after the last");
  for (const std::uint32_t dimensions : {9u, max32})
    EXPECT_REFUSED(decoded_with(layout::dimensions.offset, dimensions), "dimensions at offset 80", "0 to 8");
  EXPECT_REFUSED(decoded_with(layout::dimensions.offset, 3u), "dimension 2 is 0");
  for (const std::uint32_t dtype : {0u, 15u, max32})
    EXPECT_REFUSED(decoded_with(layout::dtype.offset, dtype), "dtype at offset 76", "1 to 14");
}

TEST(HostileRecord, texts_are_utf_8_without_zero_bytes) {
  EXPECT_REFUSED(decoded_with(layout::name.offset + 3, std::uint8_t{0xFF}), "name at offset 512", "no UTF-8 at offset 515");
  EXPECT_REFUSED(decoded_with(layout::host.offset + 2, std::uint8_t{0}), "host at offset 256", "a zero byte at offset 258");
  EXPECT_REFUSED(decoded_with(layout::job.offset + 20, std::uint8_t{1}), "job at offset 192", "at offset 212");
  EXPECT_REFUSED(decoded_with(layout::name_length.offset, 0u), "name at offset 512", "not 0");
  Record nameless = sample_record();
  nameless.variable.clear();
  EXPECT_REFUSED(check_record(nameless), "name_bytes at offset 184 is 0, wanted 1 to 256");
}

TEST(HostileRecord, whatever_is_not_used_is_zero) {
  EXPECT_REFUSED(decoded_with(layout::reserved.offset, std::uint8_t{1}), "reserved at offset 832");
  EXPECT_REFUSED(decoded_with(layout::reserved.end() - 1, std::uint8_t{1}), "the byte at offset 1019");
  EXPECT_REFUSED(decoded_with(at_rank(1, layout::gap), 1u), "rank 1: gap at offset 1404");
  EXPECT_REFUSED(decoded_with(at_rank(1, layout::record_gap), 1u), "rank 1: record_gap at offset 1752");
  EXPECT_REFUSED(decoded_with(at_rank(1, layout::key) + 63, std::uint8_t{1}), "rank 1: key at offset 1432", "at offset 1495");
  for (const std::uint32_t flags : {2u, 3u, max32})
    EXPECT_REFUSED(decoded_with(layout::flags.offset, flags), "flags at offset 84", "no bit but bit 0");
}

TEST(HostileRecord, nobodys_generation_and_no_heartbeat_are_refused) {
  Record record = sample_record();
  record.generation = {};
  EXPECT_REFUSED(check_record(record), "generation at offset 32 is 00000000000000000000000000000000");
  EXPECT_REFUSED(decoded_with(layout::heartbeat.offset, 0u), "heartbeat_ms at offset 172 is 0, wanted at least 1");
}

// Every integer of the header and of a record at its extremes: an error or a record that encodes to exactly these bytes.
TEST(HostileRecord, every_integer_at_its_extremes_is_refused_or_kept) {
  std::vector<std::pair<std::size_t, std::uint32_t>> integers;
  for (const Field& field : layout::header_fields)
    if (field.bytes == 4 || field.bytes == 8) integers.emplace_back(field.offset, field.bytes);
  for (std::uint32_t i = 0; i < layout::dimensions_max; ++i) integers.emplace_back(layout::row_shape.offset + 8 * i, 8);
  for (const Field& field : layout::record_fields)
    if (field.bytes == 4 || field.bytes == 8) integers.emplace_back(at_rank(1, field), field.bytes);
  for (const bool versioned : {false, true}) {
    for (const auto& [offset, bytes] : integers) {
      for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, max64, max64 - 1, std::uint64_t{1} << 31,
                                        std::uint64_t{1} << 63, std::uint64_t{0x7FFF'FFFF}, max64 >> 1}) {
        const Blob good = encode_record(sample_record(versioned));
        const Blob file =
            resealed(bytes == 4 ? with(good, offset, static_cast<std::uint32_t>(value)) : with(good, offset, value));
        const auto read = decode_record(file.bytes());
        if (read.has_value()) {
          EXPECT_EQ(encode_record(*read), file) << "offset " << offset << " value " << value;
        } else {
          EXPECT_TRUE(contains(read.error().what, "at offset ")) << read.error().what;
        }
      }
    }
  }
}

}  // namespace
}  // namespace hostile_record_test
}  // namespace tenter::store::test
