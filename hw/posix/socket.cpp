#include "hw/posix/socket.hpp"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string>
#include <system_error>

#include "hw/os/status.hpp"

namespace tenter::hw {
namespace {

struct Native {
  sockaddr_storage storage{};
  socklen_t length = sizeof(sockaddr_storage);
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

Native native_of(const SocketAddress& address) {
  Native native;
  if (address.family == SocketAddress::Family::v4) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(address.port);
    std::memcpy(&v4.sin_addr, address.host.data(), sizeof v4.sin_addr);
    std::memcpy(&native.storage, &v4, sizeof v4);
    native.length = sizeof v4;
  } else {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(address.port);
    std::memcpy(&v6.sin6_addr, address.host.data(), sizeof v6.sin6_addr);
    std::memcpy(&native.storage, &v6, sizeof v6);
    native.length = sizeof v6;
  }
  return native;
}

SocketAddress address_of(const Native& native) {
  SocketAddress address;
  if (native.storage.ss_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &native.storage, sizeof v6);
    address.family = SocketAddress::Family::v6;
    address.port = ntohs(v6.sin6_port);
    std::memcpy(address.host.data(), &v6.sin6_addr, sizeof v6.sin6_addr);
  } else {
    sockaddr_in v4{};
    std::memcpy(&v4, &native.storage, sizeof v4);
    address.port = ntohs(v4.sin_port);
    std::memcpy(address.host.data(), &v4.sin_addr, sizeof v4.sin_addr);
  }
  return address;
}

Status status_of_opening(int native) {
  switch (native) {
    case EADDRINUSE:
      return Status::exists;
    case ECONNREFUSED:
    case ECONNRESET:
    case ECONNABORTED:
      return Status::peer_lost;
    case ETIMEDOUT:
      return Status::timed_out;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
      return Status::no_space;
    default:
      return os::status_of(native);
  }
}

tl::unexpected<Error> failure(const std::string& phase, const SocketAddress& address, int native = errno) {
  const std::string what = phase + " " + to_string(address) + ": " + std::generic_category().message(native);
  return error(status_of_opening(native), what, native);
}

bool set(int socket, int level, int option, int value) { return setsockopt(socket, level, option, &value, sizeof value) == 0; }

Descriptor new_socket(const SocketAddress& address) {
  const int family = address.family == SocketAddress::Family::v4 ? AF_INET : AF_INET6;
  return Descriptor(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
}

}  // namespace

Result<Descriptor> listening_socket(const SocketAddress& address, std::uint32_t backlog) {
  Descriptor listener = new_socket(address);
  if (!listener) return failure("make a socket for", address);
  // So that an old connection that still ends does not keep the address; two listeners never share one by it (socket(7)).
  if (!set(listener.get(), SOL_SOCKET, SO_REUSEADDR, 1)) return failure("prepare to listen on", address);
  const bool v6 = address.family == SocketAddress::Family::v6;
  if (v6 && !set(listener.get(), IPPROTO_IPV6, IPV6_V6ONLY, 1)) return failure("keep IPv4 out of", address);
  Native native = native_of(address);
  if (bind(listener.get(), native.get(), native.length) != 0) return failure("listen on", address);
  constexpr std::uint32_t most = std::numeric_limits<int>::max();
  if (listen(listener.get(), static_cast<int>(std::min(backlog, most))) != 0) return failure("listen on", address);
  return listener;
}

Result<Descriptor> connecting_socket(const SocketAddress& address) {
  Descriptor socket = new_socket(address);
  if (!socket) return failure("make a socket for", address);
  if (!set(socket.get(), IPPROTO_TCP, TCP_NODELAY, 1)) return failure("prepare to connect to", address);
  Native native = native_of(address);
  const bool done = connect(socket.get(), native.get(), native.length) == 0;
  // Interrupted, it goes on all the same (connect(2)).
  if (!done && errno != EINPROGRESS && errno != EINTR) return failure("connect to", address);
  return socket;
}

Result<void> connect_result(int socket, const SocketAddress& address) {
  int native = 0;
  socklen_t length = sizeof native;
  if (getsockopt(socket, SOL_SOCKET, SO_ERROR, &native, &length) != 0) native = errno;
  if (native != 0) return failure("connect to", address, native);
  const auto own = own_address(socket);
  if (own && *own == address) return failure("connect to", address, ECONNREFUSED);
  return {};
}

Result<std::optional<Accepted>> accepted_socket(int listener) {
  while (true) {
    Native native;
    Descriptor socket(accept4(listener, native.get(), &native.length, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket) {
      set(socket.get(), IPPROTO_TCP, TCP_NODELAY, 1);  // fails for one that is over already: its reader is told
      return Accepted{std::move(socket), address_of(native)};
    }
    switch (errno) {
      case EAGAIN:
        return std::nullopt;
      case EMFILE:
      case ENFILE:
      case ENOBUFS:
      case ENOMEM:
      case EBADF:
      case EINVAL:
      case EPERM: {
        const int native_error = errno;
        return error(status_of_opening(native_error), "accept: " + std::generic_category().message(native_error), native_error);
      }
      default:  // the fault of one that was waiting and is gone (accept(2)): the next one
        continue;
    }
  }
}

Result<SocketAddress> own_address(int socket) {
  Native native;
  if (getsockname(socket, native.get(), &native.length) != 0) return os::system_error("look at the own address", errno);
  return address_of(native);
}

void make_abortive(int socket) {
  const linger at_once{1, 0};
  setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);  // of a socket that is over: it has no effect then
}

std::uint64_t unacknowledged(int socket) {
  int bytes = 0;
  return ioctl(socket, SIOCOUTQ, &bytes) == 0 && bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

Status status_of_stream(int native) {
  switch (native) {
    case ENOMEM:
    case ENOBUFS:
      return Status::no_space;
    case ECONNRESET:
    case EPIPE:
    case ETIMEDOUT:
    case ECONNREFUSED:
    case ECONNABORTED:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case ENETDOWN:
    case ENETRESET:
    case EHOSTDOWN:
    case ENOTCONN:
      return Status::peer_lost;
    default:
      return Status::failed;
  }
}

}  // namespace tenter::hw
