// How the mailbox's machines number their operations: what it is, which one of several, and of which request. An answer that
// comes late, twice or for another request therefore never fits the operation that is awaited now.
#pragma once
#include <cstdint>

#include "core/names.hpp"

namespace tenter::mailbox {

// kind: bits 0..7, the machine's own enum; index: bits 8..31, below 2^24; sequence: bits 32..63, the low half of the request's.
template <class Kind>
constexpr Op operation(Kind kind, std::uint64_t sequence = 0, std::uint32_t index = 0) {
  return Op{static_cast<std::uint64_t>(kind) | (static_cast<std::uint64_t>(index & 0xFF'FFFFu) << 8) | (sequence << 32)};
}
template <class Kind>
constexpr Kind kind_of(Op op) {
  return static_cast<Kind>(number(op) & 0xFF);
}
constexpr std::uint32_t index_of(Op op) { return static_cast<std::uint32_t>(number(op) >> 8) & 0xFF'FFFFu; }

}  // namespace tenter::mailbox
