// A plan of reads against the plain meaning of the call: row by row out of the regions. For the fuzz target and the properties.
#pragma once
#include <cstddef>
#include <vector>

#include "core/check.hpp"
#include "core/store/plan.hpp"

namespace tenter::fuzz {

// A byte of a region that tells rank and offset.
inline std::byte region_byte(Rank rank, std::uint64_t offset) {
  return static_cast<std::byte>((number(rank) * 151 + offset * 31 + offset / 251) & 0xFF);
}

// What the spans put into a buffer of `bytes`; every byte is put exactly once.
inline std::vector<std::byte> carried_out(const std::vector<store::Span>& spans, std::uint64_t bytes) {
  std::vector<std::byte> buffer(bytes);
  std::vector<bool> put(bytes);
  for (const store::Span& span : spans) {
    for (const store::Piece& piece : span.pieces) {
      TENTER_CHECK(piece.bytes != 0 && piece.from + piece.bytes <= span.bytes && piece.to + piece.bytes <= bytes);
      for (std::uint64_t i = 0; i < piece.bytes; ++i) {
        TENTER_CHECK(!put[piece.to + i]);
        put[piece.to + i] = true;
        buffer[piece.to + i] = region_byte(span.rank, span.offset + piece.from + i);
      }
    }
  }
  for (const bool one : put) TENTER_CHECK(one);
  return buffer;
}

inline std::vector<std::byte> row_by_row(const store::ShardMap& map, const store::RowFormat& format,
                                         const std::vector<store::RowRange>& ranges) {
  std::vector<std::byte> buffer;
  for (const store::RowRange& range : ranges) {
    for (std::uint64_t row = range.first; row < range.first + range.rows; ++row) {
      std::uint32_t rank = 0;
      std::uint64_t local = row;
      while (local >= map.rows_of(Rank{rank})) local -= map.rows_of(Rank{rank++});
      const std::uint64_t at = format.slot_offset(local) + format.head_bytes();
      for (std::uint64_t i = 0; i < format.row_bytes; ++i) buffer.push_back(region_byte(Rank{rank}, at + i));
    }
  }
  return buffer;
}

// Everything that a plan promises.
inline void check_plan(const store::ShardMap& map, const store::RowFormat& format, const std::vector<store::RowRange>& ranges,
                       std::uint64_t read_bytes) {
  const auto bytes = store::check_ranges(map, format, ranges);
  const auto spans = store::plan_reads(map, format, ranges, read_bytes);
  if (!bytes || read_bytes == 0 || (format.versioned && format.slot_bytes() > read_bytes)) {
    TENTER_CHECK(!spans.has_value());
    return;
  }
  TENTER_CHECK(carried_out(*spans, *bytes) == row_by_row(map, format, ranges));
  const store::Span* last = nullptr;
  for (const store::Span& span : *spans) {
    TENTER_CHECK(span.bytes != 0 && span.bytes <= read_bytes && !span.pieces.empty());
    TENTER_CHECK(span.offset >= store::identity_bytes);
    TENTER_CHECK(span.offset + span.bytes <= *format.region_bytes(map.rows_of(span.rank)));
    if (last != nullptr && last->rank == span.rank) {
      TENTER_CHECK(last->offset + last->bytes <= span.offset);  // in order, and no byte is read twice
      const std::uint64_t together = last->bytes + format.slot_bytes();
      TENTER_CHECK(last->offset + last->bytes < span.offset || together > read_bytes);  // adjoining rows are one read
    }
    if (last != nullptr) TENTER_CHECK(last->rank <= span.rank);
    last = &span;
  }
}

}  // namespace tenter::fuzz
