// Stream: byte streams between processes that may not know each other (TCP). Contract: docs/ports/stream.md.
#pragma once
#include <cstdint>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/names.hpp"

namespace tenter::action {

struct Listen {  // "host:port" or "[v6]:port", port 0: any free one; on that address only -> Listening
  Op op{};
  Listener listener{};
  Blob address;
  std::uint32_t backlog = 0;  // peers that may wait for an accept
  friend bool operator==(const Listen&, const Listen&) = default;
  TENTER_DESCRIBE(listen, op, listener, address, backlog)
};
struct Accept {  // the next peer -> Connected, once
  Op op{};
  Listener listener{};
  Connection connection{};
  friend bool operator==(const Accept&, const Accept&) = default;
  TENTER_DESCRIBE(accept, op, listener, connection)
};
struct CloseListener {  // its open accept is never answered; peers that waited are refused
  Listener listener{};
  friend bool operator==(const CloseListener&, const CloseListener&) = default;
  TENTER_DESCRIBE(close_listener, listener)
};
struct Connect {  // -> Connected
  Op op{};
  Connection connection{};
  Blob address;
  friend bool operator==(const Connect&, const Connect&) = default;
  TENTER_DESCRIBE(connect, op, connection, address)
};
struct ReadStream {  // 1 to `limit` bytes, as soon as any are there -> StreamRead
  Op op{};
  Connection connection{};
  std::uint64_t limit = 0;
  friend bool operator==(const ReadStream&, const ReadStream&) = default;
  TENTER_DESCRIBE(read_stream, op, connection, limit)
};
struct WriteStream {  // all of it, in the order of the actions -> StreamWritten
  Op op{};
  Connection connection{};
  Blob content;
  friend bool operator==(const WriteStream&, const WriteStream&) = default;
  TENTER_DESCRIBE(write_stream, op, connection, content)
};
struct FinishStream {  // the peer reads an end after what was written; reading goes on
  Connection connection{};
  friend bool operator==(const FinishStream&, const FinishStream&) = default;
  TENTER_DESCRIBE(finish_stream, connection)
};
struct CloseStream {  // nothing of it is answered any more. abort: the peer sees a reset, what it did not read is dropped
  Connection connection{};
  bool abort = false;
  friend bool operator==(const CloseStream&, const CloseStream&) = default;
  TENTER_DESCRIBE(close_stream, connection, abort)
};

}  // namespace tenter::action
