// A group as its parent's user sees it: started, asked, shut down. Behind it the machines Channel, Rendezvous and Launch on
// hardware parts. Spec A1; docs/protocols/mailbox.md.
//
//   auto group = hw::Group::start({.ranks = 4, .member = {hw::this_program(), "member"}});
//   if (!group) { … group.error().what names rank, cause and phase … }
//   auto sums = (*group)->submit_all("vector_add", arguments, seconds(10));
//   auto closed = (*group)->shutdown(seconds(10));
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/blob.hpp"
#include "core/error.hpp"
#include "core/mailbox/frame.hpp"
#include "core/names.hpp"
#include "hw/loop/step_hook.hpp"

namespace tenter::hw {

struct GroupSpec {
  std::uint32_t ranks = 1;
  std::vector<std::string> member;   // program and arguments of a rank: it calls run_member() (rank_main.hpp)
  std::string launcher = "mpiexec";  // called as: launcher -n ranks member…, Hydra also with -disable-auto-cleanup
  std::string base;                  // folder for the private folder; empty: PrivateFolder's default
  Duration start_patience = seconds(60);
  Duration stop_patience = seconds(30);  // of the destructor
  std::string record;                    // directory for a log a process (group_recording.hpp); empty: none
  StepHook* step_hook = nullptr;         // a test's, of the parent's machines; outlives the group
};

// What a callable is called with: see TaskArgument in callables.hpp. data: at most 1 MiB.
struct Task {
  std::vector<std::uint64_t> scalars;
  Blob data;
};

// A group operation whose members are submitted one by one, each by a thread of its own. Spec B4.
struct GroupOperation {
  std::uint64_t slot = 0;        // in the user's task graph
  std::uint64_t generation = 0;  // another one each time that the slot is used again
  std::uint32_t size = 0;        // members; 0: every rank of the group
  std::uint32_t of_group = 0;    // how many of them are ranks of this group; 0: all
};

// Absolute path of the running program, for GroupSpec::member: a rank is this very binary.
std::string this_program();

// Any thread may call anything; requests queue up and go through one at a time. A call's thread drives the loop while it waits;
// a thread of the group drives it otherwise, so that a dying process is noticed by an idle group too.
//
// Errors of the calls: `failed` is a rank's own (it names rank, type, message; the group lives), `timed_out` before the
// request was published (the group lives), `invalid`, `no_space` and `unavailable` were refused and nothing was sent. After
// `timed_out` in flight or `peer_lost` the group has ended: ended() is true and the text names the culprit and the phase.
class Group {
 public:
  // After an error nothing is left: no process, no page, no file.
  static Result<std::unique_ptr<Group>> start(const GroupSpec& spec);
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group();  // shuts down, by force where it must, and leaves nothing

  // budget: from the call to its answer, queueing included.
  Result<Blob> submit(std::uint32_t rank, std::string_view callable, const Task& task, Duration budget);
  // One task a rank, in one request; results in rank order. Any rank's failure fails the call.
  Result<std::vector<Blob>> submit_all(std::string_view callable, std::span<const Task> tasks, Duration budget);
  // This rank's part of an operation. All parts travel in one request once the last of them is there. Who waits for the others
  // longer than its patience fails alone (`timed_out`, naming the absent); the exchange then has the longest patience among
  // them. When one part fails, its own caller gets `failed` and the others `cancelled`, all naming the rank. Fewer members than
  // ranks: a directed request. invalid: rank given twice, too late, or a selection mixed with others at the group's size.
  Result<Blob> join(const GroupOperation& operation, std::uint32_t rank, std::string_view callable, const Task& task,
                    Duration patience);
  // A control (spec control.md B2.7), answered by the rank's callable "control/N". The target is in the call's name: one rank,
  // or the whole group, which only alloc_domain and release_domain may address.
  Result<Blob> control(std::uint32_t rank, mailbox::ControlName name, Bytes command, Duration budget);
  Result<Blob> control_group(mailbox::ControlName name, Bytes command, Duration budget);
  Result<void> ping(Duration budget);

  // Orderly, or by force when the budget is over; a second call waits for the same end. Errors say what went wrong on the way
  // or what was left behind.
  Result<void> shutdown(Duration budget);

  // With GroupSpec::record: ends the parent's log; to be called after shutdown, what comes later is not recorded. The first
  // failure of its recording, which is not complete then. A rank's is told on its standard error.
  Result<void> finish_recording();

  std::uint32_t ranks() const;
  bool ended() const;  // no request will succeed any more
  const std::string& page() const;
  const std::string& folder() const;  // the private folder, until the group is gone
  ProcessId launcher() const;
  std::vector<ProcessId> processes() const;  // of the ranks, in their order; pid 0: not known

  struct Inside;  // group_inside.hpp: what a group owns

 private:
  explicit Group(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace tenter::hw
