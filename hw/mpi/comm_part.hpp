// The Comm port on MPI from point to point. docs/ports/comm.md is its contract.
//
// A message is one MPI message on a duplicate of the world that is the part's own; a tag that MPI might refuse travels in a
// message of 4 bytes before it (comm_lane.hpp). A posted receive is nothing that MPI knows: its sender is probed, and what is
// there is taken by matched probe, so a receive can always be withdrawn, and none waits for another.
//
// Nothing waits inside MPI. The loop tests; whoever sends or takes rings the other side's doorbell; who has nothing to do sleeps
// on its own, with a safety net below (wait_policy.hpp). Without a doorbell (ranks on several hosts) the net is all there is.
#pragma once
#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/action.hpp"
#include "core/event.hpp"
#include "hw/mpi/collective_part.hpp"
#include "hw/mpi/doorbell.hpp"
#include "hw/mpi/environment.hpp"
#include "hw/mpi/wait_policy.hpp"
#include "hw/part.hpp"

namespace tenter::hw {

struct CommLimits {
  WaitLimits wait;
  Duration net_without_doorbell = milliseconds(1);  // the longest sleep where nobody rings
  Duration young = seconds(1);                      // a long message that is under way for less is looked after every net_first
};

class CommPart {
 public:
  struct Counters {
    std::uint64_t sent = 0;      // accepted by MPI
    std::uint64_t arrived = 0;   // handed to a machine, whole
    std::uint64_t too_long = 0;  // handed to a machine as longer than its limit
    std::uint64_t dropped = 0;   // taken for a receive that was withdrawn meanwhile
    std::uint64_t sleeps = 0;    // times the loop was offered something to sleep on
    std::uint64_t safety_net_wakes = 0;
    std::uint64_t safety_net_rescues = 0;  // of these, those that found something to do: a ring was missing
  };

  // `doorbell` may be null; `communicators` names those besides the world, where there are any. All outlive the part. Nothing is
  // asked of MPI before join_world, which is collective: `failed` where MPI gives less than MPI_THREAD_SERIALIZED.
  CommPart(Context& context, const MpiEnvironment& environment, Doorbell* doorbell, const CollectivePart* communicators = nullptr,
           CommLimits limits = {});
  CommPart(const CommPart&) = delete;
  CommPart& operator=(const CommPart&) = delete;
  // With a message still under way, or the world half joined, MPI is abandoned (environment.hpp).
  ~CommPart();

  void perform(const action::JoinWorld& a);
  void perform(const action::SendMessage& a);
  void perform(const action::AbandonSend& a);
  void perform(const action::ReceiveMessage& a);
  void perform(const action::WithdrawReceive& a);

  void poll();
  void add_waits(WaitSet& waits);

  // The orderly way out, collective over the world: once no message is under way here, waits for all others to be as far, so that
  // MPI_Finalize waits for nobody. Drive the loop until left().
  void leave();
  bool left() const { return phase_ == Phase::left; }

  std::size_t in_flight() const { return sends_.size() + taking_.size(); }
  const Counters& counters() const { return counters_; }
  // "to rank 3: 16777256 bytes for 12 ms" a line; "" when nothing is under way.
  std::string in_flight_text() const;

 private:
  enum class Phase : std::uint8_t { apart, duplicating, gathering, joined, failed, leaving, left };
  struct Send;
  struct Lane;
  struct Owner {
    Role role{};
    Op op{};
  };

  // comm_part.cpp
  MPI_Comm communicator_of(Communicator communicator) const;
  std::string refusal(MPI_Comm found, Communicator communicator, Rank other) const;
  void answer_send(Owner owner, int code);
  void send_announced(Owner owner, MPI_Comm communicator, const action::SendMessage& a);
  void keep(std::unique_ptr<Send> send, Owner owner, const action::SendMessage& a);
  void answer_arrival(Owner owner, event::MessageArrived&& arrived);
  void ring(int rank);
  void under_way(std::size_t bytes);
  Time at() { return context_.round(); }
  // comm_progress.cpp
  bool advance();
  bool advance_world();
  bool joined(int code, const char* call);
  bool advance_sends();
  bool advance_taking();
  bool probe();
  bool look_for(Lane& lane);
  void take(Lane& lane, MPI_Message message, const MPI_Status& status);
  bool test(Lane& lane);
  bool test(Send& send);
  void keep_others_awake(bool rung);
  void taken(Lane& lane);
  bool anything_here();
  bool young();

  Context& context_;
  const MpiEnvironment& environment_;
  Doorbell* doorbell_;
  const CollectivePart* communicators_;
  CommLimits limits_;
  WaitPolicy policy_;
  Phase phase_ = Phase::apart;
  Owner joiner_;
  MPI_Comm world_ = MPI_COMM_NULL;          // ours; valid from `gathering` on
  MPI_Request request_ = MPI_REQUEST_NULL;  // of joining, or of leaving
  Time waits_since_{};                      // for that
  static constexpr std::uint32_t world_echoes_max = 64;
  std::uint32_t world_echoes_ = world_echoes_max;  // times that a ring is still answered by one, for that
  std::map<std::pair<Communicator, Rank>, std::unique_ptr<Lane>> lanes_;
  std::vector<Lane*> posted_;  // a receive waits, and no message of that lane is being taken for it
  std::vector<Lane*> taking_;
  std::vector<std::unique_ptr<Send>> sends_;  // MPI needs their content still
  std::size_t next_lane_ = 0;                 // of posted_: looked at in turn
  Counters counters_;
  Time next_ring_{};        // of the senders whose messages are being taken
  Time window_ends_{};      // until then a long message is worth yielding for
  std::uint32_t seen_ = 0;  // the own doorbell word before the last test
  bool slept_ = false;      // the loop was offered a sleep since the last poll
  Time net_ends_{};
};

}  // namespace tenter::hw
