// Child processes and the watch over other ones, by pidfd (pidfd_open(2)). This process becomes a subreaper
// (PR_SET_CHILD_SUBREAPER): what a dead child leaves behind is adopted and reaped here. Children that other code of this
// process started are never touched: ours are told apart by a mark in their environment, and by their session, which each
// spawned program has of its own. What a spawned program starts, wherever it went, is a helper of it until it is watched by name:
// SIGKILL for the program is for its helpers too, and a look at a program that runs tells of a helper that is stopped.
//
// The death signal of a child follows the *thread* that spawned it: the thread that drives the loop must outlive the children.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/action.hpp"
#include "hw/part.hpp"
#include "hw/posix/descriptor.hpp"

namespace tenter::hw {

struct ExitRequest {
  std::int32_t code = 0;
  bool orderly = true;
  friend bool operator==(const ExitRequest&, const ExitRequest&) = default;
};

// The life-line that this process was given when it was spawned (TENTER_LIFELINE), now owned and close-on-exec; empty when there
// is none or the number names something else than the read end of a pipe. Take it once.
Descriptor inherited_lifeline();

class ProcessesPart {
 public:
  ProcessesPart(Context& context);  // throws std::system_error when the life-line cannot be made
  ProcessesPart(const ProcessesPart&) = delete;
  ProcessesPart& operator=(const ProcessesPart&) = delete;
  ~ProcessesPart();  // kills what it spawned and adopted, and reaps it

  void perform(const action::Spawn& a);
  void perform(const action::WatchProcess& a);
  void perform(const action::KillProcesses& a);
  void perform(const action::InspectProcesses& a);
  void perform(const action::ExitProcess& a);

  // ParentExited to every role once `lifeline` is at its end.
  void watch_lifeline(Descriptor lifeline, std::vector<Role> roles);
  // The first exit that a machine asked for; the owner of the loop obeys.
  const std::optional<ExitRequest>& exit_requested() const { return exit_requested_; }

  void poll();
  void add_waits(WaitSet& waits) const;

 private:
  using Listener = std::pair<Role, Op>;
  struct Watched {
    ProcessId process;
    Descriptor pidfd;
    std::vector<Listener> listeners;
    bool spawned = false;            // by this part
    bool marked = false;             // by what this part spawned
    bool alone = false;              // not in the set of exits
    std::optional<Counted> counted;  // set: ours to reap (spawned or adopted)
    std::string mark;                // of what this program starts, when it was spawned here
  };
  Watched* find(const ProcessId& process);
  void add(Watched watched);
  void poll_lifeline();
  void poll_alone();
  void finish(Watched& watched);
  void adopt_orphans();
  void kill_all();
  char letter_of(const ProcessId& process);
  std::vector<ProcessId> helpers(std::string_view mark) const;
  void kill_helpers(const std::string& mark);

  Context& context_;
  std::string mark_;  // NAME=value, in the environment of what is spawned and of all that it starts; a number a program follows
  std::uint64_t spawned_ = 0;
  Descriptor lifeline_read_, lifeline_write_;  // shared by all children; closes when this process ends, however it ends
  Descriptor parent_lifeline_;
  std::vector<Role> parent_roles_;
  Descriptor exits_;  // epoll set of the pidfds: its ready list is in the order of the exits (epoll(7))
  std::vector<Watched> watched_;
  std::map<std::int64_t, std::uint64_t> sessions_;  // of the programs spawned: leader and its start time
  std::optional<ExitRequest> exit_requested_;
  std::uint32_t checked_nudges_ = 0;
  Time next_check_{};
};

}  // namespace tenter::hw
