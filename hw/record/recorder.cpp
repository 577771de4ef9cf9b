#include "hw/record/recorder.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <system_error>

#include "hw/os/file.hpp"
#include "hw/os/status.hpp"
#include "hw/record/private_directory.hpp"
#include "hw/resource.hpp"

namespace tenter::hw {
namespace {

constexpr std::size_t log_buffer_bytes = 64 * 1024;
constexpr std::uint64_t blob_buffer_bytes = 1024 * 1024;
constexpr std::size_t copied_blob_bytes_max = 16 * 1024;  // a copy is cheaper than a system call of its own
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
  if (recorder->write(recorder->blobs_.get(), magic, {}, ".blobs")) recorder->write_out();
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

void Recorder::append(Role role, const Event& event, std::uint64_t action_digest) noexcept {
  const std::lock_guard lock(mutex_);
  if (failure_.native != 0 || finished_) return;
  const bool first = !unwritten();
  try {
    writer_.append(role, event, action_digest);
    for (; counted_blobs_ < writer_.blobs().size(); ++counted_blobs_)
      pending_blob_bytes_ += writer_.blobs()[counted_blobs_].size();
  } catch (...) {
    stop(".log", ENOMEM);
    return;
  }
  if (writer_.log().size() >= log_buffer_bytes || pending_blob_bytes_ >= blob_buffer_bytes)
    write_out();
  else if (first)
    changed_.notify_one();
}

bool Recorder::pending() const {
  const std::lock_guard lock(mutex_);
  return unwritten();
}
std::uint64_t Recorder::records() const {
  const std::lock_guard lock(mutex_);
  return writer_.records();
}
std::uint64_t Recorder::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void Recorder::write_in_time() {
  std::unique_lock lock(mutex_);
  while (!finished_) {
    changed_.wait(lock, [&] { return finished_ || unwritten(); });
    changed_.wait_for(lock, write_interval, [&] { return finished_; });  // what comes meanwhile goes with it
    write_out();
  }
}

void Recorder::end() noexcept {
  std::unique_lock lock(mutex_);
  if (!finished_ && failure_.native == 0) {
    try {
      writer_.end();
    } catch (...) {
      stop(".log", ENOMEM);
    }
    write_out();
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

// Blobs first: a log that was cut by a kill refers to nothing that is missing.
void Recorder::write_out() noexcept {
  if (failure_.native != 0) return;
  try {
    write_pending();
  } catch (...) {
    stop(".blobs", ENOMEM);
  }
}

void Recorder::write_pending() {
  std::byte head[recording::blob_head_bytes];
  for (const Blob& blob : writer_.blobs()) {
    recording::encode_blob_head(blob, head);
    side_.insert(side_.end(), std::begin(head), std::end(head));
    const bool large = blob.size() > copied_blob_bytes_max;
    if (!large) side_.insert(side_.end(), blob.bytes().begin(), blob.bytes().end());
    if (!large && side_.size() < log_buffer_bytes) continue;
    if (!write(blobs_.get(), side_, large ? blob.bytes() : Bytes{}, ".blobs")) return;
    side_.clear();
  }
  if (!write(blobs_.get(), side_, {}, ".blobs")) return;
  side_.clear();
  if (!write(log_.get(), writer_.log(), {}, ".log")) return;
  writer_.clear();
  counted_blobs_ = 0;
  pending_blob_bytes_ = 0;
}

bool Recorder::write(int descriptor, Bytes head, Bytes content, const char* suffix) {
  const os::Written written = os::write_all(descriptor, head, content);
  bytes_ += written.bytes;
  if (written.native != 0) stop(suffix, written.native);
  return written.native == 0;
}

void Recorder::stop(const char* suffix, int native) noexcept {
  failure_ = {suffix, native, writer_.records()};
  writer_.clear();
}

tl::unexpected<Error> Recorder::failure_error() const {
  return os::system_error("recording " + path_ + failure_.suffix + ": writing after record " + std::to_string(failure_.records),
                          failure_.native);
}

}  // namespace tenter::hw
