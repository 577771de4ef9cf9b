// How the machines of a start number their operations: what it is, and of which connection, rank or attempt.
#pragma once
#include <cstdint>

#include "core/names.hpp"

namespace tenter::control {

// kind: bits 0..7, the machine's own enum; which: bits 8..63.
template <class Kind>
constexpr Op start_operation(Kind kind, std::uint64_t which = 0) {
  return Op{static_cast<std::uint64_t>(kind) | (which << 8)};
}
template <class Kind>
constexpr Kind start_kind(Op op) {
  return static_cast<Kind>(number(op) & 0xFF);
}
constexpr std::uint64_t which_of(Op op) { return number(op) >> 8; }

}  // namespace tenter::control
