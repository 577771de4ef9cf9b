// Comm: the answers. Contract: docs/ports/comm.md.
#pragma once
#include <cstdint>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/names.hpp"

namespace tenter::event {

struct WorldJoined {  // join_world
  Time now{};
  Op op{};
  Status status = Status::ok;
  Rank rank{};              // own
  std::uint32_t ranks = 0;  // of the world
  Blob text;                // for people, when status is not ok
  friend bool operator==(const WorldJoined&, const WorldJoined&) = default;
  TENTER_DESCRIBE(world_joined, now, op, status, rank, ranks, text)
};
struct MessageSent {  // send_message. peer_lost: it will never arrive
  Time now{};
  Op op{};
  Status status = Status::ok;
  Blob text;
  friend bool operator==(const MessageSent&, const MessageSent&) = default;
  TENTER_DESCRIBE(message_sent, now, op, status, text)
};
// receive_message. no_space: longer than the limit, `length` says how long, the content is gone; peer_lost: none will come any
// more
struct MessageArrived {
  Time now{};
  Op op{};
  Status status = Status::ok;
  Rank from{};
  MessageTag tag{};
  std::uint64_t length = 0;
  Blob content;
  friend bool operator==(const MessageArrived&, const MessageArrived&) = default;
  TENTER_DESCRIBE(message_arrived, now, op, status, from, tag, length, content)
};

}  // namespace tenter::event
