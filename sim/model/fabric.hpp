// A simulated NIC: memory that others read without the owner's code. A read is sampled in chunks, each at its own instant and in
// any order, and an aligned 8-byte word never tears (spec anchors 3.4). Every byte of a region carries a ghost: the number of the
// store that it comes from, so a torn or stale read is known exactly, whatever the payload. Contract: docs/ports/fabric.md.
//
// Three kinds of provider, as measured (spec B2.6, cases M1, M4, M5), one a run:
//   strict    a wrong key or range is denied, who is gone is `peer_lost`, later reads are not hurt
//   breaking  the same, but the endpoint is broken afterwards; who was never reached is tried for ever
//   lax       keys and ranges are not enforced, a stopped process is served, who was never reached is tried for ever
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/action.hpp"
#include "core/event.hpp"
#include "sim/process.hpp"

namespace tenter::sim {

class World;

enum class NicKind : std::uint8_t { strict, breaking, lax };

// Which store bytes came from: its number, and how many bytes in a row.
struct EpochRun {
  std::uint32_t epoch = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const EpochRun&, const EpochRun&) = default;
};

class FabricModel {
 public:
  explicit FabricModel(World& world) : world_(world) {}
  static constexpr std::size_t chunks_max = 64;  // of one read; then they grow

  void perform(Process& p, Role role, const action::OpenFabric& a);
  void perform(Process& p, Role role, const action::CloseFabric& a);
  void perform(Process& p, Role role, const action::RegisterRegion& a);
  void perform(Process& p, Role role, const action::StoreRegion& a);
  void perform(Process& p, Role role, const action::CopyToRegion& a);
  void perform(Process& p, Role role, const action::UnregisterRegion& a);
  void perform(Process& p, Role role, const action::InsertPeer& a);
  void perform(Process& p, Role role, const action::ReadRemote& a);
  void perform(Process& p, Role role, const action::FillBuffer& a);

  void step(std::uint64_t read, std::uint64_t chunk);  // from the queue: one chunk is sampled
  bool take(std::uint64_t ticket);                     // true once, while the answer of that read is still wanted
  void process_ended(ProcessIndex process);
  void resumed(ProcessIndex process);

  // Memory of a caller, for the client's side.
  Buffer lend(ProcessIndex process, std::uint64_t bytes);
  Blob look(ProcessIndex process, Buffer buffer) const;
  void fill(ProcessIndex process, Buffer buffer, const Blob& content);
  void take_back(ProcessIndex process, Buffer buffer);  // whatever lands there from now on is a failure

  // For properties. Of the answered read that `process` posted last with this op: what its bytes came from. Null: none.
  const std::vector<EpochRun>* epochs(ProcessIndex process, Role role, Op op) const;
  bool epoch_is_of(std::uint32_t epoch, ProcessIndex process) const;
  NicKind kind() const { return kind_; }
  std::size_t open_endpoints(ProcessIndex process) const;
  std::size_t open_regions(ProcessIndex process) const;
  std::size_t reads_in_flight(ProcessIndex process) const;
  std::string first_left(ProcessIndex process) const;  // of a process that is still there

 private:
  struct Mapping {  // a registered region
    Region name{};
    std::uint64_t key = 0, base = 0;
    std::vector<std::byte> bytes;
    std::vector<std::uint32_t> epochs;
  };
  struct PeerEntry {
    Peer name{};
    std::uint32_t address = 0;
    bool reached = false;
  };
  struct Nic {  // an open endpoint
    Endpoint name{};
    std::uint32_t address = 0;
    bool serves = true;
    bool broken = false;
    std::uint64_t keys_given = 0;
    std::vector<Mapping> regions;
    std::vector<PeerEntry> peers;
  };
  struct Host {  // a process's side
    std::vector<Nic> nics;
    std::vector<Endpoint> endpoints_used;
    std::vector<Region> regions_used;
    std::vector<Endpoint> endpoints_refused;  // their opening failed; they may be closed all the same
    std::vector<Region> regions_refused;
    std::map<Buffer, std::vector<std::byte>> buffers;
    std::uint32_t buffers_lent = 0;
    std::vector<std::uint64_t> reads;    // all that it posted, by number
    std::vector<std::uint64_t> pending;  // those of them that may still be in flight
  };
  enum class Stage : std::uint8_t { going, answering, over };
  struct Chunk {
    std::uint64_t from = 0, bytes = 0;
  };
  struct Posted {
    ProcessIndex process = no_process;
    Role role{};
    action::ReadRemote a;
    std::uint32_t address = 0;
    Stage stage = Stage::going;
    bool told = false;  // the answer was delivered
    std::uint32_t left = 0;
    std::vector<Chunk> chunks;
    std::vector<std::byte> bytes;
    std::vector<std::uint32_t> epochs;
    std::vector<EpochRun> runs;
  };
  struct Stalled {
    ProcessIndex target = no_process;  // stopped; or nobody, and whoever opens at `address` is met
    std::uint32_t address = 0;
    std::uint64_t read = 0, chunk = 0;
  };

  Host& host(ProcessIndex process);
  const Host* known(ProcessIndex process) const;
  Nic* nic(ProcessIndex process, Endpoint name);
  Mapping* mapping(ProcessIndex process, Region name);
  std::pair<ProcessIndex, const Nic*> listener(std::uint32_t address) const;
  void misuse(const Process& p, const std::string& text);
  bool fails(const Process& p, std::string_view step, Blob& text);
  std::uint32_t new_address(ProcessIndex process);
  void store(const Process& p, Region name, std::uint64_t offset, Bytes content);
  void close(Process& p, Nic& closing);
  void write_buffer(ProcessIndex process, Buffer buffer, std::uint64_t at, Bytes bytes);
  void release_stalled(ProcessIndex target);

  static bool in_flight(const Posted& read) { return read.stage != Stage::over && !read.told; }
  void cut(Posted& read);
  void schedule_chunk(std::uint64_t read, std::uint64_t chunk, Duration after);
  void fail_on_purpose(std::uint64_t number);
  void dead_peer(std::uint64_t number, std::uint64_t chunk);
  void release_tries(std::uint32_t address);
  void break_endpoint(const Posted& read);
  bool sample(Posted& read, const Nic& target, const Chunk& chunk);
  void land(Posted& read, const Chunk& chunk);
  void complete(std::uint64_t number);
  void answer(std::uint64_t number, Status status, const std::string& text);

  World& world_;
  NicKind kind_ = NicKind::strict;
  bool kind_chosen_ = false;
  std::vector<Host> hosts_;
  std::vector<Posted> reads_;
  std::vector<Stalled> stalled_;
  std::vector<std::uint32_t> free_addresses_;
  std::uint32_t addresses_ = 0;
  std::vector<ProcessIndex> epoch_owner_{no_process};  // by epoch; 0: nobody's bytes
};

}  // namespace tenter::sim
