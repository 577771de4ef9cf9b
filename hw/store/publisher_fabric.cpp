#include "hw/ofi/fabric_part.hpp"
#include "hw/store/no_files_part.hpp"
#include "hw/store/publisher_inside.hpp"

namespace tenter::hw {
namespace {

struct NoFiles : NoFilesPart {
  NoFiles(const PartArguments& a) : NoFilesPart(a.context) {}
};
struct Ofi : FabricPart {
  Ofi(const PartArguments& a) : FabricPart(a.context) {}
};

}  // namespace

MadePublisher publisher_on_fabric(const StorePublisherOptions& options, const PublisherConfigs& configs,
                                  const MpiEnvironment& environment, Doorbell& doorbell, std::unique_ptr<Recorder> recorder) {
  return std::make_unique<PublisherOn<NoFiles, Ofi>>(options, configs, environment, doorbell, std::move(recorder));
}

}  // namespace tenter::hw
