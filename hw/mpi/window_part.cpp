#include "hw/mpi/window_part.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "core/check.hpp"
#include "core/event.hpp"
#include "core/wire.hpp"
#include "hw/mpi/window.hpp"

namespace tenter::hw {
namespace {

// Aligned 8-byte words are stored whole; another rank reads beside this.
void store_words(std::byte* to, Bytes from) {
  std::size_t i = 0;
  const auto store_byte = [&] {
    std::atomic_ref(*reinterpret_cast<unsigned char*>(to + i))
        .store(std::to_integer<unsigned char>(from[i]), std::memory_order_release);
  };
  for (; i < from.size() && reinterpret_cast<std::uintptr_t>(to + i) % 8 != 0; ++i) store_byte();
  for (; i + 8 <= from.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, from.data() + i, 8);
    std::atomic_ref(*reinterpret_cast<std::uint64_t*>(to + i)).store(word, std::memory_order_release);
  }
  for (; i < from.size(); ++i) store_byte();
}

}  // namespace

WindowPart::WindowPart(Context& context, const MpiEnvironment& environment, Doorbell& doorbell)
    : context_(context), environment_(environment), doorbell_(doorbell) {
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_Comm_idup(MPI_COMM_WORLD, &world_, &request);
  if (code == MPI_SUCCESS) code = mpi_wait_yielding(request);
  if (code == MPI_SUCCESS) {
    Resources::acquire(Resource::communicator);
    MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN);
  } else {
    world_ = MPI_COMM_NULL;
    broken_ = "window: duplicating the world: " + mpi_error_text(code);
  }
}

WindowPart::~WindowPart() {
  if (!windows_.empty() || !reads_.empty()) MpiEnvironment::abandon();
  for (auto& read : reads_) read.release();  // MPI may still write into its memory: it stays until the process leaves
  for (auto& [region, window] : windows_) window.release();
  if (world_ == MPI_COMM_NULL) return;
  Resources::release(Resource::communicator);
  if (!MpiEnvironment::abandoned()) MPI_Comm_free(&world_);
}

Buffer WindowPart::lend(MutableBytes memory) {
  const Buffer name{next_buffer_++};
  buffers_.emplace(name, memory);
  return name;
}
void WindowPart::take_back(Buffer buffer) { buffers_.erase(buffer); }

MutableBytes WindowPart::lent(Buffer buffer, std::uint64_t at, std::uint64_t bytes) {
  const auto found = buffers_.find(buffer);
  TENTER_CHECK(found != buffers_.end());
  TENTER_CHECK(at <= found->second.size() && bytes <= found->second.size() - at);
  return found->second.subspan(at, bytes);
}

void WindowPart::perform(const action::OpenFabric& a) {
  TENTER_CHECK(!endpoints_.contains(a.endpoint));
  event::FabricOpened e;
  e.now = now();
  e.op = a.op;
  if (!broken_.empty()) {
    e.status = Status::unavailable;
    e.text = Blob(broken_);
  } else {
    endpoints_[a.endpoint];
    e.address_format = window_address_format;
    e.read_bytes_max = window_read_bytes_max;
    e.address = wire::Writer().u32(number(environment_.rank())).blob();
  }
  context_.push(context_.current, std::move(e));
}

void WindowPart::perform(const action::CloseFabric& a) {
  for (auto& read : reads_) {
    if (read->given_up || read->asked.endpoint != a.endpoint) continue;
    read->given_up = true;
    context_.push(read->owner, event::ReadDone{now(), read->asked.op, Status::cancelled, {}, Blob("window: it was closed")});
  }
  for (auto it = windows_.begin(); it != windows_.end();) {
    if (it->second->endpoint != a.endpoint) {
      ++it;
      continue;
    }
    free_window(*it->second);
    it = windows_.erase(it);
  }
  endpoints_.erase(a.endpoint);
  context_.push(context_.current, event::FabricDone{now(), a.op, Status::ok, {}});
}

void WindowPart::perform(const action::RegisterRegion& a) {
  TENTER_CHECK(endpoints_.contains(a.endpoint) && !windows_.contains(a.region));
  event::RegionRegistered e;
  e.op = a.op;
  auto made = make_window(a.endpoint, a.bytes);
  e.now = now();
  if (made) {
    e.key = wire::Writer().u64((*made)->key).blob();
    by_key_[(*made)->key] = made->get();
    windows_[a.region] = std::move(*made);
  } else {
    e.status = made.error().status;
    e.text = Blob(made.error().what);
  }
  context_.push(context_.current, std::move(e));
}

void WindowPart::store(Region region, std::uint64_t offset, Bytes content) {
  const auto found = windows_.find(region);
  TENTER_CHECK(found != windows_.end());
  Window& window = *found->second;
  const std::uint64_t bytes = window.bytes[number(environment_.rank())];
  TENTER_CHECK(offset <= bytes && content.size() <= bytes - offset);
  store_words(window.memory.data() + offset, content);
  MPI_Win_sync(window.handle);
}

void WindowPart::perform(const action::StoreRegion& a) { store(a.region, a.offset, a.content.bytes()); }
void WindowPart::perform(const action::CopyToRegion& a) { store(a.region, a.offset, lent(a.buffer, a.from, a.bytes)); }

void WindowPart::perform(const action::UnregisterRegion& a) {
  if (const auto found = windows_.find(a.region); found != windows_.end()) {
    free_window(*found->second);
    windows_.erase(found);
  }
  context_.push(context_.current, event::FabricDone{now(), a.op, Status::ok, {}});
}

void WindowPart::perform(const action::InsertPeer& a) {
  const auto open = endpoints_.find(a.endpoint);
  TENTER_CHECK(open != endpoints_.end());
  event::FabricDone e{now(), a.op, Status::ok, {}};
  const std::uint32_t rank = a.address.size() == 4 ? wire::load<std::uint32_t>(a.address.bytes().data()) : environment_.size();
  if (rank < environment_.size()) {
    open->second[a.peer] = Rank{rank};
  } else {
    e.status = Status::invalid;
    e.text = Blob("window: an address of " + std::to_string(a.address.size()) + " bytes that names no rank below " +
                  std::to_string(environment_.size()));
  }
  context_.push(context_.current, std::move(e));
}

void WindowPart::perform(const action::FillBuffer& a) {
  const MutableBytes to = lent(a.buffer, a.at, a.content.size());
  if (!to.empty()) std::memcpy(to.data(), a.content.bytes().data(), to.size());
}

}  // namespace tenter::hw
