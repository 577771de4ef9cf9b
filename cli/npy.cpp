#include "cli/npy.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "hw/os/file.hpp"

namespace tenter::cli {
namespace {

using store::DType;
constexpr std::string_view magic{"\x93NUMPY", 6};
constexpr std::uint64_t header_bytes_max = 65'536, dimensions_max = 32;

struct Descr {
  std::string_view text;
  DType dtype;
};
constexpr std::array<Descr, 16> descrs{{{"|i1", DType::int8},
                                        {"<i1", DType::int8},
                                        {"<i2", DType::int16},
                                        {"<i4", DType::int32},
                                        {"<i8", DType::int64},
                                        {"|u1", DType::uint8},
                                        {"<u1", DType::uint8},
                                        {"<u2", DType::uint16},
                                        {"<u4", DType::uint32},
                                        {"<u8", DType::uint64},
                                        {"<f2", DType::float16},
                                        {"<f4", DType::float32},
                                        {"<f8", DType::float64},
                                        {"|b1", DType::boolean},
                                        {"<b1", DType::boolean},
                                        {"|V1", DType::raw}}};

tl::unexpected<Error> bad(const std::string& what) { return error(Status::invalid, what); }

// The header is a Python literal of three fixed keys; this reads that literal and nothing else.
class Literal {
 public:
  explicit Literal(std::string_view text) : text_(text) {}
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::optional<std::string_view> string() {
    skip();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return std::nullopt;
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == text_.npos) return std::nullopt;
    const std::string_view found = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return found;
  }
  bool word(std::string_view wanted) {
    skip();
    if (!text_.substr(at_).starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }
  std::optional<std::uint64_t> number() {
    skip();
    std::uint64_t value = 0;
    const auto [end, failed] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (failed != std::errc{}) return std::nullopt;
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }
  bool at_end() {
    skip();
    return at_ == text_.size();
  }
  std::size_t at() const { return at_; }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  std::string_view text_;
  std::size_t at_ = 0;
};

Result<std::vector<std::uint64_t>> shape_of(Literal& literal) {
  std::vector<std::uint64_t> shape;
  if (!literal.take('(')) return bad("the shape is no tuple");
  while (!literal.take(')')) {
    const auto dimension = literal.number();
    if (!dimension) return bad("a dimension of the shape is no number");
    shape.push_back(*dimension);
    if (shape.size() > dimensions_max) return bad("more than 32 dimensions");
    if (literal.take(')')) break;
    if (!literal.take(',')) return bad("the shape is no tuple");
  }
  return shape;
}

Result<DType> dtype_of_descr(Literal& literal) {
  const auto text = literal.string();
  if (!text) return bad("a structured dtype cannot be a variable of the store");
  for (const Descr& descr : descrs)
    if (descr.text == *text) return descr.dtype;
  if (text->starts_with('>')) return bad("dtype " + std::string(*text) + " is big-endian; save it as little-endian");
  return bad("dtype " + std::string(*text) + " cannot be a variable of the store");
}

// False: it does not fit 64 bits.
bool bytes_of(const NpyHeader& header, std::uint64_t& bytes) {
  bytes = store::item_bytes(header.dtype);
  for (const std::uint64_t dimension : header.shape)
    if (__builtin_mul_overflow(bytes, dimension, &bytes)) return false;
  return true;
}

Result<NpyHeader> parse_dictionary(std::string_view text) {
  NpyHeader header;
  bool has_descr = false, has_order = false, has_shape = false;
  Literal literal(text);
  const auto broken = [&] { return bad("the header is no dictionary of NumPy's, at its byte " + std::to_string(literal.at())); };
  if (!literal.take('{')) return broken();
  while (!literal.take('}')) {
    const auto key = literal.string();
    if (!key || !literal.take(':')) return broken();
    if (*key == "descr") {
      auto dtype = dtype_of_descr(literal);
      if (!dtype) return tl::unexpected(dtype.error());
      header.dtype = *dtype;
      has_descr = true;
    } else if (*key == "fortran_order") {
      if (literal.word("True")) return bad("Fortran order; save it in C order (numpy.ascontiguousarray)");
      if (!literal.word("False")) return broken();
      has_order = true;
    } else if (*key == "shape") {
      auto shape = shape_of(literal);
      if (!shape) return tl::unexpected(shape.error());
      header.shape = std::move(*shape);
      has_shape = true;
    } else {
      return bad("unknown key \"" + std::string(*key) + "\" in the header");
    }
    if (literal.take('}')) break;
    if (!literal.take(',')) return broken();
  }
  if (!literal.at_end()) return broken();
  if (!has_descr || !has_order || !has_shape) return bad("the header lacks descr, fortran_order or shape");
  return header;
}

}  // namespace

std::uint64_t NpyHeader::row_bytes() const {
  std::uint64_t bytes = store::item_bytes(dtype);
  for (std::size_t i = 1; i < shape.size(); ++i) bytes *= shape[i];
  return bytes;
}

Result<NpyHeader> parse_npy(std::string_view file) {
  if (file.substr(0, magic.size()) != magic) return bad("this is no .npy file: it does not begin with \\x93NUMPY");
  if (file.size() < 10) return bad("cut in its first 10 bytes");
  const auto byte = [&](std::size_t at) { return std::uint64_t{static_cast<unsigned char>(file[at])}; };
  if (byte(6) < 1 || byte(6) > 3 || byte(7) != 0)
    return bad("format " + std::to_string(byte(6)) + "." + std::to_string(byte(7)) + "; 1.0, 2.0 and 3.0 are known");
  const std::uint64_t before = byte(6) == 1 ? 10 : 12;
  if (file.size() < before) return bad("cut in its first 12 bytes");
  std::uint64_t length = byte(8) | byte(9) << 8;
  if (before == 12) length |= byte(10) << 16 | byte(11) << 24;
  if (length > header_bytes_max) return bad("a header of " + std::to_string(length) + " bytes; at most 65536 are taken");
  if (file.size() - before < length)
    return bad("cut in its header: " + std::to_string(file.size() - before) + " of " + std::to_string(length) + " bytes");
  auto header = parse_dictionary(file.substr(before, length));
  if (!header) return header;
  header->data_offset = before + length;
  std::uint64_t bytes = 0;
  if (!bytes_of(*header, bytes) || bytes > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
    return bad("its shape is larger than memory can be");
  return header;
}

Result<NpyHeader> read_npy_header(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return error(Status::not_found, path + ": cannot be opened");
  std::string head(header_bytes_max + 12, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  auto header = parse_npy(head);
  if (!header) return error(header.error().status, path + ": " + header.error().what);
  std::error_code failed;
  const std::uint64_t size = std::filesystem::file_size(path, failed);
  std::uint64_t wanted = 0;
  (void)bytes_of(*header, wanted);
  wanted += header->data_offset;
  if (failed || size != wanted)
    return bad(path + ": " + std::to_string(size) + " bytes, its header says " + std::to_string(wanted));
  return header;
}

Result<NpyRows> NpyRows::open(const std::string& path) {
  auto header = read_npy_header(path);
  if (!header) return tl::unexpected(header.error());
  hw::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return error(Status::not_found, path + ": cannot be opened", errno);
  return NpyRows(path, std::move(*header), std::move(file));
}

Result<void> NpyRows::read(std::uint64_t first, std::uint64_t rows, MutableBytes into) const {
  if (first > header_.rows() || rows > header_.rows() - first || into.size() != rows * header_.row_bytes())
    return bad(path_ + ": rows " + std::to_string(first) + ":" + std::to_string(first + rows) + " of " +
               std::to_string(header_.rows()));
  std::uint64_t at = header_.data_offset + first * header_.row_bytes();
  while (!into.empty()) {
    const ssize_t got = ::pread(file_.get(), into.data(), into.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return error(Status::failed, path_ + ": cannot be read at byte " + std::to_string(at), errno);
    into = into.subspan(static_cast<std::size_t>(got));
    at += static_cast<std::uint64_t>(got);
  }
  return {};
}

Result<std::vector<std::byte>> read_npy_rows(const std::string& path, const NpyHeader& header, std::uint64_t first,
                                             std::uint64_t rows) {
  const auto file = NpyRows::open(path);
  if (!file) return tl::unexpected(file.error());
  std::vector<std::byte> bytes(rows * header.row_bytes());
  if (auto done = file->read(first, rows, bytes); !done) return tl::unexpected(done.error());
  return bytes;
}

Result<NpyWriter> NpyWriter::create(const std::string& path, DType dtype, const std::vector<std::uint64_t>& shape) {
  std::string descr = dtype == DType::raw ? "|u1" : dtype == DType::bfloat16 ? "<u2" : "";
  for (const Descr& known : descrs)
    if (descr.empty() && known.dtype == dtype) descr = known.text;
  std::string head = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i)
    head += std::to_string(shape[i]) + (shape.size() == 1 ? "," : i + 1 < shape.size() ? ", " : "");
  head += "), }";
  while ((10 + head.size() + 1) % 64 != 0) head += ' ';
  head += '\n';
  const std::string before =
      std::string(magic) + '\x01' + '\0' + static_cast<char>(head.size() & 0xFF) + static_cast<char>(head.size() >> 8) + head;
  NpyWriter writer(path, hw::Descriptor(::open((path + ".part").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)));
  if (!writer.file_) return error(Status::no_space, path + ": cannot be written: " + std::strerror(errno), errno);
  if (auto done = writer.append(std::as_bytes(std::span(before.data(), before.size()))); !done)
    return tl::unexpected(done.error());
  return writer;
}

NpyWriter::~NpyWriter() {
  if (file_) ::unlink(temporary().c_str());
}

Result<void> NpyWriter::append(Bytes data) {
  const int native = os::write_all(file_.get(), data).native;
  if (native != 0) return error(Status::no_space, path_ + ": cannot be written: " + std::strerror(native), native);
  return {};
}

Result<void> NpyWriter::finish() {
  if (::rename(temporary().c_str(), path_.c_str()) != 0)
    return error(Status::no_space, path_ + ": cannot be written: " + std::strerror(errno), errno);
  file_ = hw::Descriptor();
  return {};
}

}  // namespace tenter::cli
