// What an error of libfabric means to a machine, and its text.
#pragma once
#include <rdma/fi_errno.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "core/names.hpp"

namespace tenter::hw::ofi {

// number: a fi_errno, of either sign.
inline Status status_of(int number) {
  switch (std::abs(number)) {
    case 0:
      return Status::ok;
    case FI_EACCES:
    case FI_EPERM:
    case FI_ENOKEY:
    case FI_EKEYREJECTED:
      return Status::denied;
    case FI_ECONNREFUSED:
    case FI_ECONNABORTED:
    case FI_ECONNRESET:
    case FI_ENOTCONN:
    case FI_EHOSTUNREACH:
    case FI_EHOSTDOWN:
    case FI_ENETUNREACH:
    case FI_ETIMEDOUT:
    case FI_ESHUTDOWN:
      return Status::peer_lost;
    case FI_ENOMEM:
    case FI_ENOSPC:
    case FI_EMFILE:
      return Status::no_space;
    case FI_ENODATA:
    case FI_ENODEV:
      return Status::not_found;
    default:  // FI_ECANCELED too: not who asked withdrew it, the provider flushed it (tcp;ofi_rxm: refused, or the peer is gone)
      return Status::failed;
  }
}

// "tcp;ofi_rxm: fi_domain: No such device (19)"
inline std::string text_of_error(std::string_view provider, std::string_view step, int number) {
  return std::string(provider) + ": " + std::string(step) + ": " + fi_strerror(std::abs(number)) + " (" +
         std::to_string(std::abs(number)) + ")";
}

}  // namespace tenter::hw::ofi
