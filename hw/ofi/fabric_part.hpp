// The Fabric port on libfabric (docs/ports/fabric.md).
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>

#include "core/action.hpp"
#include "hw/ofi/endpoint.hpp"
#include "hw/part.hpp"

namespace tenter::hw {

class FabricPart {
 public:
  FabricPart(Context& context) : context_(context) {}
  FabricPart(const FabricPart&) = delete;
  FabricPart& operator=(const FabricPart&) = delete;
  ~FabricPart();

  // A caller's memory gets a name, used once, for the calls that read into it or store out of it. It stays the caller's; reads
  // land elsewhere and are copied when they are answered, so after take_back() nothing is written into it.
  Buffer lend(MutableBytes memory);
  void take_back(Buffer buffer);

  void perform(const action::OpenFabric& a);
  void perform(const action::CloseFabric& a);
  void perform(const action::RegisterRegion& a);
  void perform(const action::StoreRegion& a);
  void perform(const action::CopyToRegion& a);
  void perform(const action::UnregisterRegion& a);
  void perform(const action::InsertPeer& a);
  void perform(const action::ReadRemote& a);
  void perform(const action::FillBuffer& a);
  void poll();
  void add_waits(WaitSet&) const {}  // the endpoints' threads nudge

 private:
  ofi::FabricEndpoint& endpoint(Endpoint name);
  MutableBytes lent(Buffer buffer, std::uint64_t at, std::uint64_t bytes);
  void store(Region region, std::uint64_t offset, Bytes content);
  void deliver(ofi::Answer&& answer);

  Context& context_;
  std::map<Endpoint, std::unique_ptr<ofi::FabricEndpoint>> endpoints_;
  std::map<Region, Endpoint> owners_;
  std::map<Buffer, MutableBytes> buffers_;
  std::uint32_t next_buffer_ = 1;
  std::atomic<bool> answered_{false};  // raised by the progress threads
};

}  // namespace tenter::hw
