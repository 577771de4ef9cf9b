// CRC-32C (Castagnoli, RFC 3720 appendix B.4): finds every burst of up to 32 bits for certain, so every flipped byte of a record.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/blob.hpp"

namespace tenter::store {

namespace detail {
// The remainders of all bytes, for the reflected polynomial.
constexpr std::array<std::uint32_t, 256> crc32c_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? 0x82F6'3B78u : 0u);
    table[byte] = remainder;
  }
  return table;
}
inline constexpr std::array<std::uint32_t, 256> crc32c_remainders = crc32c_table();
}  // namespace detail

// `before`: the checksum of the bytes before these, to check a text in pieces; 0 at the start.
constexpr std::uint32_t crc32c(Bytes bytes, std::uint32_t before = 0) {
  std::uint32_t state = ~before;
  for (const std::byte b : bytes)
    state = (state >> 8) ^ detail::crc32c_remainders[(state ^ std::to_integer<std::uint32_t>(b)) & 0xFFu];
  return ~state;
}

}  // namespace tenter::store
