// Calls of user threads, and their outcomes. `submit`, `take`, `wait` and `done` may be called by any thread; the rest is the
// loop's. A thread that drives the loop itself waits by `process.run_until([&] { return client.done(ticket); }, deadline)`;
// another one by `wait`.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "core/action.hpp"
#include "core/error.hpp"
#include "hw/part.hpp"

namespace tenter::hw {

class ClientPart {
 public:
  // limit: calls that are submitted and not yet taken back (`take`, `wait`); more are refused.
  ClientPart(Context& context, std::size_t limit = 1024) : context_(context), limit_(limit) {}
  ClientPart(const ClientPart&) = delete;
  ClientPart& operator=(const ClientPart&) = delete;

  enum class Wake { loop, nobody };  // nobody: the caller drives the loop itself, next
  // Submitted{ticket, call} for the machine of role `to`. Errors: unavailable when `limit` calls are open.
  Result<Ticket> submit(Role to, Note call, Wake wake = Wake::loop);
  // The outcome, once; nothing while the call is open, and nothing for a ticket that was taken or never given.
  std::optional<Note> take(Ticket ticket);
  // take() by sleeping until the outcome or the deadline (CLOCK_MONOTONIC). The call stays open after timed_out: its outcome is
  // still there for a later take. Errors: timed_out; not_found for a ticket that was taken or never given.
  Result<Note> wait(Ticket ticket, Time deadline);
  // An outcome is there to be taken. Without a lock as long as nothing was completed since the last time it was asked.
  bool done(Ticket ticket) const;
  // The ticket is of no interest any more: its outcome is dropped when it comes.
  void abandon(Ticket ticket);

  void perform(const action::Complete& a);
  void poll();
  void add_waits(WaitSet&) const {}  // submit nudges

 private:
  struct Call {
    std::optional<Note> outcome;
    bool abandoned = false;
  };
  struct Submission {
    Role to{};
    Ticket ticket{};
    Note call;
  };

  Context& context_;
  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::condition_variable completed_;
  std::map<Ticket, Call> calls_;         // open, or completed and not taken
  std::vector<Submission> submissions_;  // not yet seen by the loop
  std::uint64_t last_ticket_ = 0;
  std::atomic<bool> waiting_{false};       // submissions_ is not empty
  std::atomic<std::uint64_t> untaken_{0};  // outcomes in calls_
  std::uint32_t sleepers_ = 0;             // threads in wait()
  std::vector<Submission> taken_;          // loop thread only: keeps its memory
};

}  // namespace tenter::hw
