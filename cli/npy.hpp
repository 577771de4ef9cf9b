// NumPy's .npy files, format 1.0 to 3.0 (numpy.lib.format): C order, little-endian, numbers and booleans.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/blob.hpp"
#include "core/error.hpp"
#include "core/store/dtype.hpp"
#include "hw/posix/descriptor.hpp"

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

// An open file, for whoever reads rows here and there. Errors name the file.
class NpyRows {
 public:
  static Result<NpyRows> open(const std::string& path);
  const NpyHeader& header() const { return header_; }
  const std::string& path() const { return path_; }
  // Rows [first, + rows), exactly as many bytes.
  Result<void> read(std::uint64_t first, std::uint64_t rows, MutableBytes into) const;

 private:
  NpyRows(std::string path, NpyHeader header, hw::Descriptor file)
      : path_(std::move(path)), header_(std::move(header)), file_(std::move(file)) {}
  std::string path_;
  NpyHeader header_;
  hw::Descriptor file_;
};

// A file, format 1.0, piece by piece, under a temporary name beside it until finish(); without that nothing stays. raw and
// bfloat16, which NumPy has not, are written as uint8 and uint16.
class NpyWriter {
 public:
  static Result<NpyWriter> create(const std::string& path, store::DType dtype, const std::vector<std::uint64_t>& shape);
  NpyWriter(NpyWriter&&) noexcept = default;
  NpyWriter& operator=(NpyWriter&&) = delete;
  ~NpyWriter();
  Result<void> append(Bytes data);
  Result<void> finish();

 private:
  NpyWriter(std::string path, hw::Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  std::string temporary() const { return path_ + ".part"; }
  std::string path_;
  hw::Descriptor file_;
};

}  // namespace tenter::cli
