// The first 64 bytes of every registered region: whose it is. A reader reads them one-sidedly before it believes a record and
// again after each reconnect, so a stale record, a recycled address or a wrong network is found there and not as wrong data
// (spec A2; providers that enforce no keys exist, M4).
#pragma once
#include <cstdint>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/error.hpp"
#include "core/store/generation.hpp"
#include "core/store/row_format.hpp"

namespace tenter::store {

inline constexpr std::string_view identity_magic{"TNTRREGN", 8};

// magic 8, generation 16, variable 8, rows 8, slot bytes 8, rank 4, zero 8, CRC-32C of the 60 bytes before 4.
struct Identity {
  Generation generation;
  std::uint64_t variable = 0;  // identity_of_name() of the variable: one job has a region a variable
  std::uint64_t rows = 0;
  std::uint64_t slot_bytes = 0;
  std::uint32_t rank = 0;
  friend bool operator==(const Identity&, const Identity&) = default;
  TENTER_DESCRIBE(identity, generation, variable, rows, slot_bytes, rank)
};

// xxh3 of the name's bytes.
inline std::uint64_t identity_of_name(std::string_view variable) {
  return digest_of(std::as_bytes(std::span(variable.data(), variable.size())));
}

Blob encode_identity(const Identity& identity);

// What stands at a region's start against what the record promised. invalid: no identity or a damaged one; mismatch: somebody
// else's, with the first difference in the text.
Result<void> check_identity(Bytes found, const Identity& wanted);

}  // namespace tenter::store
