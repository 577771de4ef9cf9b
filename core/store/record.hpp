// The record file as a value: what a core job publishes of one variable, and all that a reader needs to read it (layout.hpp).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/error.hpp"
#include "core/store/dtype.hpp"
#include "core/store/generation.hpp"
#include "core/store/layout.hpp"
#include "core/store/row_format.hpp"

namespace tenter::store {

// One core rank's shard: where it is and how to reach it. The methods without a file gather these over the communicator.
struct Shard {
  Blob address;                    // 1 to 256 bytes, in the record's address format
  Blob key;                        // 1 to 64 bytes, as the provider's key is encoded
  std::uint64_t base = 0;          // remote address of offset 0; 0 where the provider counts from the region's start
  std::uint64_t region_bytes = 0;  // registered: identity and slots
  std::uint64_t rows = 0;          // may be 0: the region is then the identity alone
  friend bool operator==(const Shard&, const Shard&) = default;
  TENTER_DESCRIBE(shard, address, key, base, region_bytes, rows)
};

struct Record {
  Generation generation;
  std::int64_t start_time = 0;  // nanoseconds since 1970, UTC, by the publisher's clock
  ProcessId owner;              // core rank 0, on `host`
  DType dtype = DType::raw;
  std::vector<std::uint64_t> row_shape;  // at most 8 dimensions, none 0; empty: a row is one element
  bool versioned = false;                // rows with version and checksum
  std::uint64_t mr_mode = 0;
  std::uint32_t address_format = 0;
  std::uint32_t heartbeat_ms = 0;             // at least 1
  std::string job, host, variable, provider;  // UTF-8; variable and provider are not empty
  std::vector<Shard> shards;                  // by rank; 1 to cores_max
  friend bool operator==(const Record&, const Record&) = default;
  TENTER_DESCRIBE(record, generation, start_time, owner, dtype, row_shape, versioned, mr_mode, address_format, heartbeat_ms, job,
                  host, variable, provider, shards)
};

// All rules of a record. invalid: the text names the field and, for a shard, its rank. What passes here is encoded and decoded
// without loss.
Result<void> check_record(const Record& record);

// How rows lie in the regions of a record that passed check_record().
RowFormat format_of(const Record& record);

// The whole file. `record` passes check_record().
Blob encode_record(const Record& record);

// Everything is judged before it is used or allocated, in this order: magic, byte order, version, sizes, checksum, then every
// field. invalid: no record, cut, too long, damaged (with the rank whose part it is), or one that breaks a rule; mismatch:
// another format version, byte order or layout. Texts name field, offset in the file, value found and value wanted.
Result<Record> decode_record(Bytes file);

// One shard as its 368 bytes, and back; `rank` is the one that it must say. Errors as above, offsets from the record's start.
Blob encode_shard(const Shard& shard, std::uint32_t rank);
Result<Shard> decode_shard(Bytes record, std::uint32_t rank);

}  // namespace tenter::store
