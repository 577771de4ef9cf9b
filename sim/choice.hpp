// The only source of nondeterminism of a simulated run: choose(tag, entity, n) answers 0..n-1, and 0 is always the boring answer
// (no fault, first in first out, newest store, no delay). The answers that are not 0 are the tape; an empty tape is the
// run without faults. Who answers is the producer: a seed, or a tape that is replayed.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/digest.hpp"

namespace tenter::sim {

// Where a choice is made. The entity beside it says which process, file or rank; each (tag, entity) is a stream of its own.
enum class Tag : std::uint8_t {
  // Shape of the run; answered evenly, 0 is the smallest.
  workload,
  memory_mode,
  eager,
  park,
  // Order and time.
  tie,
  delay,
  preempt,
  drain,
  stale_load,
  spurious_wake,
  drift,
  skew,
  work_time,
  file_delay,
  exit_delay,
  start_delay,
  // Faults (sim/fault.hpp has a kind for each).
  crash,
  stop,
  work_failure,
  work_hang,
  no_space,
  scribble,
  launcher_crash,
  proxy_crash,
  lost_stores,
  user_fault,
  // Added later: a tag's number is part of what a seed means, so new ones stand behind the old ones, whatever their kind.
  nic,         // shape: the kind of provider
  nic_chunks,  // order and time: a read's chunks
  nic_time,
  fabric_failure,  // faults
  read_failure,
  read_stall,
  address_reuse,
  file_stale,
  file_late,
  host_crash,
  eager_limit,    // shape: which messages are short
  message_delay,  // order and time: of messages
  message_loss,   // what a death or an abandoned send leaves of them
  death_notice,   // whether a port tells of a peer's death
  starvation,     // faults
  join_failure,
  stream_window,  // shape: bytes that a stream holds before its writer waits
  stream_cut,     // order and time: of the bytes of a stream
  stream_delay,
  stream_loss,      // what a reset leaves of what was not read
  stream_death,     // what a peer sees of a process that ends
  connect_failure,  // faults
  stream_reset,
  network_cut,
  count_
};
inline constexpr std::size_t tag_count = static_cast<std::size_t>(Tag::count_);

const char* to_string(Tag tag);
bool tag_from(std::string_view name, Tag& tag);
constexpr bool shapes_run(Tag tag) {
  return tag <= Tag::park || tag == Tag::nic || tag == Tag::eager_limit || tag == Tag::stream_window;
}
constexpr bool is_fault(Tag tag) {
  return (tag >= Tag::crash && tag <= Tag::user_fault) || (tag >= Tag::fabric_failure && tag <= Tag::host_crash) ||
         (tag >= Tag::starvation && tag <= Tag::join_failure) || (tag >= Tag::connect_failure && tag <= Tag::network_cut);
}

// One answer that was not 0. `index`: how many answers this stream had given before.
struct TapeEntry {
  Tag tag{};
  std::uint32_t entity = 0;
  std::uint32_t index = 0;
  std::uint32_t n = 0;
  std::uint32_t answer = 0;
  friend bool operator==(const TapeEntry&, const TapeEntry&) = default;
  friend auto operator<=>(const TapeEntry&, const TapeEntry&) = default;
};
using TapeEntries = std::vector<TapeEntry>;

class Choices {
 public:
  // Producer: a seed. Whole kinds are switched off per seed (the swarm mask), intensities are log-uniform.
  static Choices seeded(std::uint64_t seed);
  // Producer: a tape. Entries match by stream and index; what it does not hold is answered 0.
  static Choices replayed(const TapeEntries& entries);

  std::uint32_t choose(Tag tag, std::uint32_t entity, std::uint32_t n) {
    if (n <= 1 || masked_[static_cast<std::size_t>(tag)] || (quiet_ && !shapes_run(tag))) return 0;
    return ask(tag, entity, n);
  }

  // From here on, only choices that shape the run are asked; everything else is answered 0 (healed).
  void quiet(bool on = true) { quiet_ = on; }
  // Switches one kind off for the whole run (not legal here, or not wanted).
  void mask(Tag tag) { masked_[static_cast<std::size_t>(tag)] = true; }

  const TapeEntries& tape() const { return tape_; }
  // Entries of a replayed tape that were never asked for, or were out of range when asked.
  std::size_t drift() const;

 private:
  struct Stream {
    std::uint32_t next = 0;    // answers given so far
    std::uint32_t cursor = 0;  // replay: first entry not yet passed
    std::uint64_t lively = 0;  // seeded: of the current 64 answers, which are not 0
    std::vector<TapeEntry> recorded;
  };
  std::uint32_t ask(Tag tag, std::uint32_t entity, std::uint32_t n);
  Stream& stream(Tag tag, std::uint32_t entity);
  std::uint32_t from_seed(Stream& stream, Tag tag, std::uint32_t entity, std::uint32_t index, std::uint32_t n) const;
  std::uint32_t from_tape(Stream& stream, std::uint32_t index, std::uint32_t n);

  bool replaying_ = false;
  bool quiet_ = false;
  std::uint64_t seed_ = 0;
  std::size_t matched_ = 0, given_ = 0;
  std::array<std::uint32_t, tag_count> halvings_{};  // seeded: an answer is not 0 once in 2^halvings
  std::array<bool, tag_count> masked_{};
  std::array<std::vector<Stream>, tag_count> streams_;
  TapeEntries tape_;
};

}  // namespace tenter::sim
