// One-sided reads of the simulated NIC: cut, sampled, landed, answered.
#include <algorithm>

#include "core/wire.hpp"
#include "sim/model/fabric.hpp"
#include "sim/world.hpp"

namespace tenter::sim {
namespace {

constexpr Duration hop = microseconds(2);
constexpr std::uint64_t chunk_sizes[] = {0, 8, 64, 256, 1'024, 4'096};  // 0: all at one instant
constexpr std::byte nobodys{0xEE};                                      // what a lax provider answers from outside of a region

std::uint64_t key_of(const Blob& key) { return key.size() == 8 ? wire::load<std::uint64_t>(key.bytes().data()) : 0; }

}  // namespace

void FabricModel::perform(Process& p, Role role, const action::ReadRemote& a) {
  const Nic* from = nic(p.index, a.endpoint);
  if (!from) return misuse(p, "a read on endpoint " + text_of(a.endpoint) + ", which is not open");
  const auto peer = std::find_if(from->peers.begin(), from->peers.end(), [&](const PeerEntry& e) { return e.name == a.peer; });
  if (peer == from->peers.end()) return misuse(p, "a read of peer " + text_of(a.peer) + ", which is not inserted");
  if (a.bytes == 0 || a.bytes > (kind_ == NicKind::lax ? 4'096u : 1u << 20))
    return misuse(p, "a read of " + text_of(a.bytes) + " bytes");
  Posted read;
  read.process = p.index;
  read.role = role;
  read.a = a;
  read.address = peer->address;
  read.bytes.resize(static_cast<std::size_t>(a.bytes), nobodys);
  read.epochs.resize(static_cast<std::size_t>(a.bytes), 0);
  const std::uint64_t number = reads_.size();
  reads_.push_back(std::move(read));
  Host& mine = host(p.index);
  std::erase_if(mine.pending, [&](std::uint64_t other) { return !in_flight(reads_[other]); });
  mine.pending.push_back(number);
  mine.reads.push_back(number);
  if (from->broken) return answer(number, Status::failed, "the endpoint was broken by an earlier failure");
  cut(reads_.back());
  Duration stall{0};
  if (world_.allowed(Tag::read_stall)) {
    const std::uint32_t much = world_.choices().choose(Tag::read_stall, p.index, 17);
    if (much != 0) world_.spend(Tag::read_stall);
    if (much != 0) stall = milliseconds(std::int64_t{1} << (much - 1));  // up to 65 s
  }
  const std::size_t chunks = reads_.back().chunks.size();
  for (std::uint64_t chunk = 0; chunk < chunks; ++chunk)
    schedule_chunk(number, chunk, hop + stall + world_.chosen_delay(Tag::nic_time, p.index));
  fail_on_purpose(number);
}

// Cut where the region's 8-byte words begin, so that no chunk tears one.
void FabricModel::cut(Posted& read) {
  std::uint64_t size = chunk_sizes[world_.choices().choose(Tag::nic_chunks, read.process, std::size(chunk_sizes))];
  if (size == 0) size = read.a.bytes + 8;
  while (read.a.bytes / size >= chunks_max) size *= 2;
  for (std::uint64_t at = 0; at < read.a.bytes;) {
    const std::uint64_t end = std::min((read.a.offset + at) / 8 * 8 + size - read.a.offset, read.a.bytes);
    read.chunks.push_back({at, end - at});
    at = end;
  }
  read.left = static_cast<std::uint32_t>(read.chunks.size());
}

void FabricModel::schedule_chunk(std::uint64_t read, std::uint64_t chunk, Duration after) {
  Item item;
  item.kind = Item::Kind::nic;
  item.process = reads_[read].process;
  item.a = read;
  item.b = chunk;
  world_.schedule(after, std::move(item));
}

// 1: refused, no byte lands; 2: the same, and the endpoint is broken; 3: refused, and its bytes land whenever they come.
void FabricModel::fail_on_purpose(std::uint64_t number) {
  Posted& read = reads_[number];
  if (!world_.allowed(Tag::read_failure)) return;
  const std::uint32_t how = world_.choices().choose(Tag::read_failure, read.process, 4);
  if (how == 0) return;
  world_.spend(Tag::read_failure);
  if (how != 3) read.chunks.clear();
  if (how == 2) break_endpoint(read);
  answer(number, Status::failed, "completion error on purpose");
}

void FabricModel::step(std::uint64_t number, std::uint64_t chunk) {
  Posted& read = reads_[number];
  if (read.stage == Stage::over || chunk >= read.chunks.size()) return;
  const auto [process, target] = listener(read.address);
  if (!target) return dead_peer(number, chunk);
  if (world_.process(process).life == Life::stopped && kind_ != NicKind::lax) {
    stalled_.push_back({process, read.address, number, chunk});
    return;
  }
  if (!sample(read, *target, read.chunks[chunk])) {
    if (kind_ == NicKind::breaking) break_endpoint(read);
    read.chunks.clear();
    return answer(number, Status::denied, "the key or the range is refused");
  }
  land(read, read.chunks[chunk]);
  if (--read.left == 0 && read.stage == Stage::going) complete(number);
}

std::pair<ProcessIndex, const FabricModel::Nic*> FabricModel::listener(std::uint32_t address) const {
  for (ProcessIndex process = 0; process < hosts_.size(); ++process)
    for (const Nic& open : hosts_[process].nics)
      if (open.address == address) return {process, &open};
  return {no_process, nullptr};
}

// Who was reached before and is gone is noticed. Who was never reached may be tried for ever.
void FabricModel::dead_peer(std::uint64_t number, std::uint64_t chunk) {
  Posted& read = reads_[number];
  if (read.stage != Stage::going) return;
  bool reached = false;
  if (const Nic* from = nic(read.process, read.a.endpoint))
    for (const PeerEntry& peer : from->peers) reached = reached || (peer.name == read.a.peer && peer.reached);
  if (!reached && kind_ != NicKind::strict) return stalled_.push_back({no_process, read.address, number, chunk});
  if (kind_ == NicKind::breaking) break_endpoint(read);
  read.chunks.clear();
  answer(number, Status::peer_lost, "nobody is at the other side");
}

void FabricModel::break_endpoint(const Posted& read) {
  if (Nic* from = nic(read.process, read.a.endpoint)) from->broken = true;
}

// false: refused.
bool FabricModel::sample(Posted& read, const Nic& target, const Chunk& chunk) {
  const Mapping* found = nullptr;
  for (const Mapping& region : target.regions)
    if (region.key == key_of(read.a.key) && region.base == read.a.base) found = &region;
  const bool inside = found && read.a.offset <= found->bytes.size() && read.a.bytes <= found->bytes.size() - read.a.offset;
  if (!inside && kind_ != NicKind::lax) return false;
  if (!inside) return true;  // other bytes
  const auto from = static_cast<std::ptrdiff_t>(read.a.offset + chunk.from), to = static_cast<std::ptrdiff_t>(chunk.from);
  std::copy_n(found->bytes.begin() + from, chunk.bytes, read.bytes.begin() + to);
  std::copy_n(found->epochs.begin() + from, chunk.bytes, read.epochs.begin() + to);
  return true;
}

void FabricModel::land(Posted& read, const Chunk& chunk) {
  if (read.a.buffer == no_buffer) return;
  write_buffer(read.process, read.a.buffer, read.a.at + chunk.from,
               Bytes(read.bytes).subspan(static_cast<std::size_t>(chunk.from), static_cast<std::size_t>(chunk.bytes)));
}

void FabricModel::complete(std::uint64_t number) {
  Posted& read = reads_[number];
  if (Nic* from = nic(read.process, read.a.endpoint))
    for (PeerEntry& peer : from->peers) peer.reached = peer.reached || peer.name == read.a.peer;
  for (const std::uint32_t epoch : read.epochs) {
    if (read.runs.empty() || read.runs.back().epoch != epoch) read.runs.push_back({epoch, 0});
    ++read.runs.back().bytes;
  }
  read.stage = Stage::answering;
  event::ReadDone done;
  done.op = read.a.op;
  if (read.a.buffer == no_buffer) done.content = Blob(Bytes(read.bytes));
  read.bytes = {};
  read.epochs = {};
  world_.post(read.process, read.role, std::move(done), hop, number + 1);
}

void FabricModel::answer(std::uint64_t number, Status status, const std::string& text) {
  Posted& read = reads_[number];
  read.stage = Stage::answering;
  world_.post(read.process, read.role, event::ReadDone{Time{}, read.a.op, status, {}, Blob("simulated provider: " + text)}, hop,
              number + 1);
}

// Delivered: no other answer of this read comes. One that failed may still land until the close.
bool FabricModel::take(std::uint64_t ticket) {
  Posted& read = reads_[static_cast<std::size_t>(ticket - 1)];
  if (read.stage != Stage::answering || read.told) return false;
  read.told = true;
  if (read.left == 0 || read.chunks.empty()) read.stage = Stage::over;
  return true;
}

}  // namespace tenter::sim
