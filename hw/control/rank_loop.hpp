// What a rank of a control world is, whatever carries its messages: one machine, its parts, its loop. Private to hw/control.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/control/executor.hpp"
#include "core/control/hub.hpp"
#include "core/error.hpp"
#include "hw/control/builtin_callables.hpp"
#include "hw/control/rank_place.hpp"
#include "hw/posix/client_part.hpp"
#include "hw/posix/processes_part.hpp"

namespace tenter::hw {

class RankLoop {
 public:
  virtual ~RankLoop() = default;
  // Begins to join the world.
  virtual void start() = 0;
  virtual ClientPart& client() = 0;
  virtual bool run_until(const std::function<bool()>& until, Time deadline) = 0;
  // Of rank 0, where the others must be told it: empty as long as it is not known.
  virtual std::string address() const { return {}; }
  virtual bool has_joined() const = 0;
  virtual bool cannot_join() const = 0;  // or has ended
  virtual const std::optional<ExitRequest>& exit_requested() const = 0;
  // After an orderly exit: what the carrier still needs. False: it was not done in time.
  virtual bool part() { return true; }
  // Writes the rest of the recording; its first failure, if any.
  virtual Result<void> finish_recording() = 0;
};

control::HubConfig hub_config(const RankPlace& place);
control::ExecutorConfig executor_config(const RankPlace& place, const ControlCallables& callables);

// address: where rank 0 is found, of an executor. Errors: failed, with the cause.
using MadeLoop = Result<std::unique_ptr<RankLoop>>;
MadeLoop controller_on_tcp(const RankPlace& place);
MadeLoop executor_on_tcp(const RankPlace& place, const ControlCallables& callables, const std::string& address);
// MPI is started here, so after go.
MadeLoop controller_on_mpi(const RankPlace& place);
MadeLoop executor_on_mpi(const RankPlace& place, const ControlCallables& callables);

}  // namespace tenter::hw
