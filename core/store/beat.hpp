// The two small files that say "still here": the heartbeat of a core job and the lease of a reader (spec A2, B3.7). Both are
// written again and again under one name, with a count that grows; who looks judges by its own clock whether the count moves,
// so no clock is compared with another.
#pragma once
#include <cstdint>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/error.hpp"
#include "core/store/generation.hpp"

namespace tenter::store {

enum class BeatKind : std::uint32_t { core = 1, reader = 2 };

enum class BeatState : std::uint32_t {
  open = 1,     // reads are served; a reader reads
  closing = 2,  // core: announced, waits for its readers' leases
  closed = 3,   // core: the regions are gone; reader: it will not read again
};

constexpr std::string_view to_string(BeatKind kind) {
  return kind == BeatKind::core ? "heartbeat" : kind == BeatKind::reader ? "lease" : "?";
}
constexpr std::string_view to_string(BeatState state) {
  return state == BeatState::open      ? "open"
         : state == BeatState::closing ? "closing"
         : state == BeatState::closed  ? "closed"
                                       : "?";
}

// A beat that did not move for this many periods of its own is a dead one's. Two may be lost, and one be on its way.
inline constexpr std::int64_t periods_to_expire = 4;

// 64 bytes: magic 8, kind 4, state 4, generation 16, reader 16, count 8, period 4, CRC-32C of the 60 bytes before 4.
struct Beat {
  BeatKind kind = BeatKind::core;
  BeatState state = BeatState::open;
  Generation generation;        // of the core job
  Generation reader;            // the lease's reader; all 0 in a heartbeat
  std::uint64_t count = 0;      // grows with every write
  std::uint32_t period_ms = 0;  // at least 1
  friend bool operator==(const Beat&, const Beat&) = default;
  TENTER_DESCRIBE(beat, kind, state, generation, reader, count, period_ms)
};

inline constexpr std::string_view beat_magic{"TNTRBEA1", 8};
inline constexpr std::uint64_t beat_bytes = 64;

// `beat` keeps the rules above.
Blob encode_beat(const Beat& beat);

// invalid: no beat, cut, damaged or breaking a rule; the text names field and offset. mismatch: one of the other kind, of
// another core job or of another reader than wanted; `reader` all 0: a heartbeat.
Result<Beat> decode_beat(Bytes file);
Result<Beat> decode_beat_of(Bytes file, Generation core, Generation reader);

}  // namespace tenter::store
