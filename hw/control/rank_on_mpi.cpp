#include "hw/control/loop_on.hpp"
#include "hw/control/mpi_carrier.hpp"
#include "hw/posix/timers_part.hpp"

namespace tenter::hw {
namespace {

using MpiControllerPort = Port<MpiCarrier::Part, TimersPart, ClientPart, ProcessesPart>;
using MpiExecutorPort = Port<MpiCarrier::Part, TimersPart, ClientPart, ProcessesPart, WorkPart>;

constexpr Duration leave_patience = seconds(10);  // for the others to have left, too

using OpenCarrier = std::unique_ptr<MpiCarrier>;
Result<OpenCarrier> open_carrier(const RankPlace& place) {
  auto carrier = MpiCarrier::open(place.topology.world(), control::host_slots(place.topology).size() == 1);
  if (carrier && number((*carrier)->rank()) != place.rank)
    return error(Status::mismatch,
                 "MPI says rank " + std::to_string(number((*carrier)->rank())) + ", the launcher " + std::to_string(place.rank));
  return carrier;
}

// MPI outlives the parts.
struct HasCarrier {
  OpenCarrier carrier;
};

template <class M, class PortType>
class OnMpi final : private HasCarrier, public LoopOn<M, PortType> {
 public:
  template <class Make>
  OnMpi(OpenCarrier mpi, const RankPlace& place, M machine, Make&& make)
      : HasCarrier{std::move(mpi)}, LoopOn<M, PortType>(place, std::move(machine), std::forward<Make>(make)) {}
  bool part() override {
    CommPart& comm = this->port_;
    comm.leave();
    return this->run_until([&] { return comm.left(); }, now() + leave_patience);
  }
};

}  // namespace

MadeLoop controller_on_mpi(const RankPlace& place) {
  auto opened = open_carrier(place);
  if (!opened) return tl::unexpected(opened.error());
  MpiCarrier& carrier = **opened;
  const auto port = [&](Context& context) { return MpiControllerPort{{context, carrier}, {context}, {context}, {context}, {}}; };
  return std::make_unique<OnMpi<control::Hub, MpiControllerPort>>(std::move(*opened), place, control::Hub(hub_config(place)),
                                                                  port);
}

MadeLoop executor_on_mpi(const RankPlace& place, const ControlCallables& callables) {
  auto opened = open_carrier(place);
  if (!opened) return tl::unexpected(opened.error());
  MpiCarrier& carrier = **opened;
  const auto port = [&](Context& context) {
    return MpiExecutorPort{{context, carrier}, {context}, {context}, {context}, {context, runs(callables)}, {}};
  };
  return std::make_unique<OnMpi<control::Executor, MpiExecutorPort>>(std::move(*opened), place,
                                                                     control::Executor(executor_config(place, callables)), port);
}

}  // namespace tenter::hw
