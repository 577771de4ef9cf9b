// One rank of the group: the start-up handshake, then round after round: bcast of the envelope, own payload executed, gather of
// a record. The same machine on every rank; rank 0's takes its rounds from the Dispatcher beside it.
// docs/protocols/mailbox.md, spec B3, B6, C5.
//
// Steps are named "member.<state>.<event>", for example member.gathering.collective_done.
#pragma once
#include <cstdint>
#include <string_view>

#include "core/machine.hpp"
#include "core/mailbox/member_values.hpp"
#include "core/mailbox/notes.hpp"
#include "core/port.hpp"

namespace tenter::mailbox {

template <class O>
concept MemberPorts = Collective<O> && Files<O> && Processes<O> && Work<O> && Timers<O> && Local<O> && Host<O>;

struct MemberConfig {
  std::uint32_t rank = 0;
  std::uint32_t world = 1;           // as MPI says; compared with the manifest's
  Duration leave_wait = seconds(2);  // rank 0, after TERMINAL: for the others to take the order to leave
  Role dispatcher = dispatcher_role;
  friend bool operator==(const MemberConfig&, const MemberConfig&) = default;
  TENTER_DESCRIBE(member_config, rank, world, leave_wait, dispatcher)
};

enum class MemberState : std::uint8_t {
  describing,    // who am I: pid and start time
  reporting,     // the report file rank-K is being published
  loading,       // rank 0 reads the manifest
  distributing,  // the manifest is broadcast
  duplicating,   // dispatch and domain communicator, duplicates of the world
  agreeing,      // allgather of readiness
  attaching,     // rank 0: the Dispatcher opens the page
  announcing,    // bcast of the outcome
  idle,          // rank 0: no round
  receiving,     // in the bcast of a round
  executing,     // the own payload is being worked on
  gathering,     // in the gather of a round
  broken,        // rank 0: a collective failed; the Dispatcher says TERMINAL and why, then sends us off
  freeing,       // orderly end: domain communicator, then dispatch communicator
  leaving,       // rank 0 after TERMINAL: in the bcast of the order to leave
  left,          // the process ends
};
const char* to_string(MemberState state);

class Member {
 public:
  Member() = default;
  explicit Member(MemberConfig config) : config_(config) {}

  template <MemberPorts O>
  void on(const event::Started& e, O& out);
  template <MemberPorts O>
  void on(const event::HostDescribed& e, O& out);
  template <MemberPorts O>
  void on(const event::FileDone& e, O& out);
  template <MemberPorts O>
  void on(const event::CollectiveDone& e, O& out);
  template <MemberPorts O>
  void on(const event::Told& e, O& out);
  template <MemberPorts O>
  void on(const event::Executed& e, O& out);
  template <MemberPorts O>
  void on(const event::TimerFired& e, O& out);
  template <MemberPorts O>
  void on(const event::ParentExited& e, O& out);
  // Nothing of these is ever asked for by a member.
  template <MemberPorts O>
  void on(const event::FilesListed&, O&) {}
  template <MemberPorts O>
  void on(const event::FilesChanged&, O&) {}
  template <MemberPorts O>
  void on(const event::Spawned&, O&) {}
  template <MemberPorts O>
  void on(const event::ProcessExited&, O&) {}
  template <MemberPorts O>
  void on(const event::ProcessesInspected&, O&) {}

  std::string_view state_name() const { return to_string(state_); }
  MemberState state() const { return state_; }
  std::uint64_t rounds() const { return round_; }

 private:
  // Start-up: member_start.hpp.
  template <class O>
  void distribute(Blob manifest, O& out);
  template <class O>
  void start_collective_done(const event::CollectiveDone& e, O& out);
  template <class O>
  void agreed(const event::CollectiveDone& e, O& out);
  template <class O>
  void announce(Blob reasons, O& out);

  // Rounds: member_round.hpp.
  template <class O>
  void await_round(O& out);
  template <class O>
  void receive(Blob envelope, O& out);
  template <class O>
  void received(const event::CollectiveDone& e, O& out);
  template <class O>
  void contribute(Blob record, O& out);
  template <class O>
  void gathered(const event::CollectiveDone& e, O& out);
  template <class O>
  void collective_failed(std::string_view which, Status status, O& out);

  // The end: member_round.hpp.
  template <class O>
  void told_to_leave(bool orderly, Time now, O& out);
  template <class O>
  void free_communicators(O& out);
  template <class O>
  void leave(std::int32_t code, bool orderly, O& out);

  bool root() const { return config_.rank == 0; }

  MemberConfig config_;
  MemberState state_ = MemberState::describing;
  std::uint64_t round_ = 0;  // rounds begun
  ProcessId self_;
  Blob page_;                     // the page's name, from the manifest
  Blob trouble_;                  // why this rank is not ready; empty: it is
  Opcode opcode_ = Opcode::ping;  // of the round
  Blob waiting_round_;            // rank 0, announcing: the parent was quicker than the outcome's bcast
  std::int32_t exit_code_ = 0;    // freeing: what the process ends with
  ReplyTo reply_to_;              // executing: whose reply it will be

 public:
  friend bool operator==(const Member&, const Member&) = default;
  TENTER_DESCRIBE(member, config_, state_, round_, self_, page_, trouble_, opcode_, waiting_round_, exit_code_, reply_to_)
};

}  // namespace tenter::mailbox

#include "core/mailbox/member_round.hpp"
#include "core/mailbox/member_start.hpp"
