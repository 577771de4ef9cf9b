// Shards, formats, slots and plans.
#include <limits>

#include "core/store/plan.hpp"
#include "core/store/slot.hpp"
#include "tests/core/store_codec/samples.hpp"

namespace tenter::store::test {
namespace rows_test {
namespace {

constexpr std::uint64_t max64 = std::numeric_limits<std::uint64_t>::max();

ShardMap map_of(const std::vector<std::uint64_t>& rows) { return ShardMap(rows); }

std::vector<Span> planned(const std::vector<std::uint64_t>& shards, const std::vector<RowRange>& ranges,
                          std::uint64_t limit = 1'000, const RowFormat& format = {10, false}) {
  return plan_reads(map_of(shards), format, ranges, limit).value();
}

TEST(DTypes, have_their_sizes_and_names) {
  const std::pair<const char*, std::uint32_t> dtypes[] = {
      {"int8", 1},   {"int16", 2},   {"int32", 4},    {"int64", 8},   {"uint8", 1},   {"uint16", 2}, {"uint32", 4},
      {"uint64", 8}, {"float16", 2}, {"bfloat16", 2}, {"float32", 4}, {"float64", 8}, {"bool", 1},   {"bytes", 1}};
  for (const auto& [name, bytes] : dtypes) {
    ASSERT_TRUE(dtype_of(name)) << name;
    EXPECT_EQ(item_bytes(*dtype_of(name)), bytes) << name;
    EXPECT_EQ(to_string(*dtype_of(name)), name);
  }
  EXPECT_FALSE(dtype_of("float"));
  EXPECT_FALSE(is_valid(DType{0}) || is_valid(DType{15}));
  EXPECT_EQ(item_bytes(DType{15}), 0u);
}

TEST(RowFormats, multiply_without_wrapping) {
  EXPECT_EQ(row_format_of(DType::float32, {2, 3}, false).value(), (RowFormat{24, false}));
  EXPECT_EQ(row_format_of(DType::int8, {}, true).value(), (RowFormat{1, true}));
  EXPECT_REFUSED(row_format_of(DType::float64, {max64}, false), "dimension 0", "2^62");
  EXPECT_REFUSED(row_format_of(DType::float64, {1u << 31, 1u << 31, 1u << 31}, false), "dimension 1", "2^62");
  EXPECT_REFUSED(row_format_of(DType::float64, {4, 0}, false), "dimension 1 is 0");
  EXPECT_REFUSED(row_format_of(DType::float64, std::vector<std::uint64_t>(9, 1), false), "9 dimensions, at most 8");
  EXPECT_EQ((RowFormat{10, false}.region_bytes(3)), 64u + 30u);
  EXPECT_EQ((RowFormat{10, true}.region_bytes(3)), 64u + 3 * 32u);
  EXPECT_EQ((RowFormat{1, false}.region_bytes((std::uint64_t{1} << 62) - 64)), std::uint64_t{1} << 62);
  EXPECT_FALSE((RowFormat{1, false}.region_bytes((std::uint64_t{1} << 62) - 63)));
  EXPECT_FALSE((RowFormat{1, true}.region_bytes(std::uint64_t{1} << 60)));
}

TEST(Shards, know_whose_a_row_is_and_pass_over_ranks_without_rows) {
  const ShardMap map = map_of({0, 3, 0, 0, 2, 0});
  EXPECT_EQ(map.rows(), 5u);
  for (std::uint64_t row = 0; row < 3; ++row) EXPECT_EQ(map.place_of(row), (RowPlace{Rank{1}, row}));
  for (std::uint64_t row = 3; row < 5; ++row) EXPECT_EQ(map.place_of(row), (RowPlace{Rank{4}, row - 3}));
  EXPECT_FALSE(map.place_of(5));
  EXPECT_FALSE(map.place_of(max64));
  EXPECT_FALSE(ShardMap().place_of(0));
  EXPECT_FALSE(map_of({0, 0}).place_of(0));
}

// D24, B34.
TEST(Ranges, that_leave_the_rows_are_refused_before_anything_is_added) {
  const RowFormat format{10, false};
  const ShardMap map = map_of({4'000, 96});
  const auto bytes = [&](std::uint64_t first, std::uint64_t rows) {
    const RowRange range{first, rows};
    return check_ranges(map, format, {&range, 1});
  };
  EXPECT_EQ(bytes(0, 4'096).value(), 40'960u);
  EXPECT_EQ(bytes(4'095, 1).value(), 10u);
  EXPECT_EQ(bytes(4'096, 0).value(), 0u);
  EXPECT_REFUSED(bytes(4'096, 1), "1 rows from row 4096 on are wanted, there are 4096");
  EXPECT_REFUSED(bytes(4'097, 0), "from row 4097");
  EXPECT_REFUSED(bytes(max64 - 7, 8), "from row 18446744073709551608");
  EXPECT_REFUSED(bytes(max64, 2), "2 rows");
  EXPECT_REFUSED(bytes(0, std::uint64_t{1} << 63), "9223372036854775808 rows");
  EXPECT_REFUSED(bytes(1, max64), "from row 1 on");
  const RowRange two[] = {{0, 1}, {4'096, 1}};
  EXPECT_REFUSED(check_ranges(map, format, two), "range 1: 1 rows from row 4096");
  const RowFormat large{std::uint64_t{1} << 61, false};
  const RowRange many[] = {{0, 1}, {1, 1}, {0, 1}};
  EXPECT_REFUSED(check_ranges(map_of({2}), large, many), "range 2", "2^62");
}

TEST(Plans, adjoining_rows_are_one_read_that_lands_as_it_is) {
  const auto spans = planned({5, 5}, {{1, 2}, {3, 1}});
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0], (Span{Rank{0}, 64 + 10, 30, {{0, 0, 30}}}));
  EXPECT_TRUE(spans[0].lands_as_it_is());
}

TEST(Plans, a_get_over_shards_is_a_read_a_shard) {
  const auto spans = planned({3, 0, 2, 4}, {{1, 7}});
  ASSERT_EQ(spans.size(), 3u);
  EXPECT_EQ(spans[0], (Span{Rank{0}, 74, 20, {{0, 0, 20}}}));
  EXPECT_EQ(spans[1], (Span{Rank{2}, 64, 20, {{0, 20, 20}}}));
  EXPECT_EQ(spans[2], (Span{Rank{3}, 64, 30, {{0, 40, 30}}}));
}

TEST(Plans, rows_wanted_in_another_order_or_twice_are_read_once_and_copied) {
  const auto spans = planned({8}, {{5, 1}, {3, 1}, {4, 1}, {3, 1}});
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0], (Span{Rank{0}, 64 + 30, 30, {{0, 10, 10}, {0, 30, 10}, {10, 20, 10}, {20, 0, 10}}}));
  EXPECT_FALSE(spans[0].lands_as_it_is());
}

// The same plan with every library: equal places keep the order of the call.
TEST(Plans, a_row_wanted_many_times_is_copied_in_the_order_of_the_call) {
  const auto spans = planned({8}, std::vector<RowRange>(100, RowRange{3, 1}));
  ASSERT_EQ(spans.size(), 1u);
  ASSERT_EQ(spans[0].pieces.size(), 100u);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(spans[0].pieces[i], (Piece{0, 10 * i, 10}));
}

TEST(Plans, a_row_that_is_not_wanted_is_not_read) {
  const auto spans = planned({8}, {{1, 1}, {3, 1}});
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0], (Span{Rank{0}, 74, 10, {{0, 0, 10}}}));
  EXPECT_EQ(spans[1], (Span{Rank{0}, 94, 10, {{0, 10, 10}}}));
}

TEST(Plans, a_read_is_no_larger_than_the_limit_and_ends_with_a_row_where_it_can) {
  const auto spans = planned({8}, {{0, 8}}, 35);
  ASSERT_EQ(spans.size(), 3u);
  EXPECT_EQ(spans[0], (Span{Rank{0}, 64, 30, {{0, 0, 30}}}));
  EXPECT_EQ(spans[2], (Span{Rank{0}, 124, 20, {{0, 60, 20}}}));
  const auto parts = planned({2}, {{1, 1}}, 4);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0], (Span{Rank{0}, 74, 4, {{0, 0, 4}}}));
  EXPECT_EQ(parts[2], (Span{Rank{0}, 82, 2, {{0, 8, 2}}}));
}

TEST(Plans, a_versioned_row_is_read_with_its_head_and_never_in_parts) {
  const RowFormat format{10, true};
  const auto spans = planned({4}, {{2, 2}}, 1'000, format);
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0], (Span{Rank{0}, 64 + 64, 64, {{16, 0, 10}, {48, 10, 10}}}));
  const RowRange one{0, 1};
  EXPECT_REFUSED(plan_reads(map_of({4}), format, {&one, 1}, 31), "at most 31 bytes", "32");
  EXPECT_REFUSED(plan_reads(map_of({4}), RowFormat{10, false}, {&one, 1}, 0), "at most 0 bytes");
}

TEST(Plans, nothing_wanted_is_nothing_read) {
  EXPECT_TRUE(planned({4, 4}, {}).empty());
  EXPECT_TRUE(planned({4, 4}, {{4, 0}, {8, 0}}).empty());
}

TEST(Slots, a_row_comes_back_with_its_version) {
  const RowFormat format{5, true};
  const Blob slot = encode_slot(format, 7, bytes_of("hello"));
  ASSERT_EQ(slot.size(), 24u);
  EXPECT_EQ(hex(slot.bytes().first(8)), "0700000000000000");
  EXPECT_EQ(slot.text().substr(16, 5), "hello");
  EXPECT_EQ(check_slot(format, slot.bytes()).value(), 7u);
}

TEST(Slots, any_flipped_bit_of_head_or_row_is_a_torn_row) {
  const RowFormat format{5, true};
  for_each_flip(encode_slot(format, 7, bytes_of("hello")), [&](Bytes flipped, std::size_t at) {
    const auto version = check_slot(format, flipped);
    const bool padding = at >= 16 + 5;  // nobody's
    ASSERT_EQ(version.has_value(), padding) << at;
    ASSERT_TRUE(padding || version.error().status == Status::unavailable);
  });
}

// Anchors 3.4: chunks of 8 bytes, each sampled before or after an update.
TEST(Slots, every_mixture_of_two_versions_in_words_is_torn) {
  const RowFormat format{24, true};
  const Blob before = encode_slot(format, 1, bytes_of("aaaaaaaaaaaaaaaaaaaaaaaa"));
  const Blob after = encode_slot(format, 2, bytes_of("aaaaaaaabbbbbbbbaaaaaaaa"));
  for (unsigned mask = 0; mask < 32; ++mask) {
    std::vector<std::byte> mixed = mutable_copy(before);
    for (unsigned word = 0; word < 5; ++word)
      if ((mask >> word & 1) != 0) std::copy_n(after.bytes().begin() + 8 * word, 8, mixed.begin() + 8 * word);
    const auto version = check_slot(format, mixed);
    const bool whole = Blob(Bytes(mixed)) == before || Blob(Bytes(mixed)) == after;
    EXPECT_EQ(version.has_value(), whole) << mask;
  }
}

TEST(Slots, zeroed_memory_is_no_row) {
  const RowFormat format{8, true};
  EXPECT_REFUSED(check_slot(format, bytes_of(std::string(24, '\0'))), "row torn: version 0");
}

}  // namespace
}  // namespace rows_test
}  // namespace tenter::store::test
