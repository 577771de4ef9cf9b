#include "sim/model/fabric.hpp"

#include <algorithm>
#include <charconv>

#include "core/wire.hpp"
#include "sim/world.hpp"

namespace tenter::sim {
namespace {

constexpr Duration local_call = microseconds(1);
constexpr std::string_view address_prefix = "nic:";
constexpr std::uint64_t virtual_base = 0x10'0000'0000, virtual_stride = 0x1000'0000;
constexpr std::uint64_t mode_virtual = 0x70;  // FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY

Blob address_blob(std::uint32_t address) { return Blob(std::string(address_prefix) + std::to_string(address)); }

bool read_address(const Blob& blob, std::uint32_t& address) {
  const std::string_view text = blob.text();
  if (!text.starts_with(address_prefix)) return false;
  const auto [end, failure] = std::from_chars(text.data() + address_prefix.size(), text.data() + text.size(), address);
  return failure == std::errc{} && end == text.data() + text.size();
}

Blob key_blob(std::uint64_t key) {
  return Blob(8, [&](MutableBytes to) { wire::store(to.data(), key); });
}

}  // namespace

// ---------------------------------------------------------------- names

FabricModel::Host& FabricModel::host(ProcessIndex process) {
  if (process >= hosts_.size()) hosts_.resize(process + 1);
  return hosts_[process];
}
const FabricModel::Host* FabricModel::known(ProcessIndex process) const {
  return process < hosts_.size() ? &hosts_[process] : nullptr;
}

FabricModel::Nic* FabricModel::nic(ProcessIndex process, Endpoint name) {
  for (Nic& candidate : host(process).nics)
    if (candidate.name == name) return &candidate;
  return nullptr;
}

FabricModel::Mapping* FabricModel::mapping(ProcessIndex process, Region name) {
  for (Nic& candidate : host(process).nics)
    for (Mapping& region : candidate.regions)
      if (region.name == name) return &region;
  return nullptr;
}

void FabricModel::misuse(const Process& p, const std::string& text) {
  world_.fail(FindingKind::safety, "a machine keeps the Fabric's contract", p.name + ": " + text);
}

// A step of the library that is refused on purpose.
bool FabricModel::fails(const Process& p, std::string_view step, Blob& text) {
  if (!world_.allowed(Tag::fabric_failure) || world_.choices().choose(Tag::fabric_failure, p.index, 2) == 0) return false;
  world_.spend(Tag::fabric_failure);
  text = Blob("simulated provider: " + std::string(step) + " failed on purpose");
  return true;
}

// ---------------------------------------------------------------- endpoints, regions, peers

// A provider hands out the address of an endpoint that is gone: then keys and bases repeat, too.
std::uint32_t FabricModel::new_address(ProcessIndex process) {
  if (!free_addresses_.empty() && world_.allowed(Tag::address_reuse)) {
    const auto n = static_cast<std::uint32_t>(free_addresses_.size());
    const std::uint32_t which = world_.choices().choose(Tag::address_reuse, process, n + 1);
    if (which != 0) {
      world_.spend(Tag::address_reuse);
      const std::uint32_t address = free_addresses_[n - which];  // the newest first
      free_addresses_.erase(free_addresses_.begin() + static_cast<std::ptrdiff_t>(n - which));
      return address;
    }
  }
  return ++addresses_;
}

void FabricModel::perform(Process& p, Role role, const action::OpenFabric& a) {
  if (!kind_chosen_) {
    kind_ = static_cast<NicKind>(world_.choices().choose(Tag::nic, 0, 3));
    kind_chosen_ = true;
  }
  Host& mine = host(p.index);
  if (std::find(mine.endpoints_used.begin(), mine.endpoints_used.end(), a.endpoint) != mine.endpoints_used.end())
    return misuse(p, "endpoint " + text_of(a.endpoint) + " is opened a second time");
  mine.endpoints_used.push_back(a.endpoint);
  event::FabricOpened opened;
  opened.op = a.op;
  if (a.provider.empty() || a.provider.text().starts_with("no-")) {
    opened.status = Status::not_found;
    opened.text = Blob("there is no provider \"" + std::string(a.provider.text()) + "\"");
    mine.endpoints_refused.push_back(a.endpoint);
  } else if (fails(p, "opening an endpoint", opened.text)) {
    opened.status = Status::failed;
    mine.endpoints_refused.push_back(a.endpoint);
  } else {
    const std::uint32_t address = new_address(p.index);
    opened.mr_mode = kind_ == NicKind::breaking ? 0 : mode_virtual;
    opened.address_format = 1;
    opened.read_bytes_max = kind_ == NicKind::lax ? 4'096 : 1u << 20;
    opened.address = address_blob(address);
    Nic open;
    open.name = a.endpoint;
    open.address = address;
    open.serves = a.serves;
    mine.nics.push_back(std::move(open));
    release_tries(address);
  }
  world_.post(p.index, role, std::move(opened), local_call);
}

void FabricModel::perform(Process& p, Role role, const action::CloseFabric& a) {
  Nic* closing = nic(p.index, a.endpoint);
  const Host& mine = host(p.index);
  if (!closing &&
      std::find(mine.endpoints_refused.begin(), mine.endpoints_refused.end(), a.endpoint) == mine.endpoints_refused.end())
    return misuse(p, "endpoint " + text_of(a.endpoint) + " is closed and is not open");
  if (closing) close(p, *closing);
  world_.post(p.index, role, event::FabricDone{Time{}, a.op, Status::ok, {}}, local_call);
}

// What is still posted is answered before the close is; nothing lands afterwards.
void FabricModel::close(Process& p, Nic& closing) {
  for (const std::uint64_t number : host(p.index).reads) {
    Posted& read = reads_[number];
    if (read.a.endpoint != closing.name || read.stage == Stage::over) continue;
    read.stage = Stage::over;
    if (read.told) continue;
    p.inbox.push({read.role, 0,
                  event::ReadDone{Time{}, read.a.op, Status::cancelled, {}, Blob("simulated provider: the endpoint is closed")}});
  }
  free_addresses_.push_back(closing.address);
  auto& all = host(p.index).nics;
  all.erase(all.begin() + (&closing - all.data()));
  world_.wake(p.index);
}

void FabricModel::perform(Process& p, Role role, const action::RegisterRegion& a) {
  Nic* owner = nic(p.index, a.endpoint);
  if (!owner) return misuse(p, "a region is registered on endpoint " + text_of(a.endpoint) + ", which is not open");
  if (!owner->serves) return misuse(p, "a region is registered on endpoint " + text_of(a.endpoint) + ", which only reads");
  Host& mine = host(p.index);
  if (std::find(mine.regions_used.begin(), mine.regions_used.end(), a.region) != mine.regions_used.end())
    return misuse(p, "region " + text_of(a.region) + " is registered a second time");
  if (a.bytes == 0 || a.bytes > virtual_stride) return misuse(p, "a region of " + text_of(a.bytes) + " bytes");
  mine.regions_used.push_back(a.region);
  event::RegionRegistered done;
  done.op = a.op;
  if (fails(p, "registering a region", done.text)) {
    done.status = Status::no_space;
    mine.regions_refused.push_back(a.region);
  } else {
    Mapping made;
    made.name = a.region;
    made.key = ++owner->keys_given;
    made.base = kind_ == NicKind::breaking ? 0 : virtual_base + made.key * virtual_stride;
    made.bytes.resize(static_cast<std::size_t>(a.bytes));
    made.epochs.resize(static_cast<std::size_t>(a.bytes), static_cast<std::uint32_t>(epoch_owner_.size()));
    epoch_owner_.push_back(p.index);
    done.key = key_blob(made.key);
    done.base = made.base;
    owner->regions.push_back(std::move(made));
  }
  world_.post(p.index, role, std::move(done), local_call);
}

void FabricModel::store(const Process& p, Region name, std::uint64_t offset, Bytes content) {
  Mapping* region = mapping(p.index, name);
  if (!region) return misuse(p, "a store into region " + text_of(name) + ", which is not registered");
  if (offset > region->bytes.size() || content.size() > region->bytes.size() - offset)
    return misuse(p, "a store of " + std::to_string(content.size()) + " bytes at " + std::to_string(offset) + " into region " +
                         text_of(name) + " of " + std::to_string(region->bytes.size()));
  const auto epoch = static_cast<std::uint32_t>(epoch_owner_.size());
  epoch_owner_.push_back(p.index);
  std::copy(content.begin(), content.end(), region->bytes.begin() + static_cast<std::ptrdiff_t>(offset));
  std::fill_n(region->epochs.begin() + static_cast<std::ptrdiff_t>(offset), content.size(), epoch);
}

void FabricModel::perform(Process& p, Role, const action::StoreRegion& a) { store(p, a.region, a.offset, a.content.bytes()); }

void FabricModel::perform(Process& p, Role, const action::CopyToRegion& a) {
  const auto found = host(p.index).buffers.find(a.buffer);
  if (found == host(p.index).buffers.end()) return misuse(p, "buffer " + text_of(a.buffer) + " is read after it was given back");
  const std::vector<std::byte>& from = found->second;
  if (a.from > from.size() || a.bytes > from.size() - a.from) return misuse(p, "a copy past the end of " + text_of(a.buffer));
  store(p, a.region, a.offset, Bytes(from).subspan(static_cast<std::size_t>(a.from), static_cast<std::size_t>(a.bytes)));
}

void FabricModel::perform(Process& p, Role role, const action::UnregisterRegion& a) {
  const Host& mine = host(p.index);
  if (!mapping(p.index, a.region) &&
      std::find(mine.regions_refused.begin(), mine.regions_refused.end(), a.region) == mine.regions_refused.end())
    return misuse(p, "region " + text_of(a.region) + " is given back and is not registered");
  for (Nic& owner : host(p.index).nics) std::erase_if(owner.regions, [&](const Mapping& m) { return m.name == a.region; });
  world_.post(p.index, role, event::FabricDone{Time{}, a.op, Status::ok, {}}, local_call);
}

void FabricModel::perform(Process& p, Role role, const action::InsertPeer& a) {
  Nic* owner = nic(p.index, a.endpoint);
  if (!owner) return misuse(p, "a peer is inserted into endpoint " + text_of(a.endpoint) + ", which is not open");
  for (const PeerEntry& peer : owner->peers)
    if (peer.name == a.peer) return misuse(p, "peer " + text_of(a.peer) + " is inserted a second time");
  event::FabricDone done;
  done.op = a.op;
  PeerEntry entry;
  entry.name = a.peer;
  if (!read_address(a.address, entry.address)) {
    done.status = Status::invalid;
    done.text = Blob("simulated provider: " + text_of_blob(a.address) + " is no address");
  } else if (fails(p, "inserting an address", done.text)) {
    done.status = Status::failed;
  } else {
    owner->peers.push_back(entry);
  }
  world_.post(p.index, role, std::move(done), local_call);
}

// ---------------------------------------------------------------- a process's end, its memory

void FabricModel::process_ended(ProcessIndex process) {
  if (process >= hosts_.size()) return;
  for (const std::uint64_t number : hosts_[process].reads) reads_[number].stage = Stage::over;
  for (const Nic& gone : hosts_[process].nics) free_addresses_.push_back(gone.address);
  hosts_[process].nics.clear();
  hosts_[process].buffers.clear();
  release_stalled(process);
}

void FabricModel::resumed(ProcessIndex process) { release_stalled(process); }

void FabricModel::release_stalled(ProcessIndex target) {
  std::vector<Stalled> released;
  std::erase_if(stalled_, [&](const Stalled& s) {
    if (s.target == target) released.push_back(s);
    return s.target == target;
  });
  for (const Stalled& s : released) schedule_chunk(s.read, s.chunk, local_call);
}

// Somebody opened at this address: who tried for ever is answered.
void FabricModel::release_tries(std::uint32_t address) {
  std::vector<Stalled> released;
  std::erase_if(stalled_, [&](const Stalled& s) {
    const bool met = s.target == no_process && s.address == address;
    if (met) released.push_back(s);
    return met;
  });
  for (const Stalled& s : released) schedule_chunk(s.read, s.chunk, milliseconds(10));
}

Buffer FabricModel::lend(ProcessIndex process, std::uint64_t bytes) {
  Host& mine = host(process);
  const Buffer name{++mine.buffers_lent};
  mine.buffers[name].resize(static_cast<std::size_t>(bytes), std::byte{0xBB});
  return name;
}

Blob FabricModel::look(ProcessIndex process, Buffer buffer) const {
  const Host* mine = known(process);
  if (!mine) return {};
  const auto found = mine->buffers.find(buffer);
  return found == mine->buffers.end() ? Blob() : Blob(Bytes(found->second));
}

void FabricModel::fill(ProcessIndex process, Buffer buffer, const Blob& content) {
  std::vector<std::byte>& to = host(process).buffers[buffer];
  to.assign(content.bytes().begin(), content.bytes().end());
}

void FabricModel::take_back(ProcessIndex process, Buffer buffer) { host(process).buffers.erase(buffer); }

void FabricModel::perform(Process& p, Role, const action::FillBuffer& a) {
  write_buffer(p.index, a.buffer, a.at, a.content.bytes());
}

// What lands in memory that was given back, or outside of it, is somebody else's by then.
void FabricModel::write_buffer(ProcessIndex process, Buffer buffer, std::uint64_t at, Bytes bytes) {
  Host& mine = host(process);
  const auto found = mine.buffers.find(buffer);
  if (found == mine.buffers.end() || at > found->second.size() || bytes.size() > found->second.size() - at)
    return world_.fail(FindingKind::safety, "S1 nothing lands in a buffer after its call has ended",
                       world_.process(process).name + ": " + std::to_string(bytes.size()) + " bytes at " + std::to_string(at) +
                           " of buffer " + text_of(buffer) +
                           (found == mine.buffers.end() ? ", which was given back" : ", which is shorter"));
  std::copy(bytes.begin(), bytes.end(), found->second.begin() + static_cast<std::ptrdiff_t>(at));
}

// ---------------------------------------------------------------- for properties

const std::vector<EpochRun>* FabricModel::epochs(ProcessIndex process, Role role, Op op) const {
  const Host* mine = known(process);
  for (std::size_t i = mine ? mine->reads.size() : 0; i > 0; --i) {
    const Posted& read = reads_[mine->reads[i - 1]];
    if (read.role == role && read.a.op == op && !read.runs.empty()) return &read.runs;
  }
  return nullptr;
}

bool FabricModel::epoch_is_of(std::uint32_t epoch, ProcessIndex process) const {
  return epoch < epoch_owner_.size() && epoch_owner_[epoch] == process;
}

std::size_t FabricModel::open_endpoints(ProcessIndex process) const {
  const Host* mine = known(process);
  return mine ? mine->nics.size() : 0;
}

std::size_t FabricModel::open_regions(ProcessIndex process) const {
  std::size_t count = 0;
  if (const Host* mine = known(process))
    for (const Nic& open : mine->nics) count += open.regions.size();
  return count;
}

std::size_t FabricModel::reads_in_flight(ProcessIndex process) const {
  const Host* mine = known(process);
  if (!mine) return 0;
  return static_cast<std::size_t>(
      std::count_if(mine->pending.begin(), mine->pending.end(), [&](std::uint64_t number) { return in_flight(reads_[number]); }));
}

std::string FabricModel::first_left(ProcessIndex process) const {
  const Host* mine = known(process);
  if (!mine || mine->nics.empty()) return {};
  const Nic& open = mine->nics.front();
  return world_.process(process).name + " still has endpoint " + text_of(open.name) + " open, with " +
         std::to_string(open.regions.size()) + " regions";
}

}  // namespace tenter::sim
