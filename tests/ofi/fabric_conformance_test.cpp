// The Fabric contract on libfabric's providers that need no network card.
#include "tests/conformance/fabric.hpp"

#include <array>
#include <memory>

#include "hw/loop/process.hpp"
#include "hw/ofi/fabric_part.hpp"

namespace tenter::hw {
namespace {

struct Listener {
  std::vector<Event> events;
  template <class E, class O>
  void on(const E& e, O&) {
    events.emplace_back(e);
  }
};

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
class RealFabric {
 public:
  RealFabric() {
    for (auto& side : sides_) side = std::make_unique<Side>();
  }
  ~RealFabric() {
    for (auto& side : sides_) side.reset();
    EXPECT_EQ(Resources::held(Resource::fabric_object), 0);
    EXPECT_EQ(Resources::held(Resource::thread), 0);
    EXPECT_EQ(Resources::held(Resource::mapping), 0);
  }
  Blob provider() const { return Blob(std::string_view(Provider::name)); }
  void perform(std::size_t side, const Action& action) {
    sides_[side]->context.current = Role{0};
    std::visit(
        [&](const auto& a) {
          if constexpr (PerformsOne<Port<FabricPart>, std::remove_cvref_t<decltype(a)>>) sides_[side]->port.perform(a);
        },
        action);
  }
  std::optional<Event> next(std::size_t side) { return take(side, seconds(20)); }
  bool quiet(std::size_t side) { return !take(side, milliseconds(100)); }
  Buffer lend(std::size_t side, std::uint64_t bytes) {
    auto& memory = memory_.emplace_back(std::make_unique<std::vector<std::byte>>(bytes, std::byte{0xBB}));
    const Buffer buffer = sides_[side]->port.lend(*memory);
    lent_[{side, buffer}] = memory.get();
    return buffer;
  }
  Blob look(std::size_t side, Buffer buffer) { return Blob(Bytes(*lent_.at({side, buffer}))); }
  void fill(std::size_t side, Buffer buffer, const Blob& bytes) {
    std::copy(bytes.bytes().begin(), bytes.bytes().end(), lent_.at({side, buffer})->begin());
  }
  bool refuses() const { return Provider::refuses; }
  bool closes_under_reads() const { return Provider::closes_under_reads; }

 private:
  struct Side {
    Context context;
    Port<FabricPart> port{{context}, {}};
    Process<Port<FabricPart>, Listener> process{context, port, Listener{}};
  };
  std::optional<Event> take(std::size_t side, Duration patience) {
    auto& process = sides_[side]->process;
    auto& events = process.template machine<0>().events;
    process.run_until([&] { return !events.empty(); }, now() + patience);
    if (events.empty()) return std::nullopt;
    const Event first = events.front();
    events.erase(events.begin());
    return first;
  }
  std::vector<std::unique_ptr<std::vector<std::byte>>> memory_;
  std::map<std::pair<std::size_t, Buffer>, std::vector<std::byte>*> lent_;
  std::array<std::unique_ptr<Side>, 2> sides_;
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
