// Rank 0 of a control job and ranks 1 to N, from the supervisor's environment to the end. Spec control.md A1;
// docs/protocols/control.md. Each call's thread drives the loop.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/blob.hpp"
#include "core/control/calls.hpp"
#include "core/error.hpp"
#include "hw/control/builtin_callables.hpp"
#include "hw/control/rank_place.hpp"

namespace tenter::hw {

// Rank 0.
class ControlSession {
 public:
  // Checks in at the gate, joins the world, and waits for every executor. An error says what could not be done; an executor that
  // did not greet is no error here: its tasks are refused, `absent` names it.
  static Result<std::unique_ptr<ControlSession>> open(const RankPlace& place);
  ControlSession(const ControlSession&) = delete;
  ControlSession& operator=(const ControlSession&) = delete;
  ~ControlSession();

  std::uint32_t workers() const;
  const std::string& absent() const;  // executors that are not there, and why; empty: all are

  // Never waits. patience 0: for ever. `payload`: task_payload()'s.
  Result<Ticket> submit(std::uint32_t worker, Blob payload, Duration patience);
  struct Answer {
    Ticket ticket{};
    Status status = Status::ok;  // as calls.hpp has it: no_space: nothing was sent, try again
    std::string text;
    Blob result;
  };
  // The next answer to any of the calls. timed_out: none came by then.
  Result<Answer> next(Time deadline);
  // SHUTDOWN to every executor; ends when all have left, at the latest after `patience`. Afterwards only exit() is possible.
  Result<void> shutdown(Duration patience);
  // The process's exit code, or its end when MPI cannot be finalized.
  int exit(int code);

 private:
  struct Inside;
  explicit ControlSession(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

// Ranks 1 to N: serves until the controller lets it go; the process's exit code. What goes wrong before the gate could know is
// told on standard error.
int serve_control(const RankPlace& place, const ControlCallables& callables);

}  // namespace tenter::hw
