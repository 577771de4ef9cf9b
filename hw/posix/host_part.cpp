#include "hw/posix/host_part.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace tenter::hw {

std::uint64_t start_time_of(std::uint64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');  // field 2 may itself hold spaces and brackets
  if (name_end == std::string::npos) return 0;
  std::istringstream rest(line.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 22; ++field) rest >> skipped;
  std::uint64_t start_time = 0;
  return rest >> start_time ? start_time : 0;
}

void HostPart::perform(const action::DescribeHost& describe) {
  utsname host{};
  uname(&host);  // cannot fail with a valid buffer
  const auto pid = static_cast<std::uint64_t>(getpid());
  context_.push(context_.current, event::HostDescribed{now(), describe.op, ProcessId{pid, start_time_of(pid)}, geteuid(),
                                                       Blob(std::string_view(host.nodename))});
}

}  // namespace tenter::hw
