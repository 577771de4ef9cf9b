#include "core/store/plan.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace tenter::store {
namespace {

// Adjoining rows of one rank, wanted at one place of the buffer.
struct Run {
  Rank rank{};
  std::uint64_t local_row = 0, rows = 0, to = 0;
  std::uint64_t end_row() const { return local_row + rows; }
};

// The ranges, cut where one shard ends and the next begins, by place in the regions; equal places in the order of the call.
std::vector<Run> runs_of(const ShardMap& map, const RowFormat& format, std::span<const RowRange> ranges) {
  std::vector<Run> runs;
  runs.reserve(ranges.size());
  std::uint64_t to = 0;
  for (const RowRange& range : ranges) {
    for (std::uint64_t row = range.first, left = range.rows; left != 0;) {
      const RowPlace place = *map.place_of(row);
      const std::uint64_t rows = std::min(left, map.rows_of(place.rank) - place.local_row);
      runs.push_back({place.rank, place.local_row, rows, to});
      to += rows * format.row_bytes;
      row += rows;
      left -= rows;
    }
  }
  std::stable_sort(runs.begin(), runs.end(),
                   [](const Run& a, const Run& b) { return a.rank != b.rank ? a.rank < b.rank : a.local_row < b.local_row; });
  return runs;
}

// A piece that continues the last one, in the span and in the buffer, makes it longer.
void add_piece(Span& span, const Piece& piece) {
  if (!span.pieces.empty()) {
    Piece& last = span.pieces.back();
    if (last.from + last.bytes == piece.from && last.to + last.bytes == piece.to) {
      last.bytes += piece.bytes;
      return;
    }
  }
  span.pieces.push_back(piece);
}

// Spans of `span_bytes` each that cover [begin, end) of one rank's region; the last one may be shorter.
class Stretch {
 public:
  Stretch(Rank rank, std::uint64_t begin, std::uint64_t end, std::uint64_t span_bytes, std::vector<Span>& spans)
      : begin_(begin), span_bytes_(span_bytes), first_(spans.size()), spans_(spans) {
    for (std::uint64_t at = begin; at < end; at += span_bytes) spans_.push_back({rank, at, std::min(span_bytes, end - at), {}});
  }

  // [offset, offset + bytes) of the region belongs at `to`.
  void add(std::uint64_t offset, std::uint64_t bytes, std::uint64_t to) {
    while (bytes != 0) {
      Span& span = spans_[first_ + (offset - begin_) / span_bytes_];
      const std::uint64_t here = std::min(bytes, span.offset + span.bytes - offset);
      add_piece(span, {offset - span.offset, to, here});
      offset += here;
      bytes -= here;
      to += here;
    }
  }

 private:
  std::uint64_t begin_, span_bytes_;
  std::size_t first_;
  std::vector<Span>& spans_;
};

void add_run(const RowFormat& format, const Run& run, Stretch& stretch) {
  if (!format.versioned) return stretch.add(format.slot_offset(run.local_row), run.rows * format.row_bytes, run.to);
  for (std::uint64_t i = 0; i < run.rows; ++i)  // a row's head and padding are nobody's
    stretch.add(format.slot_offset(run.local_row + i) + format.head_bytes(), format.row_bytes, run.to + i * format.row_bytes);
}

}  // namespace

Result<std::uint64_t> check_ranges(const ShardMap& map, const RowFormat& format, std::span<const RowRange> ranges) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const RowRange& range = ranges[i];
    const auto place = [&] { return ranges.size() == 1 ? std::string() : "range " + text_of(std::uint64_t{i}) + ": "; };
    if (range.first > map.rows() || range.rows > map.rows() - range.first)
      return error(Status::invalid, place() + text_of(range.rows) + " rows from row " + text_of(range.first) +
                                        " on are wanted, there are " + text_of(map.rows()));
    const auto more = product(range.rows, format.row_bytes, region_bytes_max - bytes);
    if (!more) return error(Status::invalid, place() + "the rows wanted have more than 2^62 bytes");
    bytes += *more;
  }
  return bytes;
}

Result<std::vector<Span>> plan_reads(const ShardMap& map, const RowFormat& format, std::span<const RowRange> ranges,
                                     std::uint64_t span_bytes_max) {
  if (auto bytes = check_ranges(map, format, ranges); !bytes) return tl::unexpected(bytes.error());
  const std::uint64_t slot = format.slot_bytes();
  if (span_bytes_max == 0 || (format.versioned && slot > span_bytes_max))
    return error(Status::invalid, "a read has at most " + text_of(span_bytes_max) + " bytes, a row with its version " +
                                      text_of(slot) + ": it cannot be read in one");
  const std::uint64_t span_bytes = slot <= span_bytes_max ? span_bytes_max / slot * slot : span_bytes_max;
  const std::vector<Run> runs = runs_of(map, format, ranges);
  std::vector<Span> spans;
  for (std::size_t first = 0, next = 0; first < runs.size(); first = next) {
    std::uint64_t end = runs[first].end_row();
    for (next = first + 1; next < runs.size() && runs[next].rank == runs[first].rank && runs[next].local_row <= end; ++next)
      end = std::max(end, runs[next].end_row());
    Stretch stretch(runs[first].rank, format.slot_offset(runs[first].local_row), format.slot_offset(end), span_bytes, spans);
    for (std::size_t i = first; i < next; ++i) add_run(format, runs[i], stretch);
  }
  return spans;
}

}  // namespace tenter::store
