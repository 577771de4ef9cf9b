// Records one process into <directory>/<process>.log and .blobs (core/recording/log.hpp), for `tenter sim replay <directory>`.
//
//   auto recorder = hw::Recorder::open(directory, header);
//   hw::ObservedProcess process(context, port, hw::Recorded{**recorder}, Dispatcher{...});   // hw/record/recorded.hpp
//
// The directory is 0700 and the files 0600: they hold payload bytes. append() never throws and sets the event aside; settle(),
// which the loop calls when it has nothing to do, makes records of them. A thread of the recorder writes the files when 64 KiB of
// log or 1 MiB of blobs have come together, 10 ms after the first event that is in memory only (what a killed process loses), and
// at the end. append() waits for that thread only when it is 16 such buffers behind. A failure stops the recording and is told by
// finish(); the process goes on.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/recording/log.hpp"
#include "hw/posix/descriptor.hpp"

namespace tenter::hw {

class Recorder {
 public:
  // The files must not exist yet: a recording is never overwritten. The name of a process is one path component. The directory:
  // private_directory.hpp.
  static Result<std::unique_ptr<Recorder>> open(const std::string& directory, const recording::LogHeader& header);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder();  // writes the end, as finish() does

  void append(Role role, Event event, std::uint64_t action_digest) noexcept;
  // Makes records of what was set aside. Nobody has to call it: 10 ms later, or when much has come together, it happens anyway.
  void settle() noexcept;
  // Writes the rest and the end of the log; the first failure of the whole recording, if any. Later calls repeat the answer.
  Result<void> finish();

  // Something is in memory only.
  bool pending() const;
  std::uint64_t records() const;
  std::uint64_t bytes() const;  // written so far, both files

 private:
  Recorder(const recording::LogHeader& header, std::string path) : writer_(header), path_(std::move(path)) {
    aside_.reserve(aside_max);
  }
  bool unwritten() const { return failure_.native == 0 && !(aside_.empty() && writer_.batch().empty()); }
  void make_records() noexcept;
  // So many buffers' worth or more is not written.
  bool holds_buffers(std::size_t buffers) const;
  void write_in_time();  // the thread
  void write_out(std::unique_lock<std::mutex>& lock) noexcept;

  struct Failure {
    const char* suffix = "";
    int native = 0;  // errno; 0: none
    std::uint64_t records = 0;
  };
  Failure write_batch() noexcept;
  Failure write_blobs();
  Failure write(int descriptor, Bytes head, Bytes content, const char* suffix);
  // Without memory, since a lack of it is one of the failures; the text is made when it is asked for.
  void stop(Failure failure) noexcept;
  void end() noexcept;
  tl::unexpected<Error> failure_error() const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;  // something is unwritten now, or a whole buffer is, or it is the end
  std::condition_variable written_;
  std::thread thread_;
  // What follows is the mutex's.
  static constexpr std::size_t aside_max = 64;
  std::vector<recording::Record> aside_;  // in memory that is there already
  recording::LogWriter writer_;
  std::string path_;  // without .log
  Descriptor log_, blobs_;
  std::uint64_t bytes_ = 0;
  bool idle_ = false;  // the thread waits for the first event
  bool writing_ = false;
  Failure failure_;
  bool finished_ = false;
  // Who writes (writing_) has these without the mutex.
  recording::LogBatch batch_;
  std::uint64_t batch_bytes_ = 0;  // written of it
};

}  // namespace tenter::hw
