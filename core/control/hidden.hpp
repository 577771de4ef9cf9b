// Bytes that no text shows: the token of a start, and what was read from a peer and may hold it. Equality and digest are those of
// the bytes, so a machine that keeps them stays a regular value.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/blob.hpp"

namespace tenter::control {

struct Hidden {
  std::string bytes;

  Hidden() = default;
  explicit Hidden(std::string_view text) : bytes(text) {}
  Bytes span() const { return std::as_bytes(std::span(bytes.data(), bytes.size())); }
  std::uint64_t digest() const { return digest_of(span()); }
  friend bool operator==(const Hidden&, const Hidden&) = default;
};

inline constexpr std::string_view to_string(const Hidden&) { return "hidden"; }

}  // namespace tenter::control
