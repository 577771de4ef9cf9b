// The parent's keeper of the group: makes page, directory and manifest, starts the launcher, knows every rank by pid and start
// time, names who died first, ends and reaps everyone and leaves nothing behind, whichever way it ends. Spec B6, C7.
// docs/protocols/mailbox.md has the order of the steps; launch_start.hpp, launch_watch.hpp and launch_end.hpp have the phases.
//
// Steps are named "launch.<state>.<event>", for example launch.spawning.spawned.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/fixed_vector.hpp"
#include "core/machine.hpp"
#include "core/mailbox/header.hpp"
#include "core/mailbox/launch_values.hpp"
#include "core/mailbox/layout.hpp"
#include "core/mailbox/manifest.hpp"
#include "core/mailbox/notes.hpp"
#include "core/mailbox/operation.hpp"
#include "core/port.hpp"

namespace tenter::mailbox {

template <class O>
concept LaunchPorts = SharedPage<O> && Files<O> && Processes<O> && Timers<O> && Client<O> && Local<O> && Entropy<O> && Host<O>;

struct LaunchConfig {
  std::uint32_t world = 1;                // ranks; a start call must ask for as many
  Duration start_patience = seconds(60);  // of a start call that brings none
  Duration stop_patience = seconds(30);   // of a stop call that brings none
  Duration grace = milliseconds(300);     // after a first exit: for the other exits that belong to it
  Duration answer_wait = seconds(5);      // for the channel's answer, past its own deadline; for a look at the processes
  Duration reason_wait = seconds(1);      // for the reason that rank 0 is still writing
  Duration terminate_wait = seconds(2);   // from SIGTERM to SIGKILL
  Duration kill_wait = seconds(5);        // from SIGKILL to the last exit
  Duration clean_wait = seconds(5);       // for manifest and directory to be removed
  Role channel = channel_role;
  Role rendezvous = rendezvous_role;
  friend bool operator==(const LaunchConfig&, const LaunchConfig&) = default;
  TENTER_DESCRIBE(launch_config, world, start_patience, stop_patience, grace, answer_wait, reason_wait, terminate_wait, kill_wait,
                  clean_wait, channel, rendezvous)
};

inline constexpr std::size_t stop_calls_max = 16;  // waiting for the same end

class Launch {
 public:
  Launch() = default;
  explicit Launch(LaunchConfig config) : config_(config) {}

  template <LaunchPorts O>
  void on(const event::Started&, O&) {}  // begins with the start call
  template <LaunchPorts O>
  void on(const event::Submitted& e, O& out);
  template <LaunchPorts O>
  void on(const event::RandomBytes& e, O& out);
  template <LaunchPorts O>
  void on(const event::HostDescribed& e, O& out);
  template <LaunchPorts O>
  void on(const event::FileDone& e, O& out);
  template <LaunchPorts O>
  void on(const event::PageOpened& e, O& out);
  template <LaunchPorts O>
  void on(const event::Spawned& e, O& out);
  template <LaunchPorts O>
  void on(const event::WordChanged& e, O& out);
  template <LaunchPorts O>
  void on(const event::Copied& e, O& out);
  template <LaunchPorts O>
  void on(const event::FilesChanged& e, O& out);
  template <LaunchPorts O>
  void on(const event::FilesListed& e, O& out);
  template <LaunchPorts O>
  void on(const event::ProcessExited& e, O& out);
  template <LaunchPorts O>
  void on(const event::ProcessesInspected& e, O& out);
  template <LaunchPorts O>
  void on(const event::TimerFired& e, O& out);
  template <LaunchPorts O>
  void on(const event::Told& e, O& out);
  // Of publish_if(INITIALIZING -> TERMINAL) after a failed start: whoever won, the group is ended.
  template <LaunchPorts O>
  void on(const event::Swapped&, O&) {}
  // Who started the parent does not own the group; a parent that must not outlive it ends itself, and the guardian cleans up.
  template <LaunchPorts O>
  void on(const event::ParentExited&, O&) {}

  std::string_view state_name() const { return to_string(state_); }
  LaunchState state() const { return state_; }
  const GroupProcesses& processes() const { return processes_; }

