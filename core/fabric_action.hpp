// Fabric: one-sided reads of memory that another process registered. Contract: docs/ports/fabric.md.
#pragma once
#include <cstdint>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/names.hpp"

namespace tenter::action {

struct OpenFabric {  // -> FabricOpened; a name that was never used before
  Op op{};
  Endpoint endpoint{};
  Blob provider;       // as the fabric library spells it
  Blob domain;         // empty: any
  bool serves = true;  // false: it only reads; nobody reads a region of it
  friend bool operator==(const OpenFabric&, const OpenFabric&) = default;
  TENTER_DESCRIBE(open_fabric, op, endpoint, provider, domain, serves)
};
struct CloseFabric {  // -> FabricDone, always ok: its posted reads are answered `cancelled` before, and nothing lands afterwards
  Op op{};
  Endpoint endpoint{};
  friend bool operator==(const CloseFabric&, const CloseFabric&) = default;
  TENTER_DESCRIBE(close_fabric, op, endpoint)
};
struct RegisterRegion {  // zeroed memory of `bytes` that others may read -> RegionRegistered
  Op op{};
  Endpoint endpoint{};
  Region region{};
  std::uint64_t bytes = 0;
  friend bool operator==(const RegisterRegion&, const RegisterRegion&) = default;
  TENTER_DESCRIBE(register_region, op, endpoint, region, bytes)
};
struct StoreRegion {  // plain stores; aligned 8-byte words do not tear
  Region region{};
  std::uint64_t offset = 0;
  Blob content;
  friend bool operator==(const StoreRegion&, const StoreRegion&) = default;
  TENTER_DESCRIBE(store_region, region, offset, content)
};
struct CopyToRegion {  // the same, out of a caller's buffer
  Region region{};
  std::uint64_t offset = 0;
  Buffer buffer{};
  std::uint64_t from = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const CopyToRegion&, const CopyToRegion&) = default;
  TENTER_DESCRIBE(copy_to_region, region, offset, buffer, from, bytes)
};
struct UnregisterRegion {  // -> FabricDone, when the memory is free
  Op op{};
  Region region{};
  friend bool operator==(const UnregisterRegion&, const UnregisterRegion&) = default;
  TENTER_DESCRIBE(unregister_region, op, region)
};
struct InsertPeer {  // -> FabricDone; whether anybody is there shows at the first read
  Op op{};
  Endpoint endpoint{};
  Peer peer{};
  Blob address;
  friend bool operator==(const InsertPeer&, const InsertPeer&) = default;
  TENTER_DESCRIBE(insert_peer, op, endpoint, peer, address)
};
struct ReadRemote {  // [base + offset, + bytes) of the peer -> ReadDone, at most one
  Op op{};
  Endpoint endpoint{};
  Peer peer{};
  Blob key;
  std::uint64_t base = 0, offset = 0, bytes = 0;
  Buffer buffer{};       // no_buffer: the bytes come with the event
  std::uint64_t at = 0;  // where in the buffer
  friend bool operator==(const ReadRemote&, const ReadRemote&) = default;
  TENTER_DESCRIBE(read_remote, op, endpoint, peer, key, base, offset, bytes, buffer, at)
};
struct FillBuffer {  // copied before the next action
  Buffer buffer{};
  std::uint64_t at = 0;
  Blob content;
  friend bool operator==(const FillBuffer&, const FillBuffer&) = default;
  TENTER_DESCRIBE(fill_buffer, buffer, at, content)
};

}  // namespace tenter::action
