#include "hw/control/mpi_carrier.hpp"

#include <utility>

#include "hw/mpi/large_buffers.hpp"

namespace tenter::hw {

Result<std::unique_ptr<MpiCarrier>> MpiCarrier::open(std::uint32_t world, bool one_host) {
  keep_large_buffers();
  auto environment = MpiEnvironment::open({world, MPI_THREAD_SERIALIZED});
  if (!environment) return tl::unexpected(environment.error());
  std::unique_ptr<MpiCarrier> carrier(new MpiCarrier(std::move(*environment)));
  if (!one_host) return carrier;
  auto doorbell = Doorbell::open(carrier->environment_);
  if (!doorbell) return tl::unexpected(doorbell.error());
  carrier->doorbell_.emplace(std::move(*doorbell));
  return carrier;
}

bool MpiCarrier::crowded() const { return doorbell_ && size() > usable_cpus(); }

}  // namespace tenter::hw
