// The controller of a control world, as its user sees it. Spec control.md A1; what the answers mean: core/control/calls.hpp.
//
//   auto controller = hw::Controller::start(*rank, seconds(60));
//   auto ticket = (*controller)->submit(control::any_worker, payload);      // any thread; never waits
//   auto result = (*controller)->wait(*ticket, hw::now() + seconds(10));    // the callable's bytes
//   auto closed = (*controller)->shutdown(seconds(10));
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/control/calls.hpp"
#include "core/error.hpp"
#include "hw/control/control_rank.hpp"

namespace tenter::hw {

// Any thread may call anything. Who waits drives the loop; a thread of the controller's does otherwise, so that beats go on and
// what is submitted is sent.
class Controller {
 public:
  // Takes the rank's loop over, which outlives it. Waits until every executor has greeted or has failed, at most `patience`.
  // Errors: failed (which executors, and why; the others would serve, but start() is all or nothing), timed_out.
  static Result<std::unique_ptr<Controller>> start(ControlRank& rank, Duration patience);
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;
  ~Controller();  // shuts down, by force after 10 s

  // A task for one worker, or for `control::any_worker`. patience: from now to its answer; 0: for ever. unavailable: too many
  // calls are open. Everything else is the outcome of wait(), also that there was no credit (`no_space`: nothing was sent, try
  // again).
  Result<Ticket> submit(std::uint32_t worker, Blob payload, Duration patience = {});
  Result<Ticket> control(std::uint32_t worker, control::ControlName name, Blob command, Duration patience = {});
  // The outcome, once. timed_out without a text of the executor's: not answered by the deadline, the ticket stays.
  Result<Blob> wait(Ticket ticket, Time deadline);
  // submit() and wait() by one thread, without a hand-over to another.
  Result<Blob> run(std::uint32_t worker, Blob payload, Duration patience);

  Result<void> cancel(Ticket ticket);
  Result<void> cancel_route(std::uint32_t worker);     // everything of it; it has failed then
  Result<std::vector<control::RouteHealth>> health();  // in the order of the workers

  // What is in flight is waited for, or cancelled at once (`abort`); every executor is told to leave. Ends by the deadline in
  // every case. Errors: failed, timed_out, which name who failed or did not leave. After it only exit_code() is of use.
  Result<void> shutdown(Duration patience, bool abort = false);
  // Of this process, after shutdown(): waits for the other ranks on the orderly way. Not 0: someone did not leave in order, and
  // MPI must not be finalized (it is marked so).
  int exit_code(Duration patience);

 private:
  struct Inside;
  explicit Controller(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace tenter::hw
