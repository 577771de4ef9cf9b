// What a Reader remembers: the variables that it reads, by rank what is known of their regions, and the calls under way.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/store/identity.hpp"
#include "core/store/plan.hpp"
#include "core/store/record.hpp"

namespace tenter::store {

// How far one rank's region is believed, on the present endpoint.
enum class Standing : std::uint8_t {
  unknown,    // not addressed yet
  inserting,  // its address is being inserted
  inserted,   // addressed, not probed
  probing,    // its identity is being read
  believed,   // its identity is the record's
};

struct Target {
  Shard shard;
  Standing standing = Standing::unknown;
  Peer peer{};
  std::uint64_t awaited = 0;   // inserting: the operation's sequence
  std::uint32_t failures = 0;  // since a read of rows succeeded or a call was told
  friend bool operator==(const Target&, const Target&) = default;
  TENTER_DESCRIBE(target, shard, standing, peer, awaited, failures)
};

// One variable.
struct Attachment {
  std::uint64_t number = 0;
  Blob variable;  // its name
  Generation generation;
  DType dtype{};
  std::uint32_t address_format = 0;
  RowFormat format;
  ShardMap map;
  std::vector<Target> targets;
  bool announced = false;       // its owner was told that it is attached
  bool leaving = false;         // to be forgotten: by a detach, or refused
  Status refusal = Status::ok;  // leaving: why its attach is refused; announced: why it is lost
  std::string why;
  friend bool operator==(const Attachment&, const Attachment&) = default;
  TENTER_DESCRIBE(attachment, number, variable, generation, dtype, address_format, format, map, targets, announced, leaving,
                  refusal, why)

  Identity identity_of(std::uint32_t rank) const {
    return {generation, identity_of_name(variable.text()), targets[rank].shard.rows, format.slot_bytes(), rank};
  }
};

struct SpanWork {
  Span span;
  bool posted = false;
  bool landed = false;
  std::uint32_t tears = 0;    // how often its row was being updated when it was read
  bool resting = false;       // torn again and again: it is read again a little later
  std::uint32_t repeats = 0;  // how often it was posted in vain
  friend bool operator==(const SpanWork&, const SpanWork&) = default;
  TENTER_DESCRIBE(span_work, span, posted, landed, tears, resting, repeats)
};

struct GetUnderWay {
  std::uint64_t number = 0;
  Ticket ticket{};
  std::uint64_t attachment = 0;
  Buffer buffer{};
  std::vector<SpanWork> spans;
  std::uint32_t left = 0;  // that did not land
  std::uint32_t next = 0;  // no span before it waits to be posted
  bool rests = false;      // a timer wakes its resting spans
  bool ending = false;     // to be answered with status and text as soon as nothing of it can land
  Status status = Status::ok;
  std::string text;
  friend bool operator==(const GetUnderWay&, const GetUnderWay&) = default;
  TENTER_DESCRIBE(get_under_way, number, ticket, attachment, buffer, spans, left, next, rests, ending, status, text)
};

// A read that was posted on the present endpoint and is not answered.
struct PostedRead {
  std::uint64_t sequence = 0;
  std::uint64_t attachment = 0;
  std::uint32_t rank = 0;
  std::uint64_t get = 0;  // 0: a probe
  std::uint32_t span = 0;
  friend bool operator==(const PostedRead&, const PostedRead&) = default;
  TENTER_DESCRIBE(posted_read, sequence, attachment, rank, get, span)
};

}  // namespace tenter::store
