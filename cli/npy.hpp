// NumPy's .npy files, format 1.0 to 3.0 (numpy.lib.format): C order, little-endian, numbers and booleans.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/blob.hpp"
#include "core/error.hpp"
#include "core/store/dtype.hpp"

namespace tenter::cli {

struct NpyHeader {
  store::DType dtype{};
  std::vector<std::uint64_t> shape;  // the first is the number of rows
  std::uint64_t data_offset = 0;     // of the first element in the file

  std::uint64_t rows() const { return shape.empty() ? 0 : shape[0]; }
  std::vector<std::uint64_t> row_shape() const {
    return shape.empty() ? shape : std::vector<std::uint64_t>(shape.begin() + 1, shape.end());
  }
  std::uint64_t row_bytes() const;
};

// `file`: the beginning of a file, at least as much as its header. invalid: the text names what is wrong and where.
Result<NpyHeader> parse_npy(std::string_view file);

// Of a file that exists and is exactly as long as its header says. Errors name the file.
Result<NpyHeader> read_npy_header(const std::string& path);

// Rows [first, + rows) of a file whose header this is.
Result<std::vector<std::byte>> read_npy_rows(const std::string& path, const NpyHeader& header, std::uint64_t first,
                                             std::uint64_t rows);

// A whole file, format 1.0, by a temporary name beside it. raw and bfloat16, which NumPy has not, are written as uint8 and
// uint16.
Result<void> write_npy(const std::string& path, store::DType dtype, const std::vector<std::uint64_t>& shape, Bytes data);

}  // namespace tenter::cli
