// Bounds-checked little-endian reading and writing, byte by byte: no cast, no padding, the same on every host.
#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "core/blob.hpp"

namespace tenter::wire {

template <std::unsigned_integral T>
constexpr void store(std::byte* to, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) to[i] = static_cast<std::byte>(value >> (8 * i));
}

template <std::unsigned_integral T>
constexpr T load(const std::byte* from) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value = static_cast<T>(value | (static_cast<T>(from[i]) << (8 * i)));
  return value;
}

// Reads from the front. After the first short read every further read fails too, and ok() is false.
class Reader {
 public:
  explicit Reader(Bytes bytes) : bytes_(bytes) {}

  std::uint8_t u8() { return integer<std::uint8_t>(); }
  std::uint32_t u32() { return integer<std::uint32_t>(); }
  std::uint64_t u64() { return integer<std::uint64_t>(); }
  std::int32_t i32() { return static_cast<std::int32_t>(u32()); }
  std::int64_t i64() { return static_cast<std::int64_t>(u64()); }

  // The next `count` bytes, valid as long as the input; empty when there are fewer.
  Bytes bytes(std::size_t count) {
    if (!ok_ || count > bytes_.size() - at_) {
      ok_ = false;
      return {};
    }
    const Bytes taken = bytes_.subspan(at_, count);
    at_ += count;
    return taken;
  }
  // u32 length + bytes, at most `limit`.
  Bytes counted(std::size_t limit) {
    const std::uint32_t length = u32();
    if (length > limit) ok_ = false;
    return bytes(length);
  }

  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && at_ == bytes_.size(); }
  std::size_t offset() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }

 private:
  template <class T>
  T integer() {
    const Bytes taken = bytes(sizeof(T));
    return ok_ ? load<T>(taken.data()) : T{0};
  }
  Bytes bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

// Appends to a buffer of its own; what fits in 256 bytes, as nearly every header does, allocates nothing.
class Writer {
 public:
  explicit Writer(std::size_t expected_bytes = 0) {
    if (expected_bytes > in_place) grow(expected_bytes);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Writer& u8(std::uint8_t value) { return integer(value); }
  Writer& u32(std::uint32_t value) { return integer(value); }
  Writer& u64(std::uint64_t value) { return integer(value); }
  Writer& i32(std::int32_t value) { return integer(static_cast<std::uint32_t>(value)); }
  Writer& i64(std::int64_t value) { return integer(static_cast<std::uint64_t>(value)); }
  Writer& bytes(Bytes bytes) {
    if (!bytes.empty()) std::memcpy(extend(bytes.size()), bytes.data(), bytes.size());
    return *this;
  }
  Writer& counted(Bytes content) { return u32(static_cast<std::uint32_t>(content.size())).bytes(content); }
  Writer& counted(std::string_view text) { return counted(std::as_bytes(std::span(text.data(), text.size()))); }

  Bytes written() const { return {data_, size_}; }
  Blob blob() const { return Blob(written()); }

 private:
  static constexpr std::size_t in_place = 256;

  template <class T>
  Writer& integer(T value) {
    store(extend(sizeof(T)), value);
    return *this;
  }
  // Where the next `count` bytes go.
  std::byte* extend(std::size_t count) {
    if (count > capacity_ - size_) grow(size_ + count);
    std::byte* const at = data_ + size_;
    size_ += count;
    return at;
  }
  void grow(std::size_t least) {
    capacity_ = std::max(least, 2 * capacity_);
    auto larger = std::make_unique_for_overwrite<std::byte[]>(capacity_);
    std::memcpy(larger.get(), data_, size_);
    allocated_ = std::move(larger);
    data_ = allocated_.get();
  }

  std::array<std::byte, in_place> first_;
  std::unique_ptr<std::byte[]> allocated_;
  std::byte* data_ = first_.data();
  std::size_t size_ = 0, capacity_ = in_place;
};

}  // namespace tenter::wire
