// The store's machines, so that `sim replay DIR` makes them from a recording of `store serve | get | read`
// (hw/store/recording.hpp).
#include "cli/protocols/store/protocol.hpp"
#include "core/recording/value.hpp"
#include "core/store/joiner.hpp"
#include "core/store/leases.hpp"
#include "core/store/publisher.hpp"
#include "core/store/reader.hpp"
#include "hw/store/recording.hpp"

namespace tenter::protocols {

void add_store_roles(Registry& registry) {
  registry.role<store::Publisher, store::PublisherConfig>()
      .role<store::Reader, store::ReaderConfig>()
      .role<store::Joiner, store::JoinerConfig>()
      .role<store::Leases, store::LeasesConfig>()
      .role<store::Beacon>([](Bytes bytes) {
        const auto owner = recording::decode_value<hw::BeaconOwner>(bytes);
        if (!owner) throw std::invalid_argument(owner.error().what);
        return store::Beacon(owner->owner);
      });
}

}  // namespace tenter::protocols
