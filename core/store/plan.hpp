// From the rows that somebody wants to the reads that fetch them: few, large, each within one rank's region, in an order that
// depends on nothing but the call.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/describe.hpp"
#include "core/error.hpp"
#include "core/store/row_format.hpp"
#include "core/store/shard_map.hpp"

namespace tenter::store {

// Rows wanted one after another. A call is a list of these; their rows stand in the caller's buffer in the order of the list,
// back to back, row_bytes each.
struct RowRange {
  std::uint64_t first = 0;
  std::uint64_t rows = 0;
  friend bool operator==(const RowRange&, const RowRange&) = default;
  TENTER_DESCRIBE(row_range, first, rows)
};

// Bytes of a span that belong into the caller's buffer.
struct Piece {
  std::uint64_t from = 0;  // offset in the span
  std::uint64_t to = 0;    // offset in the buffer
  std::uint64_t bytes = 0;
  friend bool operator==(const Piece&, const Piece&) = default;
  TENTER_DESCRIBE(piece, from, to, bytes)
};

// One one-sided read. A span whose only piece is the whole of it can land in the buffer as it is; any other is read aside and
// copied, so that a row that turns out torn, or a row wanted twice, costs no second span.
struct Span {
  Rank rank{};
  std::uint64_t offset = 0;  // in the rank's region
  std::uint64_t bytes = 0;
  std::vector<Piece> pieces;  // by the row that they begin with
  friend bool operator==(const Span&, const Span&) = default;
  TENTER_DESCRIBE(span, rank, offset, bytes, pieces)
  bool lands_as_it_is() const { return pieces.size() == 1 && pieces.front().from == 0 && pieces.front().bytes == bytes; }
};

// Bytes of the buffer that a call fills. invalid: the text names the range that is outside the rows, or whose bytes overflow.
Result<std::uint64_t> check_ranges(const ShardMap& map, const RowFormat& format, std::span<const RowRange> ranges);

// The reads, by rank and offset. Rows that adjoin in a region are one span of at most `span_bytes_max`, also when they are wanted
// in another order; a row wanted several times is read once. A row larger than that is read in parts, a versioned one never:
// invalid, with both sizes. No span is empty.
Result<std::vector<Span>> plan_reads(const ShardMap& map, const RowFormat& format, std::span<const RowRange> ranges,
                                     std::uint64_t span_bytes_max);

}  // namespace tenter::store
