// No wait without an end, and no wake without a reason: which timers and watches each machine of a mailbox group has in each
// state, told from the events and actions alone. MB-02, MB-20, L1, L3, MP12; docs/protocols/mailbox.md.
#pragma once
#include <array>
#include <vector>

#include "cli/protocols/mailbox/group_machines.hpp"

namespace tenter::protocols {

inline constexpr const char* wait_property = "every wait has its end, and nothing wakes who waits for nothing";

// What one machine has asked Timers and SharedPage for and was not answered yet.
struct Awaited {
  std::vector<Op> timers, watches;
  bool closed_seen = false;  // the standing watch of the group word ended with CLOSED

  template <class Kind>
  static bool any(const std::vector<Op>& ops, Kind kind) {
    for (const Op op : ops)
      if (mailbox::kind_of<Kind>(op) == kind) return true;
    return false;
  }
  template <class Kind>
  bool timer(Kind kind) const {
    return any(timers, kind);
  }
  template <class Kind>
  bool watch(Kind kind) const {
    return any(watches, kind);
  }
};

class WaitRules {
 public:
  void came(const Judged& judged, const event::TimerFired& e);
  void came(const Judged& judged, const event::WordChanged& e);
  void came(const Judged& judged, const event::FilesChanged& e);
  void came(const Judged& judged, const event::ProcessExited& e);
  void came(const Judged& judged, const event::Submitted& e);
  void came(const Judged& judged, const event::Told& e);

  void made(const Judged& judged, const action::Arm& a);
  void made(const Judged& judged, const action::Publish& a);
  void made(const Judged& judged, const action::Cancel& a);
  void made(const Judged& judged, const action::Watch& a);
  void made(const Judged& judged, const action::Unwatch& a);
  void made(const Judged& judged, const action::ClosePage& a);
  void made(const Judged& judged, const action::RemoveDirectory& a);
  void made(const Judged& judged, const action::WatchFiles& a);
  void made(const Judged& judged, const action::ListFiles& a);
  void made(const Judged& judged, const action::Spawn& a);
  void made(const Judged& judged, const action::WatchProcess& a);
  void made(const Judged& judged, const action::Tell& a);
  void made(const Judged& judged, const action::Complete& a);

  void after(const Judged& judged);  // the step is complete

 private:
  Awaited& of(const Judged& judged) { return awaited_[static_cast<std::size_t>(judged.kind)]; }
  void directory_must_be_watched(const Judged& judged) const;
  const char* channel(mailbox::ChannelState state);
  const char* channel_woke(const Judged& judged) const;
  const char* launch_entered(const Judged& judged) const;
  const char* rendezvous(RendezvousState state) const;
  const char* launch(const Judged& judged, mailbox::LaunchState state) const;
  const char* member(const Judged& judged) const;
  const char* dispatcher(mailbox::DispatcherState state, mailbox::DispatcherState before) const;

  std::array<Awaited, 5> awaited_;  // by kind; of the members only rank 0's has timers
  std::uint32_t open_calls_ = 0;    // at the channel: in the lane or in its queue
  bool owes_deadline_ = false;      // a request was published and its deadline not armed
  bool owes_limit_ = false;         // removing was begun, and its limit not armed
  bool lane_busy_ = false;          // one of them is in the lane
  std::uint32_t ranks_known_ = 0;   // reports that were read: their processes are watched
  bool directory_watched_ = false;  // by launch, for the ranks' reports
  bool group_known_ = false;        // launch told the channel that the group is ready
  bool exit_seen_ = false;          // of a process of the group
};

}  // namespace tenter::protocols
