#include "hw/ofi/fabric_part.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/check.hpp"

namespace tenter::hw {
namespace {

// Aligned 8-byte words are stored whole; the bytes around them one by one. Another process's NIC, or a thread of the provider,
// reads beside this.
void store_words(std::byte* to, Bytes from) {
  std::size_t i = 0;
  const auto aligned = [&] { return reinterpret_cast<std::uintptr_t>(to + i) % 8 == 0; };
  const auto store_byte = [&] {
    std::atomic_ref(*reinterpret_cast<unsigned char*>(to + i))
        .store(std::to_integer<unsigned char>(from[i]), std::memory_order_release);
  };
  for (; i < from.size() && !aligned(); ++i) store_byte();
  for (; i + 8 <= from.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, from.data() + i, 8);
    std::atomic_ref(*reinterpret_cast<std::uint64_t*>(to + i)).store(word, std::memory_order_release);
  }
  for (; i < from.size(); ++i) store_byte();
}

}  // namespace

FabricPart::~FabricPart() = default;

Buffer FabricPart::lend(MutableBytes memory) {
  const Buffer name{next_buffer_++};
  buffers_.emplace(name, memory);
  return name;
}

void FabricPart::take_back(Buffer buffer) {
  for (auto& [name, open] : endpoints_) open->forget(buffer);
  buffers_.erase(buffer);
}

ofi::FabricEndpoint& FabricPart::endpoint(Endpoint name) {
  const auto found = endpoints_.find(name);
  TENTER_CHECK(found != endpoints_.end());
  return *found->second;
}

MutableBytes FabricPart::lent(Buffer buffer, std::uint64_t at, std::uint64_t bytes) {
  const auto found = buffers_.find(buffer);
  TENTER_CHECK(found != buffers_.end());
  TENTER_CHECK(at <= found->second.size() && bytes <= found->second.size() - at);
  return found->second.subspan(at, bytes);
}

void FabricPart::perform(const action::OpenFabric& a) {
  TENTER_CHECK(!endpoints_.contains(a.endpoint));
  auto made = ofi::FabricEndpoint::open(a, [this] { context_.nudge(); });
  if (auto* refused = std::get_if<event::FabricOpened>(&made)) return context_.push(context_.current, std::move(*refused));
  auto& open = std::get<std::unique_ptr<ofi::FabricEndpoint>>(made);
  event::FabricOpened e = open->opened();
  e.now = now();
  e.op = a.op;
  endpoints_.emplace(a.endpoint, std::move(open));
  context_.push(context_.current, std::move(e));
}

void FabricPart::perform(const action::CloseFabric& a) {
  if (const auto found = endpoints_.find(a.endpoint); found != endpoints_.end()) {
    for (ofi::Answer& answer : found->second->abandon()) (void)deliver(std::move(answer));
    endpoints_.erase(found);
    std::erase_if(owners_, [&](const auto& owner) { return owner.second == a.endpoint; });
  }
  context_.push(context_.current, event::FabricDone{now(), a.op, Status::ok, {}});
}

void FabricPart::perform(const action::RegisterRegion& a) {
  TENTER_CHECK(!owners_.contains(a.region));
  TENTER_CHECK(endpoint(a.endpoint).serves());
  event::RegionRegistered e = endpoint(a.endpoint).register_region(a);
  e.now = now();
  e.op = a.op;
  if (e.status == Status::ok) owners_.emplace(a.region, a.endpoint);
  context_.push(context_.current, std::move(e));
}

void FabricPart::store(Region region, std::uint64_t offset, Bytes content) {
  const auto owner = owners_.find(region);
  TENTER_CHECK(owner != owners_.end());
  ofi::Pages* pages = endpoint(owner->second).region(region);
  TENTER_CHECK(pages != nullptr && offset <= pages->size() && content.size() <= pages->size() - offset);
  store_words(pages->data() + offset, content);
}

void FabricPart::perform(const action::StoreRegion& a) { store(a.region, a.offset, a.content.bytes()); }
void FabricPart::perform(const action::CopyToRegion& a) { store(a.region, a.offset, lent(a.buffer, a.from, a.bytes)); }

void FabricPart::perform(const action::UnregisterRegion& a) {
  if (const auto owner = owners_.find(a.region); owner != owners_.end()) {
    (void)endpoint(owner->second).unregister_region(a.region);
    owners_.erase(owner);
  }
  context_.push(context_.current, event::FabricDone{now(), a.op, Status::ok, {}});
}

void FabricPart::perform(const action::InsertPeer& a) {
  event::FabricDone e = endpoint(a.endpoint).insert(a);
  e.now = now();
  e.op = a.op;
  context_.push(context_.current, std::move(e));
}

void FabricPart::perform(const action::ReadRemote& a) {
  const MutableBytes into = a.buffer == no_buffer ? MutableBytes() : lent(a.buffer, a.at, a.bytes);
  endpoint(a.endpoint).read(number(context_.current), a, into);
}

void FabricPart::perform(const action::FillBuffer& a) {
  const MutableBytes to = lent(a.buffer, a.at, a.content.size());
  if (!to.empty()) std::memcpy(to.data(), a.content.bytes().data(), to.size());
}

// Gives the read back, whose landing memory can be used again.
std::unique_ptr<ofi::Read> FabricPart::deliver(ofi::Answer&& answer) {
  event::ReadDone e;
  e.now = context_.round();
  e.op = answer.asked.op;
  e.status = answer.status;
  e.text = Blob(answer.text);
  if (answer.status == Status::ok && answer.landed->into == nullptr) {
    const Bytes bytes(answer.landed->landing.pages.data(), answer.asked.bytes);
    if (answer.asked.buffer == no_buffer)
      e.content = Blob(bytes);
    else if (buffers_.contains(answer.asked.buffer) && !bytes.empty())
      std::memcpy(lent(answer.asked.buffer, answer.asked.at, bytes.size()).data(), bytes.data(), bytes.size());
  }
  context_.push(Role{static_cast<std::uint16_t>(answer.role)}, std::move(e));
  return std::move(answer.landed);
}

void FabricPart::poll() {
  for (auto& [name, open] : endpoints_) {
    for (ofi::Answer& answer : open->drive()) {
      std::unique_ptr<ofi::Read> landed = deliver(std::move(answer));
      open->give_back(std::move(landed));
    }
  }
}

void FabricPart::add_waits(WaitSet& waits) const {
  for (const auto& [name, open] : endpoints_) open->add_waits(waits);
}

}  // namespace tenter::hw
