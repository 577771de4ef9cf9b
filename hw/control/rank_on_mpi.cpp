#include <exception>
#include <optional>

#include "hw/control/loop_on.hpp"
#include "hw/mpi/comm_part.hpp"
#include "hw/mpi/doorbell.hpp"
#include "hw/mpi/environment.hpp"
#include "hw/mpi/large_buffers.hpp"
#include "hw/posix/timers_part.hpp"

namespace tenter::hw {
namespace {

using MpiControllerPort = Port<CommPart, TimersPart, ClientPart, ProcessesPart>;
using MpiExecutorPort = Port<CommPart, TimersPart, ClientPart, ProcessesPart, WorkPart>;

constexpr Duration leave_patience = seconds(10);  // for the others to have left, too

struct Mpi {
  MpiEnvironment environment;
  std::optional<Doorbell> doorbell;  // none where the world is on several hosts
};

Result<std::unique_ptr<Mpi>> open_mpi(const RankPlace& place) {
  keep_large_buffers();
  auto environment = MpiEnvironment::open({place.topology.world(), MPI_THREAD_SERIALIZED});
  if (!environment) return tl::unexpected(environment.error());
  if (number(environment->rank()) != place.rank)
    return error(Status::mismatch,
                 "MPI says rank " + std::to_string(number(environment->rank())) + ", the launcher " + std::to_string(place.rank));
  auto mpi = std::make_unique<Mpi>(Mpi{std::move(*environment), std::nullopt});
  if (control::host_slots(place.topology).size() > 1) return mpi;
  auto doorbell = Doorbell::open(mpi->environment);
  if (!doorbell) return tl::unexpected(doorbell.error());
  mpi->doorbell.emplace(std::move(*doorbell));
  return mpi;
}

// MPI outlives the parts.
struct HasMpi {
  std::unique_ptr<Mpi> mpi;
};

template <class M, class PortType>
class OnMpi final : private HasMpi, public LoopOn<M, PortType> {
 public:
  template <class Make>
  OnMpi(std::unique_ptr<Mpi> mpi, const RankPlace& place, M machine, Make&& make)
      : HasMpi{std::move(mpi)}, LoopOn<M, PortType>(place, std::move(machine), std::forward<Make>(make)) {}
  bool part() override {
    CommPart& comm = this->port_;
    comm.leave();
    return this->run_until([&] { return comm.left(); }, now() + leave_patience);
  }
};

}  // namespace

MadeLoop controller_on_mpi(const RankPlace& place) {
  auto mpi = open_mpi(place);
  if (!mpi) return tl::unexpected(mpi.error());
  Doorbell* const bell = (*mpi)->doorbell ? &*(*mpi)->doorbell : nullptr;
  const MpiEnvironment& environment = (*mpi)->environment;
  const auto port = [&](Context& context) {
    return MpiControllerPort{{context, environment, bell}, {context}, {context}, {context}, {}};
  };
  return std::make_unique<OnMpi<control::Hub, MpiControllerPort>>(std::move(*mpi), place, control::Hub(hub_config(place)), port);
}

MadeLoop executor_on_mpi(const RankPlace& place, const ControlCallables& callables) {
  auto mpi = open_mpi(place);
  if (!mpi) return tl::unexpected(mpi.error());
  Doorbell* const bell = (*mpi)->doorbell ? &*(*mpi)->doorbell : nullptr;
  const MpiEnvironment& environment = (*mpi)->environment;
  const auto port = [&](Context& context) {
    return MpiExecutorPort{{context, environment, bell}, {context}, {context}, {context}, {context, runs(callables)}, {}};
  };
  return std::make_unique<OnMpi<control::Executor, MpiExecutorPort>>(std::move(*mpi), place,
                                                                     control::Executor(executor_config(place, callables)), port);
}

}  // namespace tenter::hw
