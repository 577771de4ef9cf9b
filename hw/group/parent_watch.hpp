// Notices that the parent of the group is gone, although the launcher and its proxy stand between: through the parent's pidfd,
// on a thread of its own, so that a rank that is stuck inside MPI does not outlive its parent either.
#pragma once
#include <functional>
#include <string_view>
#include <thread>

#include "core/error.hpp"
#include "core/names.hpp"
#include "hw/posix/descriptor.hpp"

namespace tenter::hw {

// "pid:start_time", as the parent puts it into the environment of its ranks.
Result<ProcessId> read_process_id(std::string_view text);
std::string write_process_id(ProcessId process);

class ParentWatch {
 public:
  // not_found: that process is gone already (its pid may be another's now); failed: the kernel refused.
  static Result<ParentWatch> open(ProcessId parent);

  // Begins to watch. When the parent goes, the life-line comes to its end; when this object still lives `grace` later, the
  // process ends at once with `code`.
  void start(Duration grace, int code);
  // Read end of a pipe, at its end once the parent is gone. Take it once.
  Descriptor take_lifeline() { return std::move(read_end_); }

  ParentWatch(ParentWatch&&) = default;
  ParentWatch& operator=(ParentWatch&&) = delete;
  ~ParentWatch();

 private:
  ParentWatch() = default;
  Descriptor parent_;                // pidfd
  Descriptor read_end_, write_end_;  // closed for writing when the parent is gone
  Descriptor stop_;                  // eventfd
  std::thread thread_;
};

}  // namespace tenter::hw
