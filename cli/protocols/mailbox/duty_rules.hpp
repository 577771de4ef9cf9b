// What a machine of a mailbox group owes to whom at which event: to whom it tells what, whom it kills, when it leaves and with
// what. Told from the events, the actions and the names of the states alone. MB-19, MP11, MP12, MP17, MP18, L1, L4;
// docs/protocols/mailbox.md, core/mailbox/notes.hpp.
#pragma once
#include <set>
#include <vector>

#include "cli/protocols/mailbox/group_machines.hpp"

namespace tenter::protocols {

inline constexpr const char* duty_property = "who learns what ends a step, a call or the group acts on it and tells it on";
inline constexpr const char* call_property = "a call of one machine to another is made once and answered once";
inline constexpr const char* kill_property = "whoever is alive is told to end, by a signal that ends, and nobody else";
inline constexpr const char* exit_property = "who leaves has closed its page, has told it and exits with 0 or 1";
inline constexpr const char* limit_property = "no port is asked for more than the protocol's limit";

class DutyRules {
 public:
  void came(const Judged& judged, const event::ProcessExited& e);
  void came(const Judged& judged, const event::Spawned& e);
  void came(const Judged& judged, const event::TimerFired& e);

  void made(const Judged& judged, const action::Tell& a);
  void made(const Judged& judged, const action::KillProcesses& a);
  void made(const Judged& judged, const action::WatchProcess& a);
  void made(const Judged& judged, const action::InspectProcesses& a);
  void made(const Judged& judged, const action::ExitProcess& a);
  void made(const Judged& judged, const action::ReadFile& a);
  void made(const Judged& judged, const action::Duplicate& a);

  void after(const Judged& judged);
  void at_end(const sim::View& view, sim::Findings& findings);

 private:
  struct Known {
    Op op{};
    ProcessId process;
  };
  const char* channel(const Judged& judged) const;
  const char* rendezvous(const Judged& judged) const;
  const char* launch(const Judged& judged) const;
  const char* launch_heard(const Judged& judged) const;
  const char* member(const Judged& judged) const;
  const char* dispatcher(const Judged& judged) const;
  void kills_all(const Judged& judged) const;

  std::set<std::pair<std::uint16_t, std::uint64_t>> calls_;  // role and ticket: requests at the channel, not answered yet
  std::vector<Known> alive_;                                 // launcher and ranks that launch knows, and has not seen exit
  std::vector<ProcessId> signalled_;                         // in the step signalled_step_
  std::uint64_t signalled_step_ = 0;
  Op look_{};              // the last look at the processes
  bool attached_ = false;  // launch told the channel of READY
};

}  // namespace tenter::protocols
