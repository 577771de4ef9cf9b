// Fabric: the answers. Contract: docs/ports/fabric.md.
#pragma once
#include <cstdint>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/names.hpp"

namespace tenter::event {

struct FabricOpened {  // open_fabric
  Time now{};
  Op op{};
  Status status = Status::ok;
  std::uint64_t mr_mode = 0;         // as the provider returned it
  std::uint32_t address_format = 0;  // fabric library's number
  std::uint64_t read_bytes_max = 0;  // of one read_remote
  Blob address;                      // own; 1 to 256 bytes
  Blob text;                         // for people, when status is not ok
  friend bool operator==(const FabricOpened&, const FabricOpened&) = default;
  TENTER_DESCRIBE(fabric_opened, now, op, status, mr_mode, address_format, read_bytes_max, address, text)
};
struct FabricDone {  // close_fabric, unregister_region, insert_peer
  Time now{};
  Op op{};
  Status status = Status::ok;
  Blob text;
  friend bool operator==(const FabricDone&, const FabricDone&) = default;
  TENTER_DESCRIBE(fabric_done, now, op, status, text)
};
struct RegionRegistered {  // register_region. key: 1 to 64 bytes; base: what a reader adds to an offset
  Time now{};
  Op op{};
  Status status = Status::ok;
  Blob key;
  std::uint64_t base = 0;
  Blob text;
  friend bool operator==(const RegionRegistered&, const RegionRegistered&) = default;
  TENTER_DESCRIBE(region_registered, now, op, status, key, base, text)
};
struct ReadDone {  // read_remote. content: the bytes, where no buffer was named
  Time now{};
  Op op{};
  Status status = Status::ok;
  Blob content;
  Blob text;
  friend bool operator==(const ReadDone&, const ReadDone&) = default;
  TENTER_DESCRIBE(read_done, now, op, status, content, text)
};

}  // namespace tenter::event
