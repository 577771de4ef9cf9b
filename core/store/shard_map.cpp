#include "core/store/shard_map.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "core/store/row_format.hpp"

namespace tenter::store {

ShardMap::ShardMap(std::span<const std::uint64_t> rows) {
  ends_.reserve(rows.size());
  std::uint64_t end = 0;
  for (const std::uint64_t count : rows) {
    TENTER_CHECK(count <= region_bytes_max - end);
    end += count;
    ends_.push_back(end);
  }
}

std::optional<RowPlace> ShardMap::place_of(std::uint64_t row) const {
  // The first end above the row: of ranks without rows, whose end is their predecessor's, none is ever it.
  const auto owner = std::upper_bound(ends_.begin(), ends_.end(), row);
  if (owner == ends_.end()) return std::nullopt;
  const Rank rank{static_cast<std::uint32_t>(owner - ends_.begin())};
  return RowPlace{rank, row - first_of(rank)};
}

}  // namespace tenter::store
