// The fixed first block of a collective with lengths unknown to the receivers: header, then the payload's first bytes. What
// does not fit follows on the communicator's private second duplicate.
//
//   0 magic u32 | 4 kind u32 | 8 number u64 | 16 length u64 | 24 history u64 | 32 the first min(length, room) bytes
//   (little-endian)
//
// Kind and number let a rank that issues another sequence of collectives be told from one that is only late; history, a hash of
// all kinds and roots before, tells it also when the ranks parted in a collective that needed no answer.
#pragma once
#include <algorithm>
#include <cstring>
#include <string>

#include "core/wire.hpp"

namespace tenter::hw {

enum class CollectiveKind : std::uint32_t { duplicate, free_communicator, bcast, gather, allgather, barrier, count_ };

constexpr const char* to_string(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::duplicate:
      return "duplicate";
    case CollectiveKind::free_communicator:
      return "free_communicator";
    case CollectiveKind::bcast:
      return "bcast";
    case CollectiveKind::gather:
      return "gather";
    case CollectiveKind::allgather:
      return "allgather";
    case CollectiveKind::barrier:
      return "barrier";
    case CollectiveKind::count_:
      break;
  }
  return "?";
}

struct HeadBlock {
  static constexpr std::uint32_t magic = 0x31484354;  // "TCH1"
  static constexpr std::size_t header_bytes = 32;

  CollectiveKind kind{};
  std::uint64_t number = 0;  // of the collective on its communicator, from 0
  std::uint64_t length = 0;  // of the whole payload
  std::uint64_t history = 0;

  static constexpr std::uint64_t next_history(std::uint64_t history, CollectiveKind kind, std::uint32_t root) {
    return (history ^ (static_cast<std::uint64_t>(kind) << 32 | root)) * 0x9FB21C651E98DF25ull + 1;
  }

  // Bytes of a payload of `length` that ride in a block of `block_bytes`.
  static constexpr std::size_t inline_bytes(std::size_t block_bytes, std::uint64_t length) {
    return static_cast<std::size_t>(std::min<std::uint64_t>(length, block_bytes - header_bytes));
  }

  // `length` is the header's own: a payload over the limit is announced, but none of its bytes ride.
  void write(MutableBytes block, Bytes payload) const {
    wire::store(block.data(), magic);
    wire::store(block.data() + 4, static_cast<std::uint32_t>(kind));
    wire::store(block.data() + 8, number);
    wire::store(block.data() + 16, length);
    wire::store(block.data() + 24, history);
    const std::size_t riding = inline_bytes(block.size(), payload.size());
    if (riding > 0) std::memcpy(block.data() + header_bytes, payload.data(), riding);
  }

  struct Read;
  // A sender that issued another collective here is a mismatch; `problem` says so, "" when all is well.
  static inline Read read(Bytes block, CollectiveKind kind, std::uint64_t number, std::uint64_t history);
};

struct HeadBlock::Read {
  std::uint64_t length = 0;
  Bytes riding;
  std::string problem;
};

inline HeadBlock::Read HeadBlock::read(Bytes block, CollectiveKind kind, std::uint64_t number, std::uint64_t history) {
  Read result;
  const auto* at = block.data();
  const auto found_kind = wire::load<std::uint32_t>(at + 4);
  const auto found_number = wire::load<std::uint64_t>(at + 8);
  if (wire::load<std::uint32_t>(at) != magic || found_kind >= static_cast<std::uint32_t>(CollectiveKind::count_)) {
    result.problem = "sent a block that is none of this port's";
  } else if (found_kind != static_cast<std::uint32_t>(kind) || found_number != number) {
    result.problem = std::string("issued ") + to_string(static_cast<CollectiveKind>(found_kind)) + " number " +
                     std::to_string(found_number) + " where this rank issued " + to_string(kind) + " number " +
                     std::to_string(number);
  } else if (wire::load<std::uint64_t>(at + 24) != history) {
    result.problem =
        "issued other collectives than this rank before " + std::string(to_string(kind)) + " number " + std::to_string(number);
  } else {
    result.length = wire::load<std::uint64_t>(at + 16);
    result.riding = block.subspan(header_bytes, inline_bytes(block.size(), result.length));
  }
  return result;
}

}  // namespace tenter::hw
