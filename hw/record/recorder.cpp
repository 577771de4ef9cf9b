#include "hw/record/recorder.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "hw/os/file.hpp"
#include "hw/os/status.hpp"
#include "hw/record/private_directory.hpp"
#include "hw/resource.hpp"

namespace tenter::hw {
namespace {

constexpr std::size_t log_buffer_bytes = 64 * 1024;
constexpr std::uint64_t blob_buffer_bytes = 1024 * 1024;
constexpr std::size_t buffers_max = 16;  // then append() waits
constexpr std::chrono::milliseconds write_interval(10);

bool one_path_component(const std::string& name) {
  return !name.empty() && name[0] != '.' && name.find('/') == std::string::npos && name.find('\0') == std::string::npos;
}

Result<Descriptor> create(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return os::system_error("recording " + path + ": open", errno);
  return file;
}

}  // namespace

Result<std::unique_ptr<Recorder>> Recorder::open(const std::string& directory, const recording::LogHeader& header) {
  if (!one_path_component(header.process))
    return error(Status::invalid, "recording: the process name \"" + header.process + "\" is not one path component");
  if (auto made = make_recording_directory(directory); !made) return tl::unexpected(made.error());
  std::unique_ptr<Recorder> recorder(new Recorder(header, directory + "/" + header.process));
  auto blobs = create(recorder->path_ + ".blobs");
  if (!blobs) return tl::unexpected(blobs.error());
  auto log = create(recorder->path_ + ".log");
  if (!log) return tl::unexpected(log.error());
  recorder->blobs_ = std::move(*blobs);
  recorder->log_ = std::move(*log);
  const auto magic = std::as_bytes(std::span(recording::blobs_magic.data(), recording::blobs_magic.size()));
  recorder->stop(recorder->write(recorder->blobs_.get(), magic, {}, ".blobs"));
  {
    std::unique_lock lock(recorder->mutex_);
    recorder->write_out(lock);
  }
  if (recorder->failure_.native != 0) return recorder->failure_error();
  try {
    recorder->thread_ = std::thread([own = recorder.get()] { own->write_in_time(); });
  } catch (const std::system_error& failed) {
    return os::system_error("recording " + recorder->path_ + ": a thread", failed.code().value());
  }
  Resources::acquire(Resource::thread);
  return recorder;
}

Recorder::~Recorder() { end(); }

bool Recorder::holds_buffers(std::size_t buffers) const {
  const recording::LogBatch& batch = writer_.batch();
  return batch.log.size() >= buffers * log_buffer_bytes || batch.blob_bytes() >= buffers * blob_buffer_bytes;
}

void Recorder::append(Role role, Event event, std::uint64_t action_digest) noexcept {
  std::unique_lock lock(mutex_);
  if (failure_.native != 0 || finished_) return;
  aside_.push_back({role, std::move(event), recording::short_digest(action_digest)});
  if (idle_) {
    idle_ = false;
    changed_.notify_one();
  }
  if (aside_.size() < aside_max) return;
  make_records();
  if (holds_buffers(buffers_max)) written_.wait(lock, [&] { return !holds_buffers(buffers_max); });
}

void Recorder::settle() noexcept {
  const std::lock_guard lock(mutex_);
  make_records();
}

void Recorder::make_records() noexcept {
  if (aside_.empty() || failure_.native != 0) return;
  const bool full = holds_buffers(1);
  try {
    for (const recording::Record& record : aside_) writer_.append(record.role, record.event, record.actions);
  } catch (...) {
    stop({".log", ENOMEM});
  }
  aside_.clear();
  if (full != holds_buffers(1)) changed_.notify_one();
}

bool Recorder::pending() const {
  const std::lock_guard lock(mutex_);
  return writing_ || unwritten();
}
std::uint64_t Recorder::records() const {
  const std::lock_guard lock(mutex_);
  return writer_.records() + aside_.size();
}
std::uint64_t Recorder::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void Recorder::write_in_time() {
  std::unique_lock lock(mutex_);
  while (!finished_) {
    idle_ = !unwritten();
    changed_.wait(lock, [&] { return finished_ || unwritten(); });
    idle_ = false;
    // What comes meanwhile goes with it, so one who records all the time wakes nobody.
    changed_.wait_for(lock, write_interval, [&] { return finished_ || holds_buffers(1); });
    write_out(lock);
  }
}

void Recorder::end() noexcept {
  std::unique_lock lock(mutex_);
  written_.wait(lock, [&] { return !writing_; });
  make_records();
  if (!finished_ && failure_.native == 0) {
    try {
      writer_.end();
    } catch (...) {
      stop({".log", ENOMEM});
    }
    write_out(lock);
  }
  finished_ = true;
  changed_.notify_one();
  lock.unlock();
  if (!thread_.joinable()) return;
  thread_.join();
  Resources::release(Resource::thread);
}

Result<void> Recorder::finish() {
  end();
  if (failure_.native != 0) return failure_error();
  return {};
}

// One at a time. The mutex is free meanwhile: a loop that waited for a disk would hold up its whole group.
void Recorder::write_out(std::unique_lock<std::mutex>& lock) noexcept {
  make_records();
  if (writing_ || !unwritten()) return;
  writer_.exchange(batch_);
  writing_ = true;
  lock.unlock();
  const Failure failure = write_batch();
  batch_.clear();
  lock.lock();
  writing_ = false;
  bytes_ += std::exchange(batch_bytes_, 0);
  stop(failure);
  written_.notify_all();
}

// Blobs first: a log that was cut by a kill refers to nothing that is missing.
Recorder::Failure Recorder::write_batch() noexcept {
  try {
    if (const Failure failure = write_blobs(); failure.native != 0) return failure;
  } catch (...) {
    return {".blobs", ENOMEM};
  }
  return write(log_.get(), batch_.log.bytes(), {}, ".log");
}

Recorder::Failure Recorder::write_blobs() {
  recording::Buffer& side = batch_.side;
  for (const Blob& blob : batch_.large) {
    recording::add_blob_head(side, blob);
    const Failure failure = write(blobs_.get(), side.bytes(), blob.bytes(), ".blobs");
    if (failure.native != 0) return failure;
    side.clear();
  }
  return write(blobs_.get(), side.bytes(), {}, ".blobs");
}

Recorder::Failure Recorder::write(int descriptor, Bytes head, Bytes content, const char* suffix) {
  const os::Written written = os::write_all(descriptor, head, content);
  batch_bytes_ += written.bytes;
  return {suffix, written.native};
}

void Recorder::stop(Failure failure) noexcept {
  if (failure.native == 0) return;
  failure.records = writer_.records();
  failure_ = failure;
  recording::LogBatch unwritten;
  writer_.exchange(unwritten);
  written_.notify_all();
}

tl::unexpected<Error> Recorder::failure_error() const {
  return os::system_error("recording " + path_ + failure_.suffix + ": writing after record " + std::to_string(failure_.records),
                          failure_.native);
}

}  // namespace tenter::hw
