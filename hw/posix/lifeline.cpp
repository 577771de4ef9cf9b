// The child's side of the life-line.
#include <fcntl.h>
#include <sys/stat.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "hw/posix/processes_part.hpp"
#include "hw/posix/spawn.hpp"

namespace tenter::hw {

Descriptor inherited_lifeline() {
  const char* value = std::getenv(lifeline_variable);
  if (!value) return {};
  const std::string_view text(value);
  int number_of = -1;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), number_of);
  struct stat status {};
  if (bad != std::errc() || end != text.data() + text.size() || number_of < 0 || fstat(number_of, &status) != 0) return {};
  if (!S_ISFIFO(status.st_mode) || (fcntl(number_of, F_GETFL) & O_ACCMODE) != O_RDONLY) return {};
  fcntl(number_of, F_SETFD, FD_CLOEXEC);
  return Descriptor(number_of);
}

}  // namespace tenter::hw