 private:
  // Start: launch_start.hpp.
  template <class O>
  void start(Ticket ticket, const Note& call, Time now, O& out);
  template <class O>
  void begin(StartSpec spec, Ticket ticket, Time now, O& out);
  template <class O>
  void directory_made(const event::FileDone& e, O& out);
  template <class O>
  void manifest_published(const event::FileDone& e, O& out);
  template <class O>
  void ready(O& out);
  template <class O>
  void attach(Time now, O& out);
  template <class O>
  void group_changed(const event::WordChanged& e, O& out);
  template <class O>
  void reason_read(const event::FileDone& e, O& out);
  template <class O>
  void start_deadline(Time now, O& out);
  template <class O>
  void fail(Status status, std::vector<RankError> errors, Time now, O& out);
  template <class O>
  void fail(Status status, std::string_view type, std::string message, Time now, O& out);

  void fail_later(Status status, std::string_view type, std::string message);  // keeps the error only
  void fail_later(Status status, std::vector<RankError> errors);

  // Watch: launch_watch.hpp.
  template <class O>
  void report_read(const event::FileDone& e, O& out);
  template <class O>
  void exited(bool first, Time now, O& out);
  template <class O>
  void suspicion_is_due(Time now, O& out);
  template <class O>
  void condemn(std::vector<RankError> errors, Time now, O& out);
  template <class O>
  void blame(O& out);
  template <class O>
  void inspect(LaunchOperation purpose, O& out);
  template <class O>
  void patience_is_over(Time now, O& out);

  // End: launch_end.hpp.
  template <class O>
  void stop(Ticket ticket, const Note& call, Time now, O& out);
  template <class O>
  void shut_down(Time now, O& out);
  template <class O>
  void closed(Time now, O& out);
  template <class O>
  void group_ended(const Blob& reason, Time now, O& out);
  template <class O>
  void retreat(Time now, O& out);
  template <class O>
  void terminate(bool orderly, Time now, O& out);
  template <class O>
  void kill(Time now, O& out);
  template <class O>
  void surveyed(std::vector<RankError> errors, Time now, O& out);
  template <class O>
  void clean_if_all_gone(Time now, O& out);
  template <class O>
  void clean(Time now, O& out);
  template <class O>
  void removed(const event::FileDone& e, O& out);
  template <class O>
  void finish(O& out);

  Op op(LaunchOperation kind, std::uint32_t index = 0) const { return operation(kind, attempt_, index); }
  bool starting() const { return state_ >= LaunchState::drawing && state_ <= LaunchState::inspecting && !attached_; }
  bool ending() const { return state_ >= LaunchState::terminating && state_ <= LaunchState::cleaning; }
  Blob path(std::string_view file) const { return Blob(std::string(directory_.text()) + "/" + std::string(file)); }
  std::string phase() const { return attached_ ? (stop_calls_.empty() ? "running" : "shutdown") : "start"; }
  Blob failures(bool with_cause) const;  // failure_ if asked for, then leftovers_

  LaunchConfig config_;
  LaunchState state_ = LaunchState::idle;
  std::uint32_t attempt_ = 0;  // start calls so far: no answer of an earlier one fits
  StartSpec spec_;
  std::optional<Ticket> start_call_;
  fixed_vector<Ticket, stop_calls_max> stop_calls_;
  Time stop_deadline_{};         // closing, leaving
  Blob page_, directory_;        // their names
  PageHead head_;                // of our page, once READY was seen
  bool made_directory_ = false;  // made, or perhaps: it was asked for and the answer has not come
  bool made_page_ = false;
  bool made_manifest_ = false;
  bool attached_ = false;  // READY was seen: the channel has the page
  bool listing_ = false;   // a list of the directory is under way
  Blob host_;
  ProcessId owner_;  // this process
  GroupProcesses processes_;
  Inspection look_;
  Status status_ = Status::ok;        // of the first error of failure_
  std::vector<RankError> failure_;    // of the start, or of the shutdown: the first one, then what came on top
  std::vector<RankError> leftovers_;  // survivors, and what could not be removed
  std::uint8_t removing_ = 0;         // cleaning: answers still to come
  Blob reason_;                       // why the group ended, when it was not shut down

 public:
  friend bool operator==(const Launch&, const Launch&) = default;
  TENTER_DESCRIBE(launch, config_, state_, attempt_, spec_, start_call_, stop_calls_, stop_deadline_, page_, directory_, head_,
                  made_directory_, made_page_, made_manifest_, attached_, listing_, host_, owner_, processes_, look_, status_,
                  failure_, leftovers_, removing_, reason_)
};

}  // namespace tenter::mailbox

#include "core/mailbox/launch_end.hpp"
#include "core/mailbox/launch_start.hpp"
#include "core/mailbox/launch_watch.hpp"
