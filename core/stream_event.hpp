// Stream: the answers. Contract: docs/ports/stream.md.
#pragma once
#include <cstdint>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/names.hpp"

namespace tenter::event {

struct Listening {  // listen
  Time now{};
  Op op{};
  Status status = Status::ok;
  Blob address;  // with the real port
  Blob text;     // for people, when status is not ok
  friend bool operator==(const Listening&, const Listening&) = default;
  TENTER_DESCRIBE(listening, now, op, status, address, text)
};
struct Connected {  // accept, connect
  Time now{};
  Op op{};
  Status status = Status::ok;
  Blob peer;  // its address
  Blob text;
  friend bool operator==(const Connected&, const Connected&) = default;
  TENTER_DESCRIBE(connected, now, op, status, peer, text)
};
struct StreamRead {  // read_stream. ok without content: the peer has finished; peer_lost: reset, or gone
  Time now{};
  Op op{};
  Status status = Status::ok;
  Blob content;
  friend bool operator==(const StreamRead&, const StreamRead&) = default;
  TENTER_DESCRIBE(stream_read, now, op, status, content)
};
struct StreamWritten {  // write_stream: taken whole by this side; that the peer has it is not said
  Time now{};
  Op op{};
  Status status = Status::ok;
  friend bool operator==(const StreamWritten&, const StreamWritten&) = default;
  TENTER_DESCRIBE(stream_written, now, op, status)
};

}  // namespace tenter::event
