// The Fabric contract under the obligations that providers of real network cards return, which none here does.
#include <rdma/fi_domain.h>

#include "tests/conformance/fabric.hpp"
#include "tests/ofi/fake_fabric.hpp"

namespace tenter::hw {
namespace {

using fake_provider::Traits;

struct Offsets {  // as tcp;ofi_rxm
  static Traits traits() { return {}; }
};
struct Verbs {  // what verbs asks for: addresses, its own keys, local registrations
  static Traits traits() {
    Traits made;
    made.mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    made.mode = FI_CONTEXT;
    return made;
  }
};
struct Cxi {  // offsets, keys of 4 bytes that the caller chooses, memory bound to an endpoint
  static Traits traits() {
    Traits made;
    made.mr_mode = FI_MR_ENDPOINT | FI_MR_ALLOCATED;
    made.key_bytes = 4;
    made.breaks_after_an_error = true;
    return made;
  }
};
struct RawKeys {  // longer than a number
  static Traits traits() {
    Traits made;
    made.mr_mode = FI_MR_RAW | FI_MR_PROV_KEY;
    made.key_bytes = 32;
    made.address_bytes = 128;
    return made;
  }
};
struct Everything {
  static Traits traits() {
    Traits made;
    made.mr_mode = FI_MR_LOCAL | FI_MR_RAW | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
    made.mode = FI_CONTEXT | FI_CONTEXT2;
    made.key_bytes = 64;
    made.address_bytes = 256;
    made.breaks_after_an_error = true;
    return made;
  }
};
struct NoWaitObject {
  static Traits traits() {
    Traits made;
    made.mode = FI_CONTEXT2;
    made.wait_object = false;
    made.transmit_size = 4;
    return made;
  }
};

template <class Kind>
class FakeFabric {
 public:
  Blob provider() const { return Blob(std::string_view(fake_provider::provider_name)); }
  bool refuses() const { return true; }
  bool closes_under_reads() const { return true; }
  void perform(std::size_t side, const Action& action) { sides_.perform(side, action); }
  std::optional<Event> next(std::size_t side) { return sides_.next(side); }
  bool quiet(std::size_t side) { return sides_.quiet(side); }
  Buffer lend(std::size_t side, std::uint64_t bytes) { return sides_.lend(side, bytes); }
  Blob look(std::size_t side, Buffer buffer) { return sides_.look(side, buffer); }
  void fill(std::size_t side, Buffer buffer, const Blob& bytes) { sides_.fill(side, buffer, bytes); }

 private:
  FakeProvider provider_{Kind::traits()};  // looked at when the sides have gone
  TwoSides sides_;
};

using FakeWorlds = ::testing::Types<FakeFabric<Offsets>, FakeFabric<Verbs>, FakeFabric<Cxi>, FakeFabric<RawKeys>,
                                    FakeFabric<Everything>, FakeFabric<NoWaitObject>>;
struct FakeNames {
  template <class World>
  static std::string GetName(int index) {
    static constexpr const char* names[] = {"offsets", "verbs", "cxi", "raw_keys", "everything", "no_wait_object"};
    return names[index];
  }
};

}  // namespace
}  // namespace tenter::hw

namespace tenter::conformance {
INSTANTIATE_TYPED_TEST_SUITE_P(Fake, FabricConformance, hw::FakeWorlds, hw::FakeNames);
}
