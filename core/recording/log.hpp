// The log of one process: every event that was delivered, to which role, and a digest of the actions that answered it.
//
//   file   = "tenter.recording/1\n" varint(length) header check64 record* end?
//   record = tag(role, kind) fields digest32 check24
//   end    = 0xff varint(records) check24
//
// Times, operations, words and 32-bit numbers are stored as differences to the last ones (operations by halves), so that a record
// of a hot path takes 13 to 16 bytes. A blob of up to 16 bytes is inline, a longer one is its length and digest, with its bytes
// in the side file. A check is chained over everything before it: a damaged, cut or spliced log reads correctly up to the damage.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/event.hpp"
#include "core/recording/blobs.hpp"
#include "core/recording/buffer.hpp"

namespace tenter::recording {

struct RoleHeader {
  std::string machine;  // M::name
  Blob configuration;   // opaque here; see value.hpp
  friend bool operator==(const RoleHeader&, const RoleHeader&) = default;
  TENTER_DESCRIBE(role, machine, configuration)
};
struct LogHeader {
  std::string protocol;
  std::string process;  // "rank-2"
  Rank rank = no_rank;
  std::vector<RoleHeader> roles;  // the role of a machine is its place
  friend bool operator==(const LogHeader&, const LogHeader&) = default;
  TENTER_DESCRIBE(header, protocol, process, rank, roles)
};

struct Record {
  Role role{};
  Event event;
  std::uint32_t actions = 0;  // digest of the actions, see short_digest
  friend bool operator==(const Record&, const Record&) = default;
};

// What a record keeps of a digest of actions.
constexpr std::uint32_t short_digest(std::uint64_t digest) { return static_cast<std::uint32_t>(digest ^ (digest >> 32)); }

// What the next record is stored relative to.
struct History {
  struct Last {
    std::uint64_t op = 0;
    std::uint32_t word = 0, number = 0;
  };
  std::int64_t time = 0;
  std::array<Last, 256> near{};       // by role and kind of event, of the roles that a process has
  std::map<std::uint32_t, Last> far;  // of the others
  Last& last(std::uint32_t key) { return key < near.size() ? near[key] : far[key]; }
  std::uint64_t chain = 0;
  std::uint64_t records = 0;
};

// Which blobs the side file holds, as far as is remembered: the last digest that fell on each place. A blob that was forgotten is
// written once more, which costs bytes and nothing else.
class KnownBlobs {
 public:
  // True when it was not known.
  bool add(std::uint64_t digest) { return std::exchange(places_[digest % places_.size()], digest) != digest; }

 private:
  std::vector<std::uint64_t> places_ = std::vector<std::uint64_t>(512);
};

// What belongs in the files. The side file's part is written before the log refers to it.
struct LogBatch {
  Buffer log;
  Buffer side;              // entries of blobs up to copied_blob_bytes_max: held, they would take their memory out of use
  std::vector<Blob> large;  // of the longer ones, without an entry yet (add_blob_head)
  std::uint64_t large_bytes = 0;
  bool empty() const { return log.empty() && side.empty() && large.empty(); }
  std::uint64_t blob_bytes() const { return side.size() + large_bytes; }
  void clear() {
    log.clear();
    side.clear();
    large.clear();
    large_bytes = 0;
  }
};

class LogWriter {
 public:
  explicit LogWriter(const LogHeader& header);
  void append(Role role, const Event& event, std::uint32_t actions);  // actions: short_digest
  // After the last record of an orderly end; a log without it was cut.
  void end();

  std::uint64_t records() const { return history_.records; }
  // What was appended since the last exchange.
  const LogBatch& batch() const { return batch_; }
  // Gives that in exchange for an empty one, whose memory is used next.
  void exchange(LogBatch& empty) { std::swap(batch_, empty); }

 private:
  void check(std::size_t start);
  History history_;
  LogBatch batch_;
  KnownBlobs known_blobs_;
};

class LogReader {
 public:
  // The bytes outlive the reader. invalid: not a recording, another version, or a damaged header.
  static Result<LogReader> open(Bytes log, BlobStore blobs);

  const LogHeader& header() const { return header_; }
  // The next record; none at the end. After an error, which names the offset, there is nothing more.
  Result<std::optional<Record>> next();
  // The end was written: nothing is missing.
  bool complete() const { return complete_; }
  // The error means no more than that the log ends inside a record, as that of a process that was killed while it wrote.
  bool cut() const { return cut_; }
  std::size_t offset() const { return at_; }

 private:
  LogReader(Bytes log, BlobStore blobs) : log_(log), blobs_(std::move(blobs)) {}
  Result<std::optional<Record>> read_end();
  tl::unexpected<Error> damaged(const std::string& what);
  tl::unexpected<Error> ran_out();
  bool end_is_behind() const;
  Bytes log_;
  BlobStore blobs_;
  LogHeader header_;
  History history_;
  std::size_t at_ = 0;
  bool complete_ = false, failed_ = false, cut_ = false;
};

}  // namespace tenter::recording
