#include "core/store/row_format.hpp"

#include "core/store/layout.hpp"
#include "core/text.hpp"

namespace tenter::store {

Result<RowFormat> row_format_of(DType dtype, const std::vector<std::uint64_t>& row_shape, bool versioned) {
  if (!is_valid(dtype)) return error(Status::invalid, "dtype is " + text_of(number(dtype)) + ", wanted 1 to 14");
  if (row_shape.size() > layout::dimensions_max)
    return error(Status::invalid, "row shape has " + text_of(std::uint64_t{row_shape.size()}) + " dimensions, at most " +
                                      text_of(layout::dimensions_max));
  std::uint64_t bytes = item_bytes(dtype);
  for (std::size_t i = 0; i < row_shape.size(); ++i) {
    if (row_shape[i] == 0) return error(Status::invalid, "row shape: dimension " + text_of(std::uint64_t{i}) + " is 0");
    // Room for a head and its padding, so that a slot of one row always fits a region.
    const auto next = product(bytes, row_shape[i], region_bytes_max - identity_bytes - 2 * slot_head_bytes);
    if (!next)
      return error(Status::invalid, "row shape: with dimension " + text_of(std::uint64_t{i}) + ", which is " +
                                        text_of(row_shape[i]) + ", a row has more than 2^62 bytes");
    bytes = *next;
  }
  return RowFormat{bytes, versioned};
}

}  // namespace tenter::store
