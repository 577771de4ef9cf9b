#include "hw/posix/files_part.hpp"
#include "hw/store/publisher_parts.hpp"

namespace tenter::hw {
namespace {

struct DirectoryFiles : FilesPart {
  DirectoryFiles(const PartArguments& a) : FilesPart(a.context, a.options.directory) {}
};

}  // namespace

MadePublisher publisher_with_files(const StorePublisherOptions& options, const PublisherConfigs& configs,
                                   const MpiEnvironment& environment, Doorbell& doorbell, std::unique_ptr<Recorder> recorder) {
  return std::make_unique<PublisherOn<DirectoryFiles, Ofi>>(options, configs, environment, doorbell, std::move(recorder));
}

}  // namespace tenter::hw
