// The keeper of one job: judges the topology before anything is made, opens the gate on the controller's address, starts the
// launcher, watches it and every rank it can see, says GO or names who could not start, and leaves nothing behind whichever way
// it ends. Every step has a deadline. Spec A1, A2.6, B4, B6; S8, L1, L4, L6, P-C8, P-C10, P-X19. docs/protocols/gate.md.
//
// supervisor_start.hpp has the steps up to GO, supervisor_end.hpp the watch and the way out.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/control/start_notes.hpp"
#include "core/control/start_operation.hpp"
#include "core/control/supervisor_values.hpp"
#include "core/fixed_vector.hpp"
#include "core/machine.hpp"
#include "core/port.hpp"

namespace tenter::control {

template <class O>
concept SupervisorPorts = Processes<O> && Files<O> && Timers<O> && Client<O> && Local<O> && Entropy<O> && Host<O>;

struct SupervisorConfig {
  Role gate = gate_role;
  Duration grace = milliseconds(300);    // after a first exit in a start: for the other exits and the ranks' own reasons
  Duration answer_wait = seconds(5);     // for an answer that is due when the start's deadline has passed
  Duration leave_wait = seconds(30);     // from the first exit of a running job to the last
  Duration terminate_wait = seconds(5);  // from SIGTERM to SIGKILL
  Duration kill_wait = seconds(5);       // from SIGKILL to the last exit
  Duration clean_wait = seconds(5);      // for the host file to be removed
  friend bool operator==(const SupervisorConfig&, const SupervisorConfig&) = default;
  TENTER_DESCRIBE(supervisor_config, gate, grace, answer_wait, leave_wait, terminate_wait, kill_wait, clean_wait)
};

inline constexpr std::size_t end_calls_max = 16;  // stop and wait calls that are open, of each

class Supervisor {
 public:
  Supervisor() = default;
  explicit Supervisor(SupervisorConfig config) : config_(config) {}

  template <SupervisorPorts O>
  void on(const event::Started&, O&) {}  // begins with the start call
  template <SupervisorPorts O>
  void on(const event::Submitted& e, O& out);
  template <SupervisorPorts O>
  void on(const event::HostDescribed& e, O& out);
  template <SupervisorPorts O>
  void on(const event::RandomBytes& e, O& out);
  template <SupervisorPorts O>
  void on(const event::Told& e, O& out);
  template <SupervisorPorts O>
  void on(const event::FileDone& e, O& out);
  template <SupervisorPorts O>
  void on(const event::Spawned& e, O& out);
  template <SupervisorPorts O>
  void on(const event::ProcessExited& e, O& out);
  template <SupervisorPorts O>
  void on(const event::ParentExited& e, O& out);
  template <SupervisorPorts O>
  void on(const event::TimerFired& e, O& out);
  // Not asked for.
  template <SupervisorPorts O>
  void on(const event::FilesListed&, O&) {}
  template <SupervisorPorts O>
  void on(const event::FilesChanged&, O&) {}
  template <SupervisorPorts O>
  void on(const event::ProcessesInspected&, O&) {}

  std::string_view state_name() const { return to_string(state_); }
  SupervisorState state() const { return state_; }
  const JobProcesses& processes() const { return processes_; }

 private:
  // supervisor_start.hpp
  template <class O>
  void start(Ticket ticket, const Note& call, Time now, O& out);
  template <class O>
  void listening(std::string_view address, O& out);
  template <class O>
  void spawn(O& out);
  template <class O>
  void rank_seen(const Note& note, O& out);
  template <class O>
  void go(O& out);
  // supervisor_end.hpp
  template <class O>
  void stop(Ticket ticket, const Note& call, Time now, O& out);
  template <class O>
  void wait(Ticket ticket, O& out);
  template <class O>
  void end_job(std::string_view why, Time now, O& out);
  template <class O>
  void exited(Time now, O& out);
  template <class O>
  void fail(Status status, const std::string& why, Time now, O& out);
  template <class O>
  void retreat(Time now, O& out);
  template <class O>
  void terminate(Time now, O& out);
  template <class O>
  void clean(Time now, O& out);
  template <class O>
  void finish_if_clean(O& out);
  template <class O>
  void finish(O& out);
  template <class O>
  void deadline_is_over(Time now, O& out);
  template <class O>
  void patience_is_over(Time now, O& out);
  void blame(Status status, const std::string& why);
  Note outcome() const;
  bool starting() const { return state_ >= SupervisorState::describing && state_ <= SupervisorState::suspecting; }

  static Op op(SupervisorOperation what, std::uint64_t which = 0) { return start_operation(what, which); }
  Blob hosts_file() const { return Blob(std::string_view(hosts_name_)); }

  SupervisorConfig config_;
  SupervisorState state_ = SupervisorState::idle;
  Topology topology_;
  LaunchPlan plan_;
  std::string root_, host_, gate_address_, hosts_name_;
  Hidden token_;
  Time deadline_{};
  bool gate_open_ = false;   // it was told to open, and has not told its end
  bool made_hosts_ = false;  // the host file, or perhaps
  bool stopped_ = false;     // somebody asked for the end
  std::optional<Ticket> start_call_;
  fixed_vector<Ticket, end_calls_max> stop_calls_, wait_calls_;
  JobProcesses processes_;
  Status status_ = Status::ok;  // of the first of what went wrong
  std::vector<std::string> failures_;
  std::string leftovers_;  // survivors, and what could not be removed

 public:
  friend bool operator==(const Supervisor&, const Supervisor&) = default;
  TENTER_DESCRIBE(supervisor, config_, state_, topology_, plan_, root_, host_, gate_address_, hosts_name_, token_, deadline_,
                  gate_open_, made_hosts_, stopped_, start_call_, stop_calls_, wait_calls_, processes_, status_, failures_,
                  leftovers_)
};

}  // namespace tenter::control

#include "core/control/supervisor_end.hpp"
#include "core/control/supervisor_start.hpp"
