#include "hw/os/status.hpp"

#include <cerrno>
#include <system_error>

namespace tenter::os {

Status status_of(int native) {
  switch (native) {
    case ENOENT:
      return Status::not_found;
    case EEXIST:
      return Status::exists;
    case EACCES:
    case EPERM:
    case EROFS:
      return Status::denied;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case ENOMEM:
      return Status::no_space;
    case EINVAL:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case ENOTDIR:
    case ENXIO:
      return Status::invalid;
    default:
      return Status::failed;
  }
}

tl::unexpected<Error> system_error(const std::string& what, int native) {
  return error(status_of(native), what + ": " + std::generic_category().message(native), native);
}

}  // namespace tenter::os
