// The window part's collective steps, and its reads until their events.
#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "core/check.hpp"
#include "core/event.hpp"
#include "core/wire.hpp"
#include "hw/mpi/window.hpp"
#include "hw/mpi/window_part.hpp"

namespace tenter::hw {
namespace {

constexpr Duration first_rest = microseconds(20), last_rest = milliseconds(1);
// Who was rung, or has a read that moved, so short a time ago calls MPI again without a sleep: a wake takes many times as long as
// a read, and a large one goes on piece by piece, each a call on either side.
constexpr Duration looking_on = microseconds(300);
constexpr std::size_t spare_max = 64;
constexpr std::uint64_t spare_bytes_max = std::uint64_t{4} << 20, no_memory = ~std::uint64_t{0};

// With a yield between tests: MPI's own wait would keep the CPU from the ranks that it waits for.
int wait_for_all(MPI_Comm world) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Ibarrier(world, &request);
  return code == MPI_SUCCESS ? mpi_wait_yielding(request) : code;
}

Result<std::vector<std::uint64_t>> sizes_of_all(MPI_Comm world, std::uint32_t ranks, std::uint64_t own) {
  std::vector<std::uint64_t> sizes(ranks);
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_Iallgather(&own, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, world, &request);
  if (code == MPI_SUCCESS) code = mpi_wait_yielding(request);
  if (code != MPI_SUCCESS) return error(Status::failed, "window: MPI_Iallgather: " + mpi_error_text(code), code);
  return sizes;
}

}  // namespace

// The exchange of sizes is also the wait for the other ranks, and tells of a rank without memory before MPI is asked for
// anything. MPI_Win_create, not MPI_Win_allocate: that of MPICH 4.0.2 lets ranks read zeroes where sizes are no multiples of a
// page.
Result<std::unique_ptr<WindowPart::Window>> WindowPart::make_window(Endpoint endpoint, std::uint64_t bytes) {
  auto window = std::make_unique<Window>();
  window->key = next_key_++;
  window->endpoint = endpoint;
  try {
    window->memory.resize(bytes);
  } catch (const std::exception&) {  // length_error, bad_alloc
    window->memory.clear();
  }
  auto sizes = sizes_of_all(world_, environment_.size(), window->memory.size() == bytes ? bytes : no_memory);
  if (!sizes) return tl::unexpected(sizes.error());
  window->bytes = std::move(*sizes);
  const auto lacking = std::find(window->bytes.begin(), window->bytes.end(), no_memory);
  if (lacking != window->bytes.end())
    return error(Status::no_space, "window: rank " + std::to_string(lacking - window->bytes.begin()) +
                                       " has no memory for its region (this rank's has " + std::to_string(bytes) + " bytes)");
  std::uint64_t steps = 0;
  int code = MPI_Win_create(window->memory.data(), static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, world_, &window->handle);
  const char* step = "MPI_Win_create";
  if (code == MPI_SUCCESS) {
    Resources::acquire(Resource::mapping);
    steps = 1;
    MPI_Win_set_errhandler(window->handle, MPI_ERRORS_RETURN);
    step = "MPI_Win_lock_all";
    code = MPI_Win_lock_all(MPI_MODE_NOCHECK, window->handle);  // nobody locks exclusively
  }
  if (code == MPI_SUCCESS) steps = 2;
  const auto agreed = sizes_of_all(world_, environment_.size(), steps);
  if (!agreed) return tl::unexpected(agreed.error());
  const auto least = std::min_element(agreed->begin(), agreed->end());
  if (*least == 2) return window;
  if (steps == 2) MPI_Win_unlock_all(window->handle);
  if (*least == 1) MPI_Win_free(&window->handle);  // collective: without a window on every rank it cannot be freed
  if (steps >= 1) Resources::release(Resource::mapping);
  if (*least == 0 && steps >= 1) abandoned_.push_back(std::move(window));  // its memory is still exposed
  if (code == MPI_SUCCESS)
    return error(Status::failed, "window: rank " + std::to_string(least - agreed->begin()) + " could not make its own");
  return error(Status::failed,
               std::string("window: ") + step + " of " + std::to_string(bytes) + " bytes: " + mpi_error_text(code), code);
}

// The unlock ends every read of this rank, so what was given up lands before the memory of anybody is free.
void WindowPart::free_window(Window& window) {
  (void)wait_for_all(world_);
  MPI_Win_unlock_all(window.handle);
  while (std::any_of(reads_.begin(), reads_.end(), [&](const auto& read) { return read->window == &window; })) (void)test_reads();
  by_key_.erase(window.key);
  MPI_Win_free(&window.handle);
  Resources::release(Resource::mapping);
}

void WindowPart::refuse(const action::ReadRemote& a, Status status, const std::string& text) {
  context_.push(context_.current, event::ReadDone{now(), a.op, status, {}, Blob("window: " + text)});
}

std::unique_ptr<WindowPart::Read> WindowPart::fresh_read(std::uint64_t bytes) {
  std::unique_ptr<Read> read;
  if (spare_.empty()) {
    read = std::make_unique<Read>();
  } else {
    read = std::move(spare_.back());
    spare_.pop_back();
  }
  if (read->landing.size() < bytes) read->landing.resize(bytes);
  return read;
}

