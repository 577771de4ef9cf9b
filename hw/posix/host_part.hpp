// Who and where this process is: pid with start time, effective user, host name.
#pragma once
#include "core/action.hpp"
#include "hw/part.hpp"

namespace tenter::hw {

// Start time of a process in clock ticks since boot (proc(5), field 22 of /proc/<pid>/stat); 0 when there is none such.
std::uint64_t start_time_of(std::uint64_t pid);

class HostPart {
 public:
  HostPart(Context& context) : context_(context) {}

  void perform(const action::DescribeHost& describe);

  void poll() {}
  void add_waits(WaitSet&) const {}

 private:
  Context& context_;
};

}  // namespace tenter::hw
