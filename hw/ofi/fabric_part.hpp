// The Fabric port on libfabric (docs/ports/fabric.md).
#pragma once
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

  // A caller's memory gets a name, used once, for the calls that read into it or store out of it. Reads may land in it until it
  // is taken back; afterwards nothing is written into it: an endpoint with such a read open is ended first.
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
  void add_waits(WaitSet& waits) const;

 private:
  ofi::FabricEndpoint& endpoint(Endpoint name);
  MutableBytes lent(Buffer buffer, std::uint64_t at, std::uint64_t bytes);
  void store(Region region, std::uint64_t offset, Bytes content);
  std::unique_ptr<ofi::Read> deliver(ofi::Answer&& answer);

  Context& context_;
  std::map<Endpoint, std::unique_ptr<ofi::FabricEndpoint>> endpoints_;
  std::map<Region, Endpoint> owners_;
  std::map<Buffer, MutableBytes> buffers_;
  std::uint32_t next_buffer_ = 1;
};

}  // namespace tenter::hw
