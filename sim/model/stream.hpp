// Byte streams between processes: TCP as its contract allows it to be. Bytes are cut and late as the choices say (boring: whole
// and prompt), in order and once in any case; what is not read stays in a bounded buffer, so a writer waits for its reader.
// Contract: docs/ports/stream.md.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/action.hpp"
#include "core/event.hpp"
#include "sim/model/stream_link.hpp"

namespace tenter::sim {

class World;

class StreamsModel {
 public:
  explicit StreamsModel(World& world) : world_(world) {}

  // Bytes that a reader's system holds before the writer waits. Not called: chosen, once a run.
  void window(std::uint64_t bytes) { window_ = bytes; }

  void perform(Process& p, Role role, const action::Listen& a);
  void perform(Process& p, Role role, const action::Accept& a);
  void perform(Process& p, Role role, const action::CloseListener& a);
  void perform(Process& p, Role role, const action::Connect& a);
  void perform(Process& p, Role role, const action::ReadStream& a);
  void perform(Process& p, Role role, const action::WriteStream& a);
  void perform(Process& p, Role role, const action::FinishStream& a);
  void perform(Process& p, Role role, const action::CloseStream& a);

  void step(std::uint64_t link, std::uint64_t what);            // from the queue
  bool take(ProcessIndex process, Role role, Op op);            // true once, while that answer is still wanted
  bool take_listening(ProcessIndex process, Role role, Op op);  // the same of Listening
  void process_ended(ProcessIndex process);

  // For properties and people.
  struct Counts {               // of bytes
    std::uint64_t written = 0;  // accepted from a machine
    std::uint64_t read = 0;     // answered to one
    std::uint64_t dropped = 0;  // by a close, a reset or a death
    std::uint64_t under_way = 0;
    friend bool operator==(const Counts&, const Counts&) = default;
  };
  Counts counts() const;  // written = read + dropped + under_way
  std::size_t open_streams(ProcessIndex process) const;
  std::size_t open_listeners(ProcessIndex process) const;
  std::string first_left(ProcessIndex process) const;  // of a process that is still there
  std::string waits() const;

 private:
  using Asker = stream::Asker;
  using Write = stream::Write;
  using Read = stream::Read;
  using Segment = stream::Segment;
  using Way = stream::Way;
  using End = stream::End;
  using Link = stream::Link;
  using Name = stream::Name;
  using Listening = stream::Listening;
  using Stage = stream::Stage;
  using Place = stream::Place;
  using OpKey = std::tuple<ProcessIndex, Role, Op>;
  struct Use {  // of an op, until its answer is delivered
    enum class Kind : std::uint8_t { listen, accept, connect, read, write } kind = Kind::read;
    bool answering = false;
    std::size_t of = 0;  // a listener of listen and accept, a link of the others
    std::size_t end = 0;
    std::optional<std::size_t> accepted;  // accept: the link
    bool refused = false;                 // connect, listen: its answer is not ok
  };

  void misuse(const Process& p, const std::string& text);
  bool begin(const Process& p, Role role, Op op, Use use);
  Use* open_use(ProcessIndex process, const Asker& asker);
  void answer(ProcessIndex process, const Asker& asker, Event event, Duration after = stream::hop);
  void forget_uses(std::size_t link, std::size_t end);
  Name* opened(const Process& p, Connection name, const char* verb);
  Listening* listener_of(const Process& p, Listener name);
  bool new_name(const Process& p, Connection name, Stage stage);

  // Opening (stream.cpp).
  SocketAddress with_free_port(const Process& p, SocketAddress address);
  bool taken(const Process& p, const SocketAddress& address) const;
  std::optional<std::size_t> listening_at(ProcessIndex from, const SocketAddress& address) const;
  void refuse(std::size_t link, Status status, const char* why, Duration after = stream::hop);
  void knock(std::size_t link);
  void admit(std::size_t listener, std::size_t link);
  void match(std::size_t listener);
  void stop_listening(std::size_t listener);
  void schedule(std::size_t link, std::uint64_t what, Duration after);

  // Bytes (stream_bytes.cpp).
  std::uint64_t window();
  std::uint64_t cut(ProcessIndex process, std::uint64_t bytes);
  void pump(std::size_t link, std::size_t way);
  bool send_bytes(std::size_t link, std::size_t way, const Blob& content, std::uint64_t from, std::uint64_t bytes);
  void transmit(std::size_t link, std::size_t way, Segment segment);
  void reset_both(std::size_t link);
  void send_reset(std::size_t link, std::size_t way);
  void arrive(std::size_t link, std::size_t way);
  void bytes_arrive(std::size_t link, std::size_t way, Blob content);
  void reset_arrives(std::size_t link, std::size_t way);
  void serve_reader(std::size_t link, std::size_t way);
  Blob take_bytes(Way& way, std::uint64_t bytes);
  void drop_unread(Way& way);
  void drop_unsent(Way& way);
  void close_end(std::size_t link, std::size_t end, bool abort);

  World& world_;
  std::optional<std::uint64_t> window_;
  std::vector<Link> links_;
  std::vector<Listening> listeners_;
  std::map<std::pair<ProcessIndex, Connection>, Name> names_;
  std::map<std::pair<ProcessIndex, Listener>, std::size_t> listener_names_;
  std::map<OpKey, Use> uses_;
  std::uint32_t ports_given_ = 0;
  Counts counts_;
};

}  // namespace tenter::sim
