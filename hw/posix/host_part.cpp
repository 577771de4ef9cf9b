#include "hw/posix/host_part.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include "hw/posix/process_stat.hpp"

namespace tenter::hw {

std::uint64_t start_time_of(std::uint64_t pid) {
  const auto stat = stat_of(pid);
  return stat ? stat->start_time : 0;
}

void HostPart::perform(const action::DescribeHost& describe) {
  utsname host{};
  uname(&host);  // cannot fail with a valid buffer
  const auto pid = static_cast<std::uint64_t>(getpid());
  context_.push(context_.current, event::HostDescribed{now(), describe.op, ProcessId{pid, start_time_of(pid)}, geteuid(),
                                                       Blob(std::string_view(host.nodename))});
}

}  // namespace tenter::hw
