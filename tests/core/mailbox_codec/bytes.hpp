// Byte-level tools of the codec tests: hex in, flips and cuts out.
#pragma once
#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/blob.hpp"

namespace tenter::mailbox::test {

inline Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

inline std::string hex(Bytes bytes) {
  std::string text;
  for (const std::byte b : bytes) {
    text += "0123456789abcdef"[std::to_integer<unsigned>(b) >> 4];
    text += "0123456789abcdef"[std::to_integer<unsigned>(b) & 15];
  }
  return text;
}

inline std::vector<std::byte> mutable_copy(const Blob& blob) { return {blob.bytes().begin(), blob.bytes().end()}; }

// `blob` with the little-endian value stored at `offset`.
template <class T>
Blob with(const Blob& blob, std::size_t offset, T value) {
  std::vector<std::byte> bytes = mutable_copy(blob);
  for (std::size_t i = 0; i < sizeof(T); ++i)
    bytes.at(offset + i) = static_cast<std::byte>((static_cast<std::uint64_t>(value) >> (8 * i)) & 0xFF);
  return Blob(Bytes(bytes));
}

// Calls visit(bytes, offset) with every bit of every byte flipped, one at a time.
template <class Visit>
void for_each_flip(const Blob& blob, Visit visit) {
  std::vector<std::byte> bytes = mutable_copy(blob);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      bytes[at] ^= static_cast<std::byte>(1 << bit);
      visit(Bytes(bytes), at);
      bytes[at] ^= static_cast<std::byte>(1 << bit);
    }
  }
}

// Calls visit(prefix) with every proper prefix. Each is a buffer of its own, so that a sanitizer sees a read past its end.
template <class Visit>
void for_each_cut(const Blob& blob, Visit visit) {
  for (std::size_t size = 0; size < blob.size(); ++size) visit(Blob(blob.bytes().first(size)).bytes());
}

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace tenter::mailbox::test

// The result is an error whose text has each of the given parts.
#define EXPECT_REFUSED(result, ...)                                                                          \
  do {                                                                                                       \
    const auto& refused_ = (result);                                                                         \
    ASSERT_FALSE(refused_.has_value());                                                                      \
    for (const std::string& part_ : std::initializer_list<std::string>{__VA_ARGS__})                         \
      EXPECT_TRUE(::tenter::mailbox::test::contains(refused_.error().what, part_)) << refused_.error().what; \
  } while (false)
