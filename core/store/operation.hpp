// How the store's machines number their operations: what it is, and which one. A number is used once in a machine's life, so an
// answer that comes late or twice fits nothing that is awaited now.
#pragma once
#include <cstdint>

#include "core/names.hpp"

namespace tenter::store {

// kind: bits 0..7, the machine's own enum; sequence: bits 8..63.
template <class Kind>
constexpr Op operation(Kind kind, std::uint64_t sequence = 0) {
  return Op{static_cast<std::uint64_t>(kind) | (sequence << 8)};
}

}  // namespace tenter::store
