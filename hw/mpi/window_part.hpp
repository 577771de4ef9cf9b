// The Fabric port on MPI RMA, passive target (docs/ports/fabric.md): an endpoint is the world, an address is a rank, a region is
// a window of its own that all ranks make together, so every rank registers, unregisters and closes its regions in one order.
// Those actions wait for the other ranks, with a yield between tests. One host, like the doorbell.
//
// A read is MPI_Rget into memory of the part, copied when it is answered: MPI cannot cancel one, so what is given up keeps its
// memory until it has ended. Calls of MPI are made by the loop's thread alone (FUNNELED suffices).
//
// MPICH 4.0.2 serves a read only inside calls of MPI of the rank that is read from (measured, also for MPI_Win_allocate_shared).
// So a reader rings that rank's doorbell until its read has ended: a rank that sleeps in its loop serves within a wake, one whose
// thread is elsewhere serves when it comes back. Method fabric has its own progress and serves always.
#pragma once
#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/action.hpp"
#include "core/error.hpp"
#include "hw/mpi/doorbell.hpp"
#include "hw/mpi/environment.hpp"
#include "hw/part.hpp"

namespace tenter::hw {

inline constexpr std::uint32_t window_address_format = 0x4D50'4931;  // "MPI1": a rank of the world, 4 bytes, little-endian
inline constexpr std::uint64_t window_read_bytes_max = std::uint64_t{1} << 30;  // MPI counts in int

class WindowPart {
 public:
  // Collective over the world; environment and doorbell outlive the part. A failure shows at the first open_fabric.
  WindowPart(Context& context, const MpiEnvironment& environment, Doorbell& doorbell);
  WindowPart(const WindowPart&) = delete;
  WindowPart& operator=(const WindowPart&) = delete;
  // Windows that are still there cannot be freed by one rank alone: MPI is abandoned then (environment.hpp).
  ~WindowPart();

  // A caller's memory gets a name, used once. It stays the caller's; after take_back() nothing is written into it.
  Buffer lend(MutableBytes memory);
  void take_back(Buffer buffer);

  void perform(const action::OpenFabric& a);
  void perform(const action::CloseFabric& a);
  void perform(const action::RegisterRegion& a);
  void perform(const action::StoreRegion& a);
  void perform(const action::CopyToRegion& a);
  void perform(const action::UnregisterRegion& a);
  void perform(const action::InsertPeer& a);
  void perform(const action::ReadRemote& a);
  void perform(const action::FillBuffer& a);
  void poll();
  void add_waits(WaitSet& waits);

 private:
  struct Window;
  struct Read;

  MutableBytes lent(Buffer buffer, std::uint64_t at, std::uint64_t bytes);
  void store(Region region, std::uint64_t offset, Bytes content);
  Result<std::unique_ptr<Window>> make_window(Endpoint endpoint, std::uint64_t bytes);
  void free_window(Window& window);
  std::unique_ptr<Read> fresh_read(std::uint64_t bytes);
  void finish(std::unique_ptr<Read> read, int code);
  void refuse(const action::ReadRemote& a, Status status, const std::string& text);
  bool test_reads();

  Context& context_;
  const MpiEnvironment& environment_;
  Doorbell& doorbell_;
  MPI_Comm world_ = MPI_COMM_NULL;
  std::string broken_;                                  // why no endpoint can be opened
  std::map<Endpoint, std::map<Peer, Rank>> endpoints_;  // open, with their peers
  std::map<Region, std::unique_ptr<Window>> windows_;
  std::map<std::uint64_t, Window*> by_key_;
  std::vector<std::unique_ptr<Window>> abandoned_;  // exposed on some ranks only, after a failure
  std::map<Buffer, MutableBytes> buffers_;
  std::vector<std::unique_ptr<Read>> reads_;  // in flight, the ones given up among them
  std::vector<MPI_Request> requests_;         // theirs, in the same order
  std::vector<int> done_;                     // of MPI_Testsome: which ended, and how
  std::vector<MPI_Status> states_;
  std::size_t old_reads_ = 0;                 // of reads_: posted before the last look; their targets were rung
  std::vector<std::unique_ptr<Read>> spare_;  // finished; their memory is used again
  std::uint64_t next_key_ = 1;                // the same on every rank
  std::uint32_t next_buffer_ = 1;
  Duration rest_{};         // until the reads in flight are tested again
  Time moved_{};            // when this rank was rung, or a read of its own was posted or ended
  std::uint32_t rung_ = 0;  // the own word of the doorbell, then
};

}  // namespace tenter::hw
