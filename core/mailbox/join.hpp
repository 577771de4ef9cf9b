// One member of a group operation, as its user thread submits it. Spec B4.
#pragma once
#include <cstdint>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/error.hpp"
#include "core/event.hpp"
#include "core/names.hpp"

namespace tenter::mailbox {

// A batch is named by slot and generation: a slot that is used again is another batch (spec C4, G3).
struct BatchId {
  std::uint64_t slot = 0;
  std::uint64_t generation = 0;
  friend bool operator==(const BatchId&, const BatchId&) = default;
  TENTER_DESCRIBE(batch_id, slot, generation)
};

struct Join {
  BatchId batch;
  std::uint32_t rank = 0;      // of this member
  std::uint32_t size = 0;      // members of the operation, ranks of the group and others together
  std::uint32_t of_group = 0;  // how many of them are ranks of the group
  Duration patience{};         // waits that long for the other members, and as long again for the exchange; 0: the default
  Blob payload;
  friend bool operator==(const Join&, const Join&) = default;
  TENTER_DESCRIBE(join, batch, rank, size, of_group, patience, payload)
};

// The call of a user thread and back. Note::text: u64 slot, u64 generation, u32 rank, u32 size, u32 of_group, i64 patience in
// nanoseconds, little-endian; Note::parts: the payload, always exactly one (an empty payload is present, no part is absent).
Note join_call(const Join& join);
Result<Join> read_join(const Note& call);

}  // namespace tenter::mailbox
