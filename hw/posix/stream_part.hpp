// Byte streams over TCP, IPv4 and IPv6. The sockets are in one epoll set (epoll(7)), which is the only descriptor that the loop
// sleeps on, however many connections there are. An action that the system can serve at once is answered in the inbox when it
// returns; what is written and does not fit waits here as the blob that it came in. Contract: docs/ports/stream.md.
//
// What is closed is told apart from what is sent: a closed connection with bytes on their way stays here, deaf, until the peer's
// system has them, or until nothing of them has moved for `patience`.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "core/action.hpp"
#include "core/error.hpp"
#include "core/socket_address.hpp"
#include "hw/part.hpp"
#include "hw/posix/descriptor.hpp"

namespace tenter::hw {

class StreamPart {
 public:
  StreamPart(Context& context);  // throws std::system_error when the set of sockets cannot be made
  StreamPart(const StreamPart&) = delete;
  StreamPart& operator=(const StreamPart&) = delete;
  ~StreamPart();  // what is not with the system yet is never sent: its peer sees a reset, not an end

  void perform(const action::Listen& a);
  void perform(const action::Accept& a);
  void perform(const action::CloseListener& a);
  void perform(const action::Connect& a);
  void perform(const action::ReadStream& a);
  void perform(const action::WriteStream& a);
  void perform(const action::FinishStream& a);
  void perform(const action::CloseStream& a);

  void poll();
  void add_waits(WaitSet& waits) const;

  // Closed ones that still send.
  std::size_t leaving() const { return leaving_.size(); }

 private:
  struct Asker {
    Role role{};
    Op op{};
    friend bool operator==(const Asker&, const Asker&) = default;
  };
  struct Write {
    Asker asker;
    Blob content;
  };
  struct Stream {
    Descriptor socket;
    SocketAddress peer;
    std::uint64_t key = 0;         // in the epoll set
    std::uint32_t watched = 0;     // what the set tells of it; 0: not in the set
    std::optional<Asker> opening;  // a connect that is not answered
    std::optional<Asker> reader;
    std::uint64_t limit = 0;
    std::deque<Write> writes;  // not whole with the system, the oldest first
    std::uint64_t sent = 0;    // bytes of the first of them that are
    bool finishing = false, finished = false;
    bool lost = false;            // the system has told, and will not do so again
    bool deaf = false;            // leaving: nobody is answered
    bool peer_ended = false;      // leaving: nothing comes any more
    std::uint64_t unsettled = 0;  // leaving: bytes on their way at the last look, and
    Time moved{};                 // when they last became fewer
  };
  struct Opening {  // an accept that is not answered
    Asker asker;
    Connection connection{};
  };
  struct Listening {
    Descriptor socket;
    std::uint64_t key = 0;
    std::uint32_t watched = 0;
    std::optional<Opening> accept;
  };
  struct Answered {  // in the inbox, unless it was delivered already
    Asker asker;
    Connection connection{};
    std::optional<Listener> by;  // the listener whose accept it was
  };

  Asker asker(Op op) const { return {context_.current, op}; }
  Stream& opened(Connection name);
  bool known(Connection name) const;
  void answer(const Asker& to, Connection name, Event event, std::optional<Listener> by = std::nullopt);
  void trim_answered();
  template <class Concerns>
  std::vector<Answered> take_back(Concerns&& concerns);

  int watch(int socket, std::uint64_t key, std::uint32_t& watched, std::uint32_t wanted);
  void watch(Connection name, Stream& stream, std::uint32_t events = 0);
  void serve(Listener name, Listening& listener, std::uint32_t events);
  void serve(Connection name, Stream& stream, std::uint32_t events);
  bool try_accept(Listener name, Listening& listener);
  void end_connect(Connection name, Stream& stream);
  bool try_read(Connection name, Stream& stream);
  void send(Connection name, Stream& stream);
  void sent(Connection name, Stream& stream, std::uint64_t bytes);
  void lose(Connection name, Stream& stream, Status status);
  void leave(Stream stream);
  bool settled(Stream& stream);
  void look_at_leaving();
  bool gives_up(Stream& stream, Time at);
  void watch_leaving(Stream& stream);
  bool wants_anything() const;

  Context& context_;
  Descriptor set_;
  std::map<Listener, Listening> listeners_;
  std::map<Connection, Stream> streams_;
  std::map<std::uint32_t, Stream> leaving_;
  std::uint32_t left_ = 0;  // names in leaving_ that were given
  std::deque<Answered> answered_;
  std::vector<std::byte> scratch_;
  std::uint32_t checked_nudges_ = 0;
  Time next_check_{}, next_look_{};
};

}  // namespace tenter::hw
