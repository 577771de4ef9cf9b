// A row with its version: how a reader knows that all of its bytes are of one update.
//
// A NIC copies a row in chunks, each at an instant and in an order of its own; only an aligned 8-byte word never tears. A version
// word before the row, or one at each end, therefore proves nothing: both may be sampled before an update and the middle after
// it. The slot holds a checksum of version and row instead, so one read is judged by its own bytes, whatever the order of the
// chunks. A torn row is told apart with a probability of 1 - 2^-64 (spec anchors 1.10: Pilaf, Erda).
#pragma once
#include <cstdint>

#include "core/blob.hpp"
#include "core/error.hpp"
#include "core/store/row_format.hpp"

namespace tenter::store {

// The first version of every row. 0 is none: memory that was never written is no row.
inline constexpr std::uint64_t first_version = 1;

// The slot's bytes: head, row, zeroes. `row` has format.row_bytes, format.versioned.
Blob encode_slot(const RowFormat& format, std::uint64_t version, Bytes row);

// The version of the row in a slot that was read whole. unavailable: torn, it was being updated (read it again); the text has the
// version and both checksums. `slot` has format.slot_bytes().
Result<std::uint64_t> check_slot(const RowFormat& format, Bytes slot);

}  // namespace tenter::store
