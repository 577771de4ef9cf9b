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

// Null where nothing is recorded. docs/formats.md
template <class M, class Configuration>
Result<std::unique_ptr<Recorder>> record(const RankPlace& place, const Configuration& configuration) {
  if (place.record.empty()) return std::unique_ptr<Recorder>();
  return Recorder::open(place.record,
                        {"control", "rank-" + std::to_string(place.rank), Rank{place.rank}, {recorded_role<M>(configuration)}});
}

// MPI outlives the parts.
struct HasCarrier {
  OpenCarrier carrier;
};

template <class M, class PortType>
class OnMpi final : private HasCarrier, public LoopOn<M, PortType> {
 public:
  template <class Make>
  OnMpi(OpenCarrier mpi, const RankPlace& place, M machine, Make&& make, std::unique_ptr<Recorder> recorder)
      : HasCarrier{std::move(mpi)},
        LoopOn<M, PortType>(place, std::move(machine), std::forward<Make>(make), std::move(recorder)) {}
  bool part() override {
    CommPart& comm = this->port_;
    comm.leave();
    return this->run_until([&] { return comm.left(); }, now() + leave_patience);
  }
};

}  // namespace

MadeLoop controller_on_mpi(const RankPlace& place) {
  const control::HubConfig config = hub_config(place);
  auto opened = open_carrier(place);
  if (!opened) return tl::unexpected(opened.error());
  auto recorder = record<control::Hub>(place, config);
  if (!recorder) return tl::unexpected(recorder.error());
  MpiCarrier& carrier = **opened;
  const auto port = [&](Context& context) { return MpiControllerPort{{context, carrier}, {context}, {context}, {context}, {}}; };
  return std::make_unique<OnMpi<control::Hub, MpiControllerPort>>(std::move(*opened), place, control::Hub(config), port,
                                                                  std::move(*recorder));
}

MadeLoop executor_on_mpi(const RankPlace& place, const ControlCallables& callables) {
  const control::ExecutorConfig config = executor_config(place, callables);
  auto opened = open_carrier(place);
  if (!opened) return tl::unexpected(opened.error());
  auto recorder = record<control::Executor>(place, config);
  if (!recorder) return tl::unexpected(recorder.error());
  MpiCarrier& carrier = **opened;
  const auto port = [&](Context& context) {
    return MpiExecutorPort{{context, carrier}, {context}, {context}, {context}, {context, runs(callables)}, {}};
  };
  return std::make_unique<OnMpi<control::Executor, MpiExecutorPort>>(std::move(*opened), place, control::Executor(config), port,
                                                                     std::move(*recorder));
}

}  // namespace tenter::hw
