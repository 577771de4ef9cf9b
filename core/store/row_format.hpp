// How rows lie in a core rank's registered region: an identity block, then one slot a row. Sums are made so that they cannot
// wrap: the sizes come from files that anyone may have written (B34).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/describe.hpp"
#include "core/error.hpp"
#include "core/store/dtype.hpp"

namespace tenter::store {

// The start of every region; what stands in it is in identity.hpp.
inline constexpr std::uint64_t identity_bytes = 64;

// Head of a versioned slot: u64 version, u64 checksum; then the row, then zeroes up to a multiple of 8.
inline constexpr std::uint64_t slot_head_bytes = 16;

// No region, and no set of all rows, is larger; so any offset fits a signed 64-bit integer.
inline constexpr std::uint64_t region_bytes_max = std::uint64_t{1} << 62;

constexpr std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b, std::uint64_t limit = region_bytes_max) {
  if (a != 0 && b > limit / a) return std::nullopt;
  return a * b;
}

struct RowFormat {
  std::uint64_t row_bytes = 0;  // at least 1
  bool versioned = false;
  friend bool operator==(const RowFormat&, const RowFormat&) = default;
  TENTER_DESCRIBE(row_format, row_bytes, versioned)

  // From the start of one row's slot to the next one's.
  constexpr std::uint64_t slot_bytes() const { return versioned ? slot_head_bytes + (row_bytes + 7) / 8 * 8 : row_bytes; }
  // Where the row stands in its slot.
  constexpr std::uint64_t head_bytes() const { return versioned ? slot_head_bytes : 0; }
  // Offset of a slot in the region. `local_row` is one that fits a region.
  constexpr std::uint64_t slot_offset(std::uint64_t local_row) const { return identity_bytes + local_row * slot_bytes(); }
  // Bytes of a region of `rows` rows; nothing when it would be larger than region_bytes_max.
  constexpr std::optional<std::uint64_t> region_bytes(std::uint64_t rows) const {
    const auto slots = product(rows, slot_bytes(), region_bytes_max - identity_bytes);
    if (!slots) return std::nullopt;
    return identity_bytes + *slots;
  }
};

// invalid: an unknown dtype, more than 8 dimensions, a dimension of 0, a row larger than region_bytes_max; the text names which.
Result<RowFormat> row_format_of(DType dtype, const std::vector<std::uint64_t>& row_shape, bool versioned);

}  // namespace tenter::store