void WindowPart::perform(const action::ReadRemote& a) {
  const auto open = endpoints_.find(a.endpoint);
  TENTER_CHECK(open != endpoints_.end());
  if (a.buffer != no_buffer) (void)lent(a.buffer, a.at, a.bytes);
  const auto peer = open->second.find(a.peer);
  if (peer == open->second.end()) return refuse(a, Status::invalid, "a peer that was not inserted");
  const auto found = a.key.size() == 8 ? by_key_.find(wire::load<std::uint64_t>(a.key.bytes().data())) : by_key_.end();
  if (found == by_key_.end()) return refuse(a, Status::denied, "no window has this key");
  const Window& window = *found->second;
  const std::uint64_t bytes = window.bytes[number(peer->second)];
  if (a.bytes > window_read_bytes_max) return refuse(a, Status::invalid, "more than 2^30 bytes at once");
  if (a.base != 0) return refuse(a, Status::denied, "a base of " + std::to_string(a.base) + "; that of a window is 0");
  if (a.offset > bytes || a.bytes > bytes - a.offset)
    return refuse(a, Status::denied, "past the end of a window of " + std::to_string(bytes) + " bytes");
  auto read = fresh_read(a.bytes);
  read->owner = context_.current;
  read->asked = a;
  read->window = &window;
  read->target = peer->second;
  read->given_up = false;
  const int count = static_cast<int>(a.bytes), target = static_cast<int>(number(peer->second));
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Rget(read->landing.data(), count, MPI_BYTE, target, static_cast<MPI_Aint>(a.offset), count, MPI_BYTE,
                            window.handle, &request);
  if (code != MPI_SUCCESS) return finish(std::move(read), code);
  const bool rung = std::any_of(reads_.rbegin(), reads_.rend() - static_cast<std::ptrdiff_t>(old_reads_),
                                [&](const auto& before) { return before->target == read->target; });
  reads_.push_back(std::move(read));
  requests_.push_back(request);
  rest_ = first_rest;
  moved_ = context_.round();
  if (!rung) doorbell_.ring(peer->second, Doorbell::Awaited::any());
}

void WindowPart::finish(std::unique_ptr<Read> read, int code) {
  if (!read->given_up) {
    event::ReadDone done{now(), read->asked.op, Status::ok, {}, {}};
    const Bytes bytes(read->landing.data(), read->asked.bytes);
    if (code != MPI_SUCCESS) {
      done.status = Status::failed;
      done.text = Blob("window: MPI_Rget: " + mpi_error_text(code));
    } else if (read->asked.buffer == no_buffer) {
      done.content = Blob(bytes);
    } else if (buffers_.contains(read->asked.buffer) && !bytes.empty()) {
      std::memcpy(lent(read->asked.buffer, read->asked.at, bytes.size()).data(), bytes.data(), bytes.size());
    }
    context_.push(read->owner, std::move(done));
  }
  if (spare_.size() < spare_max && read->landing.size() <= spare_bytes_max) spare_.push_back(std::move(read));
}

bool WindowPart::test_reads() {
  const std::size_t count = reads_.size();
  old_reads_ = count;
  done_.resize(count);
  states_.resize(count);
  int ended = 0;
  const int code = MPI_Testsome(static_cast<int>(count), requests_.data(), &ended, done_.data(), states_.data());
  if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) {  // no call of MPI's will end any of them
    for (auto& read : std::exchange(reads_, {})) finish(std::move(read), code);
    requests_.clear();
  } else {
    for (int i = 0; i < ended; ++i)
      finish(std::move(reads_[static_cast<std::size_t>(done_[static_cast<std::size_t>(i)])]),
             code == MPI_SUCCESS ? MPI_SUCCESS : states_[static_cast<std::size_t>(i)].MPI_ERROR);
    if (ended > 0) {
      std::erase(reads_, nullptr);
      std::erase(requests_, MPI_REQUEST_NULL);
    }
  }
  old_reads_ = reads_.size();
  return reads_.size() != count;
}

// Reads of other ranks go on only inside calls of MPI of this one, and its reads only inside calls of theirs.
void WindowPart::poll() {
  if (windows_.empty()) return;
  if (const std::uint32_t rung = doorbell_.word().load(std::memory_order_relaxed); rung != rung_) {
    rung_ = rung;
    moved_ = context_.round();
  }
  if (!reads_.empty()) {
    if (!test_reads()) return;
    rest_ = first_rest;
    moved_ = context_.round();
    return;
  }
  int found = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world_, &found, MPI_STATUS_IGNORE);
}

// Whoever is read from may have looked before the request was there, so it is rung again before every rest.
void WindowPart::add_waits(WaitSet& waits) {
  if (windows_.empty()) return;
  const bool looks_on = !context_.crowded && now() - moved_ < looking_on;
  if (looks_on) waits.again_in(Duration{0});
  if (reads_.empty()) return;
  for (const auto& read : reads_) doorbell_.ring(read->target, Doorbell::Awaited::any());
  if (looks_on) return;
  waits.again_in(rest_);
  rest_ = std::min(rest_ * 2, last_rest);
}

}  // namespace tenter::hw
