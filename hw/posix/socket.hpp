// Stream sockets as values: non-blocking, close-on-exec, and every failure with the status that docs/ports/stream.md gives it.
#pragma once
#include <cstdint>
#include <optional>

#include "core/error.hpp"
#include "core/socket_address.hpp"
#include "hw/posix/descriptor.hpp"

namespace tenter::hw {

// exists: somebody listens there; denied; failed: among them an address that this machine has not.
Result<Descriptor> listening_socket(const SocketAddress& address, std::uint32_t backlog);

// Under way, or there already; connect_result() tells once it is writable.
Result<Descriptor> connecting_socket(const SocketAddress& address);
// peer_lost: refused, also when nobody but itself answered (two ends of one socket: an ephemeral port was its own aim).
Result<void> connect_result(int socket, const SocketAddress& address);

struct Accepted {
  Descriptor socket;
  SocketAddress peer;
};
// None: nobody waits.
Result<std::optional<Accepted>> accepted_socket(int listener);

Result<SocketAddress> own_address(int socket);

// From now on closing it is a reset for the peer, and what is not sent is dropped.
void make_abortive(int socket);

// Bytes that the peer's system has not acknowledged; an end counts as one.
std::uint64_t unacknowledged(int socket);

// errno of a failed read or write: peer_lost where the connection is over, for whatever reason.
Status status_of_stream(int native);

}  // namespace tenter::hw
