// Reads, their completions, and who drives both sides' progress (a manual provider serves nothing without it).
#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/wire.hpp"
#include "hw/ofi/endpoint.hpp"
#include "hw/ofi/errors.hpp"
#include "hw/part.hpp"

namespace tenter::hw::ofi {
namespace {

// Back-off between the thread's looks when no read of ours is open: doubles from the first to the last. With a wait object it is
// only a net below it; without one it is how late a read of a sleeping publisher may be noticed. 200 looks a second of some
// microseconds are below 0.5 % of a CPU.
constexpr Duration first_rest = microseconds(20), last_rest = milliseconds(5), last_rest_with_descriptor = milliseconds(50);
// With reads open the rest is this part of the time since anything moved, so a look never adds much to a wait, and a peer that is
// silent costs little.
constexpr std::int64_t rest_part = 16;
constexpr Duration last_rest_of_reads = milliseconds(10);
// A read this young is looked after without a sleep: most are answered by then, and a sleep and a wake cost as much as they take.
// Where there is no wait object the sleep would be a guess of its length, too, so it is looked after for longer.
constexpr Duration young = microseconds(100), young_without_descriptor = milliseconds(1);
// Between two looks of the thread whether the loop still makes progress itself.
constexpr Duration rest_beside_the_loop = milliseconds(2);
// The thread of an endpoint that only reads sleeps until the next read once it has rested so long for nothing.
constexpr Duration enough_rest = milliseconds(4);
// Where there is no wait object: a look longer than this, and than so many times the quickest one, did work for others; then the
// rest becomes shorter.
constexpr Duration short_look = microseconds(2);
constexpr std::int64_t long_look_part = 10, work_part = 8;
// The peer asks again so soon that a sleep and a wake cost more than looking: the thread looks on for a while.
constexpr Duration soon = microseconds(400), looking_on = microseconds(600);
constexpr std::uint32_t enough_soon = 4, most_soon = 16, looks_a_yield = 16;

}  // namespace

// The number that fi_read takes: the key itself, or with FI_MR_RAW the domain's name for it, asked for once.
int FabricEndpoint::find_key(Read& read, std::string& step) {
  const Blob& key = read.asked.key;
  const auto refused = [&] {
    step = "a key of " + std::to_string(key.size()) + " bytes";
    return FI_ENOKEY;
  };
  if ((info_->domain_attr->mr_mode & FI_MR_RAW) == 0) {
    if (key.size() != 8) return refused();
    read.key = wire::load<std::uint64_t>(key.bytes().data());
    return 0;
  }
  std::pair<std::uint64_t, std::string> name{read.asked.base, key.text()};
  auto found = mapped_.find(name);
  if (found == mapped_.end()) {
    if (key.empty() || key.size() > key_bytes_max) return refused();
    std::array<std::uint8_t, key_bytes_max> raw{};
    std::memcpy(raw.data(), key.bytes().data(), key.size());
    std::uint64_t number = 0;
    step = "fi_mr_map_raw";
    if (const int error = fi_mr_map_raw(domain_.get(), read.asked.base, raw.data(), key.size(), &number, 0)) return error;
    found = mapped_.emplace(std::move(name), MappedKey(domain_.get(), number)).first;
  }
  read.key = found->second.get();
  return 0;
}

// Where it lands, when it does not go straight into the caller's memory.
int FabricEndpoint::find_landing(Read& read, std::string& step) {
  if (read.into != nullptr) return 0;
  read.landing = landings_.take(read.asked.bytes);
  if (read.landing.pages.data() == nullptr) read.landing.pages = Pages(LandingPool::size_for(read.asked.bytes));
  step = "memory of a read of " + std::to_string(read.asked.bytes) + " bytes";
  if (read.landing.pages.data() == nullptr) return FI_ENOMEM;
  if ((info_->domain_attr->mr_mode & FI_MR_LOCAL) == 0 || read.landing.local) return 0;
  return register_memory(read.landing.pages, FI_READ, read.landing.local, step);
}

// Everything that can be refused before the provider is asked. 0, or a fi_errno and its text.
int FabricEndpoint::prepare(Read& read, std::string& text) {
  int error = broken_;
  std::string step;
  if (error != 0) {
    step = "the endpoint broke before";
  } else if (const auto peer = peers_.find(read.asked.peer); peer == peers_.end()) {
    step = "a peer that was not inserted";
    error = FI_EADDRNOTAVAIL;
  } else {
    read.peer = peer->second;
    error = find_key(read, step);
    if (error == 0) error = find_landing(read, step);
  }
  if (error != 0) text = text_of_error(provider_, step, error);
  return error;
}

void FabricEndpoint::read(std::uint64_t role, const action::ReadRemote& asked, MutableBytes into) {
  auto made = std::make_unique<Read>();
  made->role = role;
  made->asked = asked;
  const std::lock_guard lock(mutex_);
  if (lands_directly() && !into.empty()) made->into = into.data();
  open_.fetch_add(1, std::memory_order_relaxed);
  moved_ = now();
  if (std::exchange(asleep_, false)) kick();
  std::string text;
  const int error = prepare(*made, text);
  if (error != 0)
    answer(std::move(made), error, text);
  else if (!waiting_.empty() || post(made))
    waiting_.push_back(std::move(made));
}

// False: it is the provider's now, or answered. True: the provider does not take it now.
bool FabricEndpoint::post(std::unique_ptr<Read>& next) {
  if (flying_.size() >= flying_max_) return true;
  void* local = next->landing.local ? fi_mr_desc(next->landing.local.get()) : nullptr;
  void* to = next->into != nullptr ? next->into : next->landing.pages.data();
  const auto error = static_cast<int>(fi_read(endpoint_.get(), to, next->asked.bytes, local, next->peer,
                                              next->asked.base + next->asked.offset, next->key, &next->context));
  if (error == -FI_EAGAIN) return true;
  if (error == 0)
    flying_.emplace(&next->context, std::move(next));
  else
    answer(std::move(next), error, text_of_error(provider_, "fi_read", error));
  return false;
}

// In order by peer: one that takes nothing now, as a stopped one does for ever, holds up nobody else.
void FabricEndpoint::post_waiting() {
  std::vector<fi_addr_t> busy;
  for (std::size_t left = waiting_.size(); left > 0 && flying_.size() < flying_max_; --left) {
    std::unique_ptr<Read> next = std::move(waiting_.front());
    waiting_.pop_front();
    if (std::find(busy.begin(), busy.end(), next->peer) == busy.end()) {
      const fi_addr_t peer = next->peer;
      if (!post(next)) continue;
      busy.push_back(peer);
    }
    waiting_.push_back(std::move(next));  // all that stay go round once: their order is kept
  }
}

void FabricEndpoint::answer(std::unique_ptr<Read> read, int error, const std::string& text) {
  Answer made{read->role, read->asked, nullptr, error == 0 ? Status::ok : status_of(error), text};
  untold_ = true;
  if (error == 0) {
    made.landed = std::move(read);
  } else {
    failed_.push_back(std::move(read));
  }
  answers_.push_back(std::move(made));
}

// A context that names no read in flight is of none that anybody waits for: never another read's success.
void FabricEndpoint::finish(void* context, int error, const std::string& text) {
  const auto found = flying_.find(context);
  if (found == flying_.end()) return;
  std::unique_ptr<Read> read = std::move(found->second);
  flying_.erase(found);
  answer(std::move(read), error, text);
}

void FabricEndpoint::fail_all(int error) {
  broken_ = std::abs(error);
  const std::string text = text_of_error(provider_, "fi_cq_read", error);
  while (!flying_.empty()) finish(const_cast<void*>(flying_.begin()->first), broken_, text);
  for (auto& read : waiting_) answer(std::move(read), broken_, text);
  waiting_.clear();
}

bool FabricEndpoint::take_error() {
  fi_cq_err_entry entry{};
  std::array<char, 256> words{};
  entry.err_data_size = 0;
  const ssize_t count = fi_cq_readerr(completions_.get(), &entry, 0);
  if (count == -FI_EAGAIN) return false;
  if (count < 0) {
    fail_all(static_cast<int>(count));
    return true;
  }
  const char* said = fi_cq_strerror(completions_.get(), entry.prov_errno, entry.err_data, words.data(), words.size());
  std::string text = text_of_error(provider_, "read", entry.err);
  if (said != nullptr && *said != 0) text += "; provider: " + std::string(said) + " (" + std::to_string(entry.prov_errno) + ")";
  finish(entry.op_context, entry.err == 0 ? FI_EOTHER : entry.err, text);
  return true;
}

// True when something happened. Under the mutex.
bool FabricEndpoint::progress() {
  if (broken_ != 0) return false;
  std::array<fi_cq_entry, 32> entries{};
  bool moved = false;
  for (;;) {
    const ssize_t count = fi_cq_read(completions_.get(), entries.data(), entries.size());
    if (count == -FI_EAGAIN || count == 0) break;
    if (count == -FI_EAVAIL) {
      if (!take_error()) break;  // it was announced and is not there: at the next look
    } else if (count == -FI_EINTR) {
      continue;
    } else if (count < 0) {
      fail_all(static_cast<int>(count));
    } else {
      for (ssize_t i = 0; i < count; ++i) finish(entries[static_cast<std::size_t>(i)].op_context, 0, {});
    }
    moved = true;
    if (broken_ != 0) return true;
    // Fewer than there was room for: these were all, and to look once more costs another system call.
    if (count > 0 && static_cast<std::size_t>(count) < entries.size()) break;
  }
  const std::size_t waited = waiting_.size();
  post_waiting();
  return moved || waiting_.size() != waited;
}

Duration FabricEndpoint::rest_of_reads() const {
  return std::clamp(Duration{number(now() - moved_) / rest_part}, first_rest, last_rest_of_reads);
}

std::vector<Answer> FabricEndpoint::drive() {
  loop_waits_.store(false, std::memory_order_relaxed);
  if (open_.load(std::memory_order_relaxed) == 0) return {};
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return {};  // the thread is at it, and wakes the loop for what it finds
  ++drives_;
  if (open_reads() && progress()) moved_ = now();
  untold_ = false;
  open_.fetch_sub(answers_.size(), std::memory_order_relaxed);
  return std::exchange(answers_, {});
}

void FabricEndpoint::add_waits(WaitSet& waits) {
  if (open_.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(mutex_);
  if (!answers_.empty()) return waits.again_in(Duration{0});
  loop_waits_.store(true, std::memory_order_relaxed);
  const bool looks_on = now() - moved_ < (wait_descriptor_ < 0 ? young_without_descriptor : young) && several_cpus_;
  waits.again_in(looks_on ? Duration{0} : rest_of_reads());
  if (looks_on || wait_descriptor_ < 0) return;
  fid* queue = &completions_.get()->fid;
  if (fi_trywait(fabric_.get(), &queue, 1) == 0)
    waits.descriptors.push_back({wait_descriptor_, POLLIN, 0});
  else
    waits.again_in(Duration{0});
}

// Whether the thread has the progress: the loop neither made some since the thread last asked nor sleeps on what it waits for.
bool FabricEndpoint::loop_rests(std::uint64_t& seen) const {
  const std::uint64_t drives = drives_.load(std::memory_order_relaxed);
  return std::exchange(seen, drives) == drives && !loop_waits_.load(std::memory_order_relaxed);
}

// Reads of others end in no completion here, and what they left to be done shows only in how long a look takes. Left undone, they
// wait: `shm` has room for some hundred of them.
bool FabricEndpoint::serves_others(Duration look) {
  quickest_look_ = std::min(quickest_look_, look);
  return look > std::max(short_look, quickest_look_ * long_look_part);
}

// The thread's turn: one look, and how long it may rest after it. rest: of the last time; doubles while nothing is to be done.
FabricEndpoint::Pause FabricEndpoint::take_turn(Duration rest) {
  Pause pause;
  bool tells = false;
  {
    const std::lock_guard lock(mutex_);
    const Time before = now();
    if (progress()) moved_ = now();
    if (wait_descriptor_ < 0 && serves_others(now() - before)) rest = Duration{number(rest) / work_part};
    tells = std::exchange(untold_, false);
    fid* queue = &completions_.get()->fid;
    const bool sleeps = wait_descriptor_ < 0 || fi_trywait(fabric_.get(), &queue, 1) == 0;
    pause.listens = sleeps && wait_descriptor_ >= 0;
    if (!sleeps)
      pause.rest = first_rest;
    else if (open_reads())
      pause.rest = rest_of_reads();
    else
      pause.rest = std::clamp(rest, first_rest, wait_descriptor_ >= 0 ? last_rest_with_descriptor : last_rest);
    asleep_ = !serves_ && !open_reads() && pause.rest >= enough_rest;
    pause.until_kicked = asleep_;
  }
  if (tells) wake_();
  return pause;
}

// True: the queue's descriptor ended it.
bool FabricEndpoint::wait(const Pause& pause) {
  std::array<pollfd, 2> on{pollfd{kick_.get(), POLLIN, 0}, pollfd{wait_descriptor_, POLLIN, 0}};
  const timespec time{0, number(pause.rest)};
  const int ready = ppoll(on.data(), pause.listens ? 2 : 1, pause.until_kicked ? nullptr : &time, nullptr);
  if (ready > 0 && (on[0].revents & POLLIN) != 0) {
    std::uint64_t kicks = 0;
    (void)!::read(kick_.get(), &kicks, sizeof kicks);
  }
  return ready > 0 && pause.listens;
}

// A peer that reads again and again is served without a sleep between. The mutex and the clock are for several looks at once:
// they cost as much as a look that finds nothing.
void FabricEndpoint::serve_dense() {
  const Time end = now() + looking_on;
  do {
    {
      const std::lock_guard lock(mutex_);
      for (std::uint32_t i = 0; i < looks_a_yield; ++i) {
        if (stopping_.load(std::memory_order_relaxed) || open_reads()) return;
        (void)progress();
      }
    }
    sched_yield();  // a system call, as a look is; and who waits for the mutex gets it
  } while (now() < end);
}

void FabricEndpoint::run() {
  Duration rest = first_rest;
  std::uint64_t seen = 0;
  std::uint32_t dense = 0;
  while (!stopping_.load(std::memory_order_acquire)) {
    const Pause pause = loop_rests(seen) ? take_turn(rest) : Pause{rest_beside_the_loop};
    const Time before = now();
    if (wait(pause)) {
      dense = now() - before < soon ? std::min(dense + 1, most_soon) : dense / 2;
      if (dense >= enough_soon && several_cpus_) serve_dense();
      rest = first_rest;
    } else {
      rest = pause.rest * 2;
    }
  }
}

void FabricEndpoint::kick() const {
  const std::uint64_t one = 1;
  (void)!::write(kick_.get(), &one, sizeof one);
}

void FabricEndpoint::give_back(std::unique_ptr<Read> read) {
  if (read == nullptr || read->into != nullptr) return;
  const std::lock_guard lock(mutex_);
  landings_.give(std::move(read->landing));
  read.reset();  // what the pool does not keep is closed here, under the mutex
}

// The machine closes an endpoint before it answers a call whose reads are open, so this finds something only when a caller gave
// its call up.
void FabricEndpoint::forget(Buffer buffer) {
  const std::lock_guard lock(mutex_);
  const auto lands = [&](const Read& read) { return read.into != nullptr && read.asked.buffer == buffer; };
  const bool open = std::any_of(flying_.begin(), flying_.end(), [&](const auto& read) { return lands(*read.second); }) ||
                    std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& read) { return lands(*read); }) ||
                    std::any_of(failed_.begin(), failed_.end(), [&](const auto& read) { return lands(*read); });
  if (!open || !endpoint_) return;
  endpoint_.close();
  fail_all(FI_ECANCELED);
}

std::vector<Answer> FabricEndpoint::abandon() {
  if (thread_.joinable()) {
    stopping_.store(true, std::memory_order_release);
    kick();
    thread_.join();
    Resources::release(Resource::thread);
  }
  const std::string text = provider_ + ": the endpoint was closed";
  std::vector<Answer> given = std::exchange(answers_, {});
  for (const auto& [context, read] : flying_) given.push_back({read->role, read->asked, nullptr, Status::cancelled, text});
  for (const auto& read : waiting_) given.push_back({read->role, read->asked, nullptr, Status::cancelled, text});
  waiting_.clear();
  return given;  // what flies keeps its memory until the endpoint is closed
}

FabricEndpoint::~FabricEndpoint() {
  (void)abandon();
  const bool bound = info_ && (info_->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0;
  if (!bound) endpoint_.close();  // first of all: then nothing lands
  for (auto& [context, read] : flying_) read->landing.local.close();
  for (auto& read : failed_) read->landing.local.close();
  landings_.clear();
  for (auto& [name, served] : regions_) served.registration.close();
  endpoint_.close();
  mapped_.clear();
}

}  // namespace tenter::hw::ofi
