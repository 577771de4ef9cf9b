#include "hw/store/publisher_parts.hpp"

namespace tenter::hw {

MadePublisher publisher_on_fabric(const StorePublisherOptions& options, const PublisherConfigs& configs,
                                  const MpiEnvironment& environment, Doorbell& doorbell, std::unique_ptr<Recorder> recorder) {
  return std::make_unique<PublisherOn<NoFiles, Ofi>>(options, configs, environment, doorbell, std::move(recorder));
}

}  // namespace tenter::hw
