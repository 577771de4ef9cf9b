// The Fabric contract on libfabric's providers that need no network card.
#include "tests/conformance/fabric.hpp"
#include "tests/ofi/two_sides.hpp"

namespace tenter::hw {
namespace {

struct TcpRxm {
  static constexpr const char* name = "tcp;ofi_rxm";
  static constexpr bool refuses = true, closes_under_reads = true;
};
struct Sockets {
  static constexpr const char* name = "sockets";
  static constexpr bool refuses = true, closes_under_reads = true;
};
struct Shm {  // reads with process_vm_readv(2), which knows no keys
  static constexpr const char* name = "shm";
  static constexpr bool refuses = false, closes_under_reads = false;  // 1.17: SIGSEGV in its progress, both sides in one process
};

template <class Provider>
class RealFabric : public TwoSides {
 public:
  Blob provider() const { return Blob(std::string_view(Provider::name)); }
  bool refuses() const { return Provider::refuses; }
  bool closes_under_reads() const { return Provider::closes_under_reads; }
};

using Worlds = ::testing::Types<RealFabric<TcpRxm>, RealFabric<Sockets>, RealFabric<Shm>>;
struct Names {
  template <class World>
  static std::string GetName(int) {
    return std::string(World().provider().text().substr(0, 3));
  }
};

}  // namespace
}  // namespace tenter::hw

namespace tenter::conformance {
INSTANTIATE_TYPED_TEST_SUITE_P(Real, FabricConformance, hw::Worlds, hw::Names);
}
