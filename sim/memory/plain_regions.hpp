// The plain bytes of a simulated page: kept as the few ranges that somebody touched, each with who wrote it last and who has read
// it since, so that an access that is not ordered after the other side's access is a race. Granularity: exact byte ranges.
// Untouched bytes read as zero and cost nothing, so a page of 33 MB is as cheap as one of 4 KB.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/digest.hpp"
#include "sim/memory/counters.hpp"
#include "sim/memory/futex_table.hpp"

namespace tenter::sim {

enum class RaceKind : std::uint8_t { write_after_write, write_after_read, read_after_write };

constexpr const char* to_string(RaceKind kind) {
  switch (kind) {
    case RaceKind::write_after_write:
      return "write after write";
    case RaceKind::write_after_read:
      return "write after read";
    case RaceKind::read_after_write:
      return "read after write";
  }
  return "?";
}

// `second` touched bytes [offset, offset + bytes) that `first` had touched, and nothing orders the two.
struct Race {
  RaceKind kind{};
  Agent first = 0, second = 0;
  std::uint64_t offset = 0, bytes = 0;
  friend bool operator==(const Race&, const Race&) = default;
  TENTER_DESCRIBE(race, kind, first, second, offset, bytes)
};

class PlainRegions {
 public:
  // `clock` is the vector clock of `agent`: what it knows of everybody's accesses. Both answer the first race of this access.
  std::optional<Race> write(Agent agent, const Counters& clock, std::uint64_t offset, const Blob& content) {
    return write(agent, clock, offset, content, 0, content.size());
  }
  std::optional<Race> write(Agent agent, const Counters& clock, std::uint64_t offset, const Blob& content, std::uint64_t from,
                            std::uint64_t bytes);
  std::optional<Race> read(Agent agent, const Counters& clock, std::uint64_t offset, std::uint64_t bytes);

  // The bytes as they are, without a trace: for whoever does not take part in the protocol.
  Blob peek(std::uint64_t offset, std::uint64_t bytes) const;
  void peek(std::uint64_t offset, MutableBytes to) const;
  // New bytes without a trace: who may race with whom stays as it was.
  void scribble(std::uint64_t offset, const Blob& content, std::uint64_t from, std::uint64_t bytes);

  std::size_t extents() const { return extents_.size(); }
  void add_to(Digest& digest) const;
  friend bool operator==(const PlainRegions&, const PlainRegions&) = default;

 private:
  struct Extent {
    std::uint64_t begin = 0, end = 0;
    Blob content;                  // empty: zeros
    std::uint64_t content_at = 0;  // where in content the byte at `begin` is
    Agent writer = 0;
    std::uint64_t written = 0;  // writer's own clock then; 0: by nobody
    Counters reads;             // by agent: its own clock when it last read since
    friend bool operator==(const Extent&, const Extent&) = default;
  };
  std::size_t first_ending_after(std::uint64_t at) const;
  void split(std::uint64_t at);
  // Makes [begin, end) the union of whole extents and answers their index range.
  std::pair<std::size_t, std::size_t> isolate(std::uint64_t begin, std::uint64_t end, bool fill_gaps);

  std::vector<Extent> extents_;  // disjoint, by begin
};

}  // namespace tenter::sim
