// What a carrier over byte streams keeps: its connections and what is on its way on them. No step of it.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/blob.hpp"
#include "core/control/carrier_wire.hpp"
#include "core/control/hidden.hpp"
#include "core/control/slr3.hpp"
#include "core/control/start_operation.hpp"
#include "core/describe.hpp"
#include "core/names.hpp"

namespace tenter::control {

struct CarrierConfig {
  std::uint32_t rank = 0, world = 1;
  std::uint64_t session = 1;
  Hidden token;
  std::string address;                // rank 0: where it listens, "host:0"; another rank: where rank 0 listens
  std::optional<MessageTag> express;  // the tag that has a connection of its own; none: all messages keep one order
  Listener listener{2};
  std::uint32_t first_connection = 1;                 // connections are numbered from here on; no other machine uses them
  std::uint32_t message_bytes_max = frame_bytes_max;  // more is a broken peer
  Duration join_patience = seconds(60);               // from join_world() to the last peer
  Duration stranger_wait = seconds(2);                // from an accept to the whole hello
  std::uint32_t strangers_max = 16;                   // connections at once that have not shown the token
  Duration first_retry = milliseconds(10), last_retry = milliseconds(250);  // rests between attempts to connect, doubled
  Duration part_patience = seconds(2);                                      // for the others' ends, at an orderly exit
  friend bool operator==(const CarrierConfig&, const CarrierConfig&) = default;
  TENTER_DESCRIBE(carrier_config, rank, world, session, token, address, express, listener, first_connection, message_bytes_max,
                  join_patience, stranger_wait, strangers_max, first_retry, last_retry, part_patience)
};

// which: the connection; of head and write_message: the number of the send. Timers have bit 63 besides: the machine's own have
// not.
enum class CarrierOperation : std::uint8_t {
  listen = 1,
  accept,
  connect,
  read,
  greet,
  head,
  write_message,
  retry,
  strangers,
  deadline
};
inline constexpr std::uint64_t carrier_timer_bit = std::uint64_t{1} << 63;
constexpr Op carrier_timer(CarrierOperation what) { return Op{number(start_operation(what)) | carrier_timer_bit}; }
constexpr bool is_carrier_timer(Op op) { return (number(op) & carrier_timer_bit) != 0; }

enum class CarrierStep : std::uint8_t {
  idle,
  listening,  // rank 0: the listener is being opened
  joining,    // until all are here
  running,    // messages
  parting,    // the machine has left in order: until the others have taken everything
  over,       // the join failed, or the process ends
};
constexpr std::string_view to_string(CarrierStep step) {
  constexpr std::string_view names[] = {"idle", "listening", "joining", "running", "parting", "over"};
  return names[static_cast<std::size_t>(step)];
}

// One connection to one peer.
struct CarrierLine {
  std::uint32_t connection = 0;  // 0: none
  bool connected = false;        // its hello has been said, or taken
  bool welcomed = false;         // of the side that connects: the answer is here
  bool reading = false;
  bool ended = false;   // nothing comes any more
  Hidden head;          // the first bytes of hello, welcome or message, until they are all there
  bool headed = false;  // tag and bytes below are of the message that is being read
  MessageTag tag{};
  std::uint32_t bytes = 0;
  Hidden body;   // of a message in several pieces
  Blob content;  // whole
  bool whole = false;
  friend bool operator==(const CarrierLine&, const CarrierLine&) = default;
  TENTER_DESCRIBE(carrier_line, connection, connected, welcomed, reading, ended, head, headed, tag, bytes, body, content, whole)
};

struct CarrierPeer {
  std::array<CarrierLine, lanes> lines;
  std::optional<Op> receive;  // posted
  std::uint64_t limit = 0;    // of it
  bool lost = false;
  std::string why;
  friend bool operator==(const CarrierPeer&, const CarrierPeer&) = default;
  TENTER_DESCRIBE(carrier_peer, lines, receive, limit, lost, why)
};

struct CarrierStranger {
  Time since{};
  Hidden pending;
  friend bool operator==(const CarrierStranger&, const CarrierStranger&) = default;
  TENTER_DESCRIBE(carrier_stranger, since, pending)
};

struct CarrierPlace {  // whose a connection is
  std::uint32_t rank = 0, lane = 0;
  friend bool operator==(const CarrierPlace&, const CarrierPlace&) = default;
  TENTER_DESCRIBE(carrier_place, rank, lane)
};

struct CarrierSend {  // by the number of the send: not with this side's system yet
  Op op{};            // the machine's
  std::uint32_t connection = 0;
  bool abandoned = false;
  friend bool operator==(const CarrierSend&, const CarrierSend&) = default;
  TENTER_DESCRIBE(carrier_send, op, connection, abandoned)
};

using CarrierPlaces = std::map<std::uint32_t, CarrierPlace>;
using CarrierStrangers = std::map<std::uint32_t, CarrierStranger>;  // by connection, so in the order of their accepts
using CarrierSends = std::map<std::uint64_t, CarrierSend>;

}  // namespace tenter::control
