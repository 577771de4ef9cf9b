// Reads, their completions, and the thread that drives both sides' progress (a manual provider serves nothing without it).
#include <poll.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/wire.hpp"
#include "hw/ofi/endpoint.hpp"
#include "hw/ofi/errors.hpp"
#include "hw/part.hpp"

namespace tenter::hw::ofi {
namespace {

// Back-off between looks: doubles from the first to the last. With a wait object it is only a net below it; without one it is how
// late a read of a sleeping publisher may be noticed. 200 looks a second of some microseconds are below 0.5 % of a CPU.
constexpr Duration first_rest = microseconds(20), last_rest = milliseconds(5), last_rest_with_descriptor = milliseconds(50);

}  // namespace

// The number that fi_read takes: the key itself, or with FI_MR_RAW the domain's name for it, asked for once.
int FabricEndpoint::find_key(Read& read, std::string& step) {
  const Blob& key = read.asked.key;
  step = "a key of " + std::to_string(key.size()) + " bytes";
  if ((info_->domain_attr->mr_mode & FI_MR_RAW) == 0) {
    if (key.size() != 8) return FI_ENOKEY;
    read.key = wire::load<std::uint64_t>(key.bytes().data());
    return 0;
  }
  std::pair<std::uint64_t, std::string> name{read.asked.base, key.text()};
  auto found = mapped_.find(name);
  if (found == mapped_.end()) {
    if (key.empty() || key.size() > key_bytes_max) return FI_ENOKEY;
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

// Everything that can be refused before the provider is asked. 0, or a fi_errno and its text.
int FabricEndpoint::prepare(Read& read, std::string& text) {
  int error = broken_;
  std::string step = "the endpoint broke before";
  if (error == 0 && read.landing.data() == nullptr) {
    step = "memory of a read of " + std::to_string(read.asked.bytes) + " bytes";
    error = FI_ENOMEM;
  }
  if (error == 0) {
    const auto peer = peers_.find(read.asked.peer);
    step = "a peer that was not inserted";
    if (peer == peers_.end())
      error = FI_EADDRNOTAVAIL;
    else
      read.peer = peer->second;
  }
  if (error == 0) error = find_key(read, step);
  if (error == 0 && (info_->domain_attr->mr_mode & FI_MR_LOCAL) != 0)
    error = register_memory(read.landing, FI_READ, read.local, step);
  if (error != 0) text = text_of_error(provider_, step, error);
  return error;
}

void FabricEndpoint::read(std::uint64_t role, const action::ReadRemote& asked) {
  auto made = std::make_unique<Read>();
  made->role = role;
  made->asked = asked;
  made->landing = Pages(asked.bytes);
  const std::lock_guard lock(mutex_);
  std::string text;
  const int error = prepare(*made, text);
  if (error != 0)
    answer(std::move(made), error, text);
  else
    waiting_.push_back(std::move(made));
  post_waiting();
  kick();
}

// In order; stops at the first that the provider does not take now.
void FabricEndpoint::post_waiting() {
  while (!waiting_.empty() && flying_.size() < flying_max_) {
    Read& next = *waiting_.front();
    void* local = next.local ? fi_mr_desc(next.local.get()) : nullptr;
    const auto error = static_cast<int>(fi_read(endpoint_.get(), next.landing.data(), next.asked.bytes, local, next.peer,
                                                next.asked.base + next.asked.offset, next.key, &next.context));
    if (error == -FI_EAGAIN) return;
    std::unique_ptr<Read> taken = std::move(waiting_.front());
    waiting_.pop_front();
    if (error == 0)
      flying_.emplace(&taken->context, std::move(taken));
    else
      answer(std::move(taken), error, text_of_error(provider_, "fi_read", error));
  }
}

void FabricEndpoint::answer(std::unique_ptr<Read> read, int error, const std::string& text) {
  Answer made{read->role, read->asked, nullptr, error == 0 ? Status::ok : status_of(error), text};
  if (error == 0) {
    read->local.close();
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

void FabricEndpoint::take_error() {
  fi_cq_err_entry entry{};
  std::array<char, 256> words{};
  entry.err_data_size = 0;
  const ssize_t count = fi_cq_readerr(completions_.get(), &entry, 0);
  if (count == -FI_EAGAIN) return;
  if (count < 0) return fail_all(static_cast<int>(count));
  const char* said = fi_cq_strerror(completions_.get(), entry.prov_errno, entry.err_data, words.data(), words.size());
  std::string text = text_of_error(provider_, "read", entry.err);
  if (said != nullptr && *said != 0) text += "; provider: " + std::string(said) + " (" + std::to_string(entry.prov_errno) + ")";
  finish(entry.op_context, entry.err == 0 ? FI_EOTHER : entry.err, text);
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
      take_error();
    } else if (count == -FI_EINTR) {
      continue;
    } else if (count < 0) {
      fail_all(static_cast<int>(count));
    } else {
      for (ssize_t i = 0; i < count; ++i) finish(entries[static_cast<std::size_t>(i)].op_context, 0, {});
    }
    moved = true;
    if (broken_ != 0) return true;
  }
  const std::size_t waited = waiting_.size();
  post_waiting();
  return moved || waiting_.size() != waited;
}

void FabricEndpoint::run() {
  Duration rest = first_rest;
  for (;;) {
    bool sleeps = true, answered = false, busy = false;
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
      if (progress()) rest = first_rest;
      answered = !answers_.empty();
      busy = !flying_.empty() || !waiting_.empty();
      if (wait_descriptor_ >= 0) {
        fid* queue = &completions_.get()->fid;
        sleeps = fi_trywait(fabric_.get(), &queue, 1) == 0;
      }
    }
    if (answered) wake_();
    std::array<pollfd, 2> on{pollfd{kick_.get(), POLLIN, 0}, pollfd{wait_descriptor_, POLLIN, 0}};
    const timespec time{0, sleeps ? number(rest) : number(first_rest)};
    const int ready = ppoll(on.data(), wait_descriptor_ >= 0 && sleeps ? 2 : 1, &time, nullptr);
    if (ready > 0 && (on[0].revents & POLLIN) != 0) {
      std::uint64_t kicks = 0;
      (void)!::read(kick_.get(), &kicks, sizeof kicks);
      rest = first_rest;
    } else {
      // Reads of ours in flight are looked after often: on a manual provider the bytes come no faster than we look.
      const Duration last = busy ? milliseconds(1) : wait_descriptor_ >= 0 ? last_rest_with_descriptor : last_rest;
      rest = std::min(rest * 2, last);
    }
  }
}

void FabricEndpoint::kick() const {
  const std::uint64_t one = 1;
  (void)!::write(kick_.get(), &one, sizeof one);
}

std::vector<Answer> FabricEndpoint::take_answers() {
  const std::lock_guard lock(mutex_);
  return std::exchange(answers_, {});
}

std::vector<Answer> FabricEndpoint::abandon() {
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
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
  for (auto& [context, read] : flying_) read->local.close();
  for (auto& read : failed_) read->local.close();
  for (auto& [name, served] : regions_) served.registration.close();
  endpoint_.close();
  mapped_.clear();
}

}  // namespace tenter::hw::ofi
