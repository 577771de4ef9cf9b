#include "hw/mpi/window_part.hpp"
#include "hw/store/publisher_parts.hpp"

namespace tenter::hw {
namespace {

struct Windows : WindowPart {
  Windows(const PartArguments& a) : WindowPart(a.context, a.environment, a.doorbell) {}
};

}  // namespace

MadePublisher publisher_on_windows(const StorePublisherOptions& options, const PublisherConfigs& configs,
                                   const MpiEnvironment& environment, Doorbell& doorbell, std::unique_ptr<Recorder> recorder) {
  return std::make_unique<PublisherOn<NoFiles, Windows>>(options, configs, environment, doorbell, std::move(recorder));
}

}  // namespace tenter::hw
