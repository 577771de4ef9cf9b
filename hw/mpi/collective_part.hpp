// The Collective port on nonblocking MPI. docs/ports/collective.md is its contract.
//
// A named communicator is two MPI duplicates of the world: `heads` carries one fixed block a collective, in posted order;
// `bulk` carries what did not fit, in the same order, so that several collectives can be outstanding. Events of one communicator
// come in posted order. A collective cannot be cancelled: destroying the part with one in flight abandons MPI (environment.hpp).
#pragma once
#include <mpi.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/action.hpp"
#include "hw/mpi/doorbell.hpp"
#include "hw/mpi/environment.hpp"
#include "hw/mpi/wait_policy.hpp"
#include "hw/part.hpp"

namespace tenter::hw {

struct CollectiveLimits {
  std::size_t bcast_block_bytes = 4096;         // below MPICH's rendezvous threshold (8 KiB)
  std::size_t gather_block_bytes = 1024;        // the root holds one a rank
  std::uint64_t payload_bytes_max = 64u << 20;  // of one rank; larger ones fail on every rank that learns of them
  std::size_t outstanding_max = 1024;           // of one communicator; more is a programmer error
  WaitLimits wait;
};

class CollectivePart {
 public:
  struct Counters {
    std::uint64_t completed = 0;
    std::uint64_t sleeps = 0;              // times the loop was offered the doorbell to sleep on
    std::uint64_t safety_net_wakes = 0;    // sleeps that ended by the safety net
    std::uint64_t safety_net_rescues = 0;  // of these, those that found something to do: a ring was missing
  };

  // Collective over the world, like the doorbell's start; both must outlive the part. Throws nothing: a failure to duplicate
  // the world shows as `unavailable` on the first collective.
  CollectivePart(Context& context, const MpiEnvironment& environment, Doorbell& doorbell, CollectiveLimits limits = {});
  CollectivePart(const CollectivePart&) = delete;
  CollectivePart& operator=(const CollectivePart&) = delete;
  ~CollectivePart();

  void perform(const action::Duplicate& a);
  void perform(const action::FreeCommunicator& a);
  void perform(const action::Bcast& a);
  void perform(const action::Gather& a);
  void perform(const action::Allgather& a);
  void perform(const action::Barrier& a);

  void poll();
  void add_waits(WaitSet& waits);

  // Where messages of this communicator may travel: nothing but collectives does. MPI_COMM_NULL: none of that name.
  MPI_Comm messages_on(Communicator communicator) const;

  std::size_t in_flight() const { return in_flight_; }
  const Counters& counters() const { return counters_; }
  // "communicator 1: gather number 7 (head) for 12 ms" a line; "" when nothing is in flight.
  std::string in_flight_text() const;

 private:
  struct Operation;
  struct Named;
  using OperationPointer = std::unique_ptr<Operation>;

  Operation* begin(CollectiveKind kind, Op op, Communicator communicator, Rank root = Rank{0});
  void refuse(Op op, Status status, std::string text);
  void posted(Named& named, Operation& operation, bool ring);
  bool advance_all(Time at);
  bool advance(Named& named, Time at);
  bool advance_head(Named& named, Operation& operation);
  bool advance_bulk(Named& named, Operation& operation);
  void head_done(Named& named, Operation& operation);
  void read_bcast(Named& named, Operation& operation);
  void read_parts(Named& named, Operation& operation);
  void receive_part(Named& named, Operation& operation, std::uint32_t rank);
  void bulk_done(Named& named, Operation& operation);
  void deliver(Named& named, Operation& operation, Time at);
  bool check(Operation& operation, int code, const char* call);
  void fail(Operation& operation, Status status, std::string text);
  void add_named(Communicator name, MPI_Comm heads, MPI_Comm bulk);
  void release(Named& named);
  OperationPointer fresh();
  bool at_root(const Operation& operation) const;

  Context& context_;
  const MpiEnvironment& environment_;
  Doorbell& doorbell_;
  CollectiveLimits limits_;
  WaitPolicy policy_;
  std::map<Communicator, std::unique_ptr<Named>> named_;
  std::vector<OperationPointer> spare_;  // finished operations whose buffers are used again
  std::size_t in_flight_ = 0;
  Counters counters_;
  std::uint32_t seen_ = 0;  // the own doorbell word before the last test
  bool slept_ = false;      // the loop was offered the doorbell since the last poll
  Time net_ends_{};         // when the safety net of that sleep catches
};

}  // namespace tenter::hw
