// Records one process into <directory>/<process>.log and .blobs (core/recording/log.hpp), for `tenter sim replay <directory>`.
//
//   auto recorder = hw::Recorder::open(directory, header);
//   hw::ObservedProcess process(context, port, hw::Recorded{**recorder}, Dispatcher{...});   // hw/record/recorded.hpp
//
// The directory is 0700 and the files 0600: they hold payload bytes. append() never throws and appends to memory; the files are
// written when 64 KiB of log or 1 MiB of blobs have come together, before a sleep of the loop (at most every 10 ms: what a killed
// process loses), and at the end. A failure stops the recording and is told by finish(); the process goes on.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/recording/log.hpp"
#include "hw/part.hpp"
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

  void append(Role role, const Event& event, std::uint64_t action_digest) noexcept;
  // Before a sleep. end_of_time when nothing is left to write; else when to call again, at the latest.
  Time idle() noexcept;
  // Writes the rest and the end of the log; the first failure of the whole recording, if any. Later calls repeat the answer.
  Result<void> finish();

  // Something is in memory only.
  bool pending() const { return failure_.native == 0 && (!writer_.log().empty() || !writer_.blobs().empty()); }
  std::uint64_t records() const { return writer_.records(); }
  std::uint64_t bytes() const { return bytes_; }  // written so far, both files

 private:
  Recorder(const recording::LogHeader& header, std::string path) : writer_(header), path_(std::move(path)) {}
  void write_out() noexcept;
  void write_pending();
  bool write(int descriptor, Bytes head, Bytes content, const char* suffix);
  // Without memory, since a lack of it is one of the failures; the text is made when it is asked for.
  void stop(const char* suffix, int native) noexcept;
  void end() noexcept;
  tl::unexpected<Error> failure_error() const;

  struct Failure {
    const char* suffix = "";
    int native = 0;  // errno; 0: none
    std::uint64_t records = 0;
  };

  recording::LogWriter writer_;
  std::string path_;  // without .log
  Descriptor log_, blobs_;
  std::vector<std::byte> side_;    // of the side file, while it is written
  std::size_t counted_blobs_ = 0;  // of writer_.blobs(), in pending_blob_bytes_
  std::uint64_t pending_blob_bytes_ = 0, bytes_ = 0;
  Time written_{};
  Failure failure_;
  bool finished_ = false;
};

}  // namespace tenter::hw
