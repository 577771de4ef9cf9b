// One run of a core job, drawn at random when it opens: what was published by another run is never taken for this one's.
#pragma once
#include <compare>
#include <cstdint>
#include <string>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/wire.hpp"

namespace tenter::store {

// 128 bits; all zero is nobody's.
struct Generation {
  std::uint64_t low = 0;   // the first 8 bytes, little-endian
  std::uint64_t high = 0;  // the last 8 bytes
  friend constexpr auto operator<=>(const Generation&, const Generation&) = default;
  TENTER_DESCRIBE(generation, low, high)
};

inline constexpr std::uint32_t generation_bytes = 16;

constexpr bool is_nobodys(Generation generation) { return generation == Generation{}; }

// Of 16 random bytes. `random` has at least 16.
inline Generation generation_of(Bytes random) {
  return {wire::load<std::uint64_t>(random.data()), wire::load<std::uint64_t>(random.data() + 8)};
}

// 32 hexadecimal digits, in the order of the bytes: names of files, and texts for people.
inline std::string to_string(Generation generation) {
  std::string text;
  for (const std::uint64_t half : {generation.low, generation.high})
    for (int byte = 0; byte < 8; ++byte)
      for (const int shift : {4, 0}) text += "0123456789abcdef"[(half >> (8 * byte + shift)) & 15];
  return text;
}

}  // namespace tenter::store
