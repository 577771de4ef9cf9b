// Bounds-checked little-endian reading and writing, byte by byte: no cast, no padding, the same on every host.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

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

// Appends to a buffer of its own.
class Writer {
 public:
  explicit Writer(std::size_t expected_bytes = 64) { bytes_.reserve(expected_bytes); }

  Writer& u8(std::uint8_t value) { return integer(value); }
  Writer& u32(std::uint32_t value) { return integer(value); }
  Writer& u64(std::uint64_t value) { return integer(value); }
  Writer& i32(std::int32_t value) { return integer(static_cast<std::uint32_t>(value)); }
  Writer& i64(std::int64_t value) { return integer(static_cast<std::uint64_t>(value)); }
  Writer& bytes(Bytes bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  Writer& counted(Bytes content) { return u32(static_cast<std::uint32_t>(content.size())).bytes(content); }
  Writer& counted(std::string_view text) { return counted(std::as_bytes(std::span(text.data(), text.size()))); }

  Bytes written() const { return bytes_; }
  Blob blob() const { return Blob(Bytes(bytes_)); }

 private:
  template <class T>
  Writer& integer(T value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    store(bytes_.data() + at, value);
    return *this;
  }
  std::vector<std::byte> bytes_;
};

}  // namespace tenter::wire
