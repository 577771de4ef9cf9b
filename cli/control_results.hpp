// What rank 0 of `tenter control run` says of each task, a line of JSON each, and the command that reads it while it comes.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "cli/control_work.hpp"
#include "hw/posix/descriptor.hpp"

namespace tenter::cli {

struct ControlResult {
  std::uint64_t index = 0;   // of the task, from 0, in the order of the work
  std::uint64_t number = 0;  // its line or piece
  std::string callable;
  std::uint32_t worker = 0;
  Status status = Status::ok;  // mismatch: the result is wrong
  std::string error, result;   // result: text as it is, other bytes as hexadecimal digits, at most shown_bytes_max of them
  std::uint64_t bytes = 0;     // of the result
};
inline constexpr std::size_t shown_bytes_max = 256;

std::string write_control_result(const ControlResult& result);
std::optional<ControlResult> read_control_result(std::string_view line);
// A line of another kind: what happened to the job as a whole, or how it goes on.
std::string write_control_note(std::string_view text);
inline constexpr std::string_view control_shutdown_note = "shutdown: ";  // how the last one begins, when not all have left
std::optional<std::string> read_control_note(std::string_view line);
std::string shown_result(const Blob& result);

// Calls `take` for every whole line that a file gets, on a thread of its own, until finish().
class LineFollower {
 public:
  // Throws std::system_error when the file cannot be watched.
  LineFollower(const std::string& file, std::function<void(std::string_view line)> take);
  LineFollower(const LineFollower&) = delete;
  LineFollower& operator=(const LineFollower&) = delete;
  ~LineFollower();
  void finish();  // once the writer is gone: the rest is taken first

 private:
  void follow();
  void read_on();
  std::function<void(std::string_view)> take_;
  hw::Descriptor file_, watch_, over_;
  std::string pending_;
  std::thread thread_;
};

}  // namespace tenter::cli
