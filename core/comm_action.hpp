// Comm: tagged messages between the processes of one world, in order per sender. Contract: docs/ports/comm.md.
#pragma once
#include <cstdint>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/names.hpp"

namespace tenter::action {

struct JoinWorld {  // every process of the world, once; ends when all have -> WorldJoined
  Op op{};
  friend bool operator==(const JoinWorld&, const JoinWorld&) = default;
  TENTER_DESCRIBE(join_world, op)
};
struct SendMessage {  // -> MessageSent, when the port needs `content` no more; that the other side has it is not said
  Op op{};
  Communicator communicator{};
  Rank to{};
  MessageTag tag{};
  Blob content;
  friend bool operator==(const SendMessage&, const SendMessage&) = default;
  TENTER_DESCRIBE(send_message, op, communicator, to, tag, content)
};
struct AbandonSend {  // no MessageSent{op} after this; the message may still arrive, whole
  Op op{};
  friend bool operator==(const AbandonSend&, const AbandonSend&) = default;
  TENTER_DESCRIBE(abandon_send, op)
};
struct ReceiveMessage {  // the next message of `from`, whatever its tag -> MessageArrived, once
  Op op{};
  Communicator communicator{};
  Rank from{};
  std::uint64_t limit = 0;  // a longer one arrives without its content
  friend bool operator==(const ReceiveMessage&, const ReceiveMessage&) = default;
  TENTER_DESCRIBE(receive_message, op, communicator, from, limit)
};
struct WithdrawReceive {  // no MessageArrived{op} after this; a message that it had begun to take is dropped
  Op op{};
  friend bool operator==(const WithdrawReceive&, const WithdrawReceive&) = default;
  TENTER_DESCRIBE(withdraw_receive, op)
};

}  // namespace tenter::action
