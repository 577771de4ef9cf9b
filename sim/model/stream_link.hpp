// The values of the streams' model: a link is a connection with its two ends, a way is one of its two directions.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "core/blob.hpp"
#include "core/names.hpp"
#include "core/socket_address.hpp"
#include "sim/process.hpp"

namespace tenter::sim::stream {

inline constexpr Duration hop = microseconds(20);
// What the queue holds: Item::a is a link, Item::b one of these. 0 and 1: the next of that way arrives.
inline constexpr std::uint64_t knock = 2;  // a connect reaches the other side

struct Asker {
  Role role{};
  Op op{};
};
struct Write {
  Asker asker;
  Blob content;
  std::uint64_t sent = 0;  // bytes of it that the sender's system has
};
struct Segment {
  enum class Kind : std::uint8_t { bytes, end, reset } kind = Kind::bytes;
  Blob content;
};
struct Read {
  Asker asker;
  std::uint64_t limit = 0;
};

struct Way {
  std::deque<Write> unsent;  // not whole with the sender's system
  bool finish_asked = false;
  bool finished = false;           // an end or a reset was sent: nothing goes after it
  std::deque<Segment> travelling;  // in their order, whatever the delays
  Time last{};                     // nothing arrives earlier than this
  std::deque<Blob> arrived;        // not read
  std::uint64_t first_read = 0;    // bytes of the first of them that were
  std::uint64_t held = 0;          // bytes that travel or have arrived, the reader's system's buffer
  std::uint64_t unread = 0;        // of these, those that have arrived
  bool ended = false;              // the end has arrived
  std::optional<Read> read;
};

struct End {
  ProcessIndex process = no_process;  // of one that was not accepted: nobody
  Connection name{};
  bool deaf = false;  // closed, or its process has ended
  bool lost = false;  // a reset has arrived
  Asker opener;
};

enum class Place : std::uint8_t { knocking, waiting, accepted, nowhere };

struct Link {
  std::array<End, 2> ends;  // who connected, who accepted
  std::array<Way, 2> ways;  // of what that end sends
  SocketAddress from, to;
  Place place = Place::knocking;
  Time silent_until{};  // a cut network; the end of time: it does not come back
};

enum class Stage : std::uint8_t { reserved, opening, open, refused, closed };

struct Name {  // a connection, to its process
  Stage stage = Stage::reserved;
  std::size_t link = 0;
  std::size_t end = 0;
};

struct Accepting {
  Asker asker;
  Connection connection{};
};

struct Listening {
  ProcessIndex process = no_process;
  Listener name{};
  Stage stage = Stage::opening;
  SocketAddress address;
  std::uint32_t backlog = 0;
  std::optional<Accepting> accept;
  std::optional<std::size_t> untold;          // a link that was accepted, and nobody was told yet
  std::deque<std::size_t> waiting, knocking;  // those in the backlog, those for whom it has no room
};

}  // namespace tenter::sim::stream
