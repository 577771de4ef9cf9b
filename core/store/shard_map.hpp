// Which rank holds which row: the rows of rank 0 first, then those of rank 1, and so on. Ranks without rows are passed over.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/describe.hpp"
#include "core/names.hpp"

namespace tenter::store {

struct RowPlace {
  Rank rank{};
  std::uint64_t local_row = 0;  // in the rank's region
  friend bool operator==(const RowPlace&, const RowPlace&) = default;
};

class ShardMap {
 public:
  ShardMap() = default;
  // Rows by rank; together at most 2^62 (check_record() saw to it).
  explicit ShardMap(std::span<const std::uint64_t> rows);

  std::uint32_t ranks() const { return static_cast<std::uint32_t>(ends_.size()); }
  std::uint64_t rows() const { return ends_.empty() ? 0 : ends_.back(); }
  std::uint64_t rows_of(Rank rank) const { return ends_[number(rank)] - first_of(rank); }
  std::uint64_t first_of(Rank rank) const { return number(rank) == 0 ? 0 : ends_[number(rank) - 1]; }

  // Nothing when there is no such row. O(log ranks).
  std::optional<RowPlace> place_of(std::uint64_t row) const;

  friend bool operator==(const ShardMap&, const ShardMap&) = default;
  TENTER_DESCRIBE(shard_map, ends_)

 private:
  std::vector<std::uint64_t> ends_;  // by rank: the first row that is no longer its
};

}  // namespace tenter::store
