// Streams with one bug each, which the cases of stream.hpp and stream_ends.hpp must find: stream_bugs.hpp.
#pragma once
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "tests/conformance/stream.hpp"
#include "tests/conformance/stream_ends.hpp"

namespace tenter::conformance {

// A world whose actions and events go through a bug. tell: false, and the event is not delivered.
template <StreamFixture Fixture>
struct TamperedStreams : Fixture {
  virtual ~TamperedStreams() = default;
  virtual void ask(std::size_t process, Action action) { Fixture::perform(process, std::move(action)); }
  virtual bool tell(std::size_t, Event&) { return true; }

  void perform(std::size_t process, Action action) { ask(process, std::move(action)); }
  std::optional<Event> next(std::size_t process) {
    return pass(process, [&] { return Fixture::next(process); });
  }
  std::optional<Event> soon(std::size_t process) {
    return pass(process, [&] { return Fixture::soon(process); });
  }

 protected:
  std::array<std::deque<Event>, 2> made_up;

 private:
  template <class Read>
  std::optional<Event> pass(std::size_t process, Read&& read) {
    while (true) {
      std::deque<Event>& mine = made_up[process];
      if (!mine.empty()) {
        Event event = std::move(mine.front());
        mine.pop_front();
        return event;
      }
      std::optional<Event> event = read();
      if (!event || tell(process, *event)) return event;
    }
  }
};

// Changes answers of one kind.
template <StreamFixture Fixture, class Answer, void (*Change)(Answer&)>
struct ChangesAnswers : TamperedStreams<Fixture> {
  bool tell(std::size_t, Event& event) override {
    if (auto* answer = std::get_if<Answer>(&event)) Change(*answer);
    return true;
  }
};
inline void loses_a_byte(event::StreamRead& e) {
  if (e.content.size() > 1) e.content = Blob(e.content.bytes().first(e.content.size() - 1));
}
inline void doubles_a_byte(event::StreamRead& e) {
  if (e.content.size() > 1) e.content = joined({e.content, Blob(e.content.bytes().last(1))});
}
inline void changes_a_byte(event::StreamRead& e) {
  e.content = Blob(e.content.size(), [&](MutableBytes to) {
    std::memcpy(to.data(), e.content.bytes().data(), to.size());
    to[to.size() / 2] ^= std::byte{1};
  });
}
inline void reset_is_an_end(event::StreamRead& e) { e.status = Status::ok; }
inline void end_is_a_reset(event::StreamRead& e) {
  if (e.content.empty()) e.status = Status::peer_lost;
}
inline void lost_is_ok(event::StreamWritten& e) { e.status = Status::ok; }
inline void refused_is_ok(event::Connected& e) {
  if (e.status == Status::peer_lost) e.status = Status::ok;
}
inline void peer_is_unnamed(event::Connected& e) { e.peer = Blob(); }
inline void invalid_is_failed(event::Connected& e) {
  if (e.status == Status::invalid) e.status = Status::failed;
}
inline void port_is_untold(event::Listening& e) {
  if (e.status == Status::ok) e.address = Blob("127.0.0.1:0");
}
inline void taken_is_failed(event::Listening& e) {
  if (e.status == Status::exists) e.status = Status::failed;
}

// Changes what is asked for.
template <StreamFixture Fixture, void (*Change)(Action&)>
struct ChangesRequests : TamperedStreams<Fixture> {
  void ask(std::size_t process, Action action) override {
    Change(action);
    Fixture::perform(process, std::move(action));
  }
};
inline void on_every_address(Action& action) {
  auto* listen = std::get_if<action::Listen>(&action);
  if (listen && listen->address.text() == "127.0.0.1:0") listen->address = Blob("0.0.0.0:0");
}
inline void beyond_the_limit(Action& action) {
  if (auto* read = std::get_if<action::ReadStream>(&action)) read->limit += 1;
}
inline void always_abort(Action& action) {
  if (auto* close = std::get_if<action::CloseStream>(&action)) close->abort = true;
}
inline void never_abort(Action& action) {
  if (auto* close = std::get_if<action::CloseStream>(&action)) close->abort = false;
}

template <StreamFixture Fixture, class Ignored>
struct IgnoresRequests : TamperedStreams<Fixture> {
  void ask(std::size_t process, Action action) override {
    if (!std::holds_alternative<Ignored>(action)) Fixture::perform(process, std::move(action));
  }
};

// Every second write on a connection goes before the first.
template <StreamFixture Fixture>
struct ReordersWrites : TamperedStreams<Fixture> {
  void ask(std::size_t process, Action action) override {
    const auto* write = std::get_if<action::WriteStream>(&action);
    if (write && !held && ++writes % 2 == 1 && writes < 60) {
      held = *write;
      return;
    }
    Fixture::perform(process, std::move(action));
    if (held) Fixture::perform(process, *std::exchange(held, std::nullopt));
  }
  std::optional<action::WriteStream> held;
  std::size_t writes = 0;
};

// The end overtakes what was written, which is lost.
template <StreamFixture Fixture>
struct EndsEarly : TamperedStreams<Fixture> {
  void ask(std::size_t process, Action action) override {
    const auto* write = std::get_if<action::WriteStream>(&action);
    if (!write || write->content.size() < 1'000'000) return Fixture::perform(process, std::move(action));
    this->made_up[process].push_back(event::StreamWritten{Time{}, write->op, Status::ok});
  }
};

// What the first connection of a process is asked for, all of them are.
template <StreamFixture Fixture>
struct MixesConnections : TamperedStreams<Fixture> {
  void ask(std::size_t process, Action action) override {
    if (auto* write = std::get_if<action::WriteStream>(&action)) {
      if (!first[process]) first[process] = write->connection;
      write->connection = *first[process];
    }
    Fixture::perform(process, std::move(action));
  }
  std::array<std::optional<Connection>, 2> first;
};

// Says that a connect is done before anybody has answered it.
template <StreamFixture Fixture>
struct ConnectsAtOnce : TamperedStreams<Fixture> {
  void ask(std::size_t process, Action action) override {
    if (const auto* connect = std::get_if<action::Connect>(&action)) {
      this->made_up[process].push_back(event::Connected{Time{}, connect->op, Status::ok, connect->address, {}});
      ours.insert(connect->op);
    }
    Fixture::perform(process, std::move(action));
  }
  bool tell(std::size_t, Event& event) override {
    const auto* connected = std::get_if<event::Connected>(&event);
    return !connected || !ours.contains(connected->op);
  }
  std::set<Op> ours;
};

// Goes on to accept after the accept that was asked for, and answers that one again.
template <StreamFixture Fixture>
struct AcceptsOnAndOn : TamperedStreams<Fixture> {
  void ask(std::size_t process, Action action) override {
    if (const auto* accept = std::get_if<action::Accept>(&action)) last = *accept;
    Fixture::perform(process, std::move(action));
  }
  bool tell(std::size_t process, Event& event) override {
    auto* connected = std::get_if<event::Connected>(&event);
    if (!connected || !last) return true;
    const bool of_accept = connected->op == last->op || number(connected->op) >= own;
    if (!of_accept || connected->status != Status::ok) return true;
    connected->op = last->op;
    if (more++ == 0)
      Fixture::perform(process,
                       action::Accept{Op{own + more}, last->listener, Connection{900'000u + static_cast<std::uint32_t>(more)}});
    return true;
  }
  static constexpr std::uint64_t own = std::uint64_t{1} << 40;
  std::uint64_t more = 0;
  std::optional<action::Accept> last;
};

// Answers a read when its limit is reached.
template <StreamFixture Fixture>
struct ReadsAllOrNothing : TamperedStreams<Fixture> {
  void ask(std::size_t process, Action action) override {
    if (const auto* read = std::get_if<action::ReadStream>(&action)) reads[read->op] = *read;
    Fixture::perform(process, std::move(action));
  }
  bool tell(std::size_t process, Event& event) override {
    auto* read = std::get_if<event::StreamRead>(&event);
    if (!read || read->content.empty()) return true;
    action::ReadStream& asked = reads[read->op];
    std::vector<Blob>& had = parts[read->op];
    had.push_back(read->content);
    asked.limit -= read->content.size();
    if (asked.limit > 0) {
      Fixture::perform(process, asked);
      return false;
    }
    read->content = joined(had);
    return true;
  }
  std::map<Op, action::ReadStream> reads;
  std::map<Op, std::vector<Blob>> parts;
};

template <StreamFixture Fixture, class Answer>
struct AnswersTwiceOnce : TamperedStreams<Fixture> {
  bool tell(std::size_t process, Event& event) override {
    if (std::holds_alternative<Answer>(event) && !std::exchange(done, true)) this->made_up[process].push_back(event);
    return true;
  }
  bool done = false;
};

// Keeps in itself what nobody reads: a write is done at once.
template <StreamFixture Fixture>
struct WritesAtOnce : TamperedStreams<Fixture> {
  void ask(std::size_t process, Action action) override {
    if (const auto* write = std::get_if<action::WriteStream>(&action))
      this->made_up[process].push_back(event::StreamWritten{Time{}, write->op, Status::ok});
    Fixture::perform(process, std::move(action));
  }
  bool tell(std::size_t, Event& event) override { return !std::holds_alternative<event::StreamWritten>(event); }
};

// A write that waits for room waits for ever when none comes.
template <StreamFixture Fixture>
struct KeepsWaiting : TamperedStreams<Fixture> {
  bool tell(std::size_t, Event& event) override {
    const auto* written = std::get_if<event::StreamWritten>(&event);
    return !written || written->status == Status::ok;
  }
};

// Takes a write of nothing for an end.
template <StreamFixture Fixture>
struct EndsByNothing : TamperedStreams<Fixture> {
  void ask(std::size_t process, Action action) override {
    const auto* write = std::get_if<action::WriteStream>(&action);
    if (write && write->content.empty()) ended = true;
    const auto* read = std::get_if<action::ReadStream>(&action);
    if (ended && read) this->made_up[process].push_back(event::StreamRead{Time{}, read->op, Status::ok, {}});
    if (!ended || !read) Fixture::perform(process, std::move(action));
  }
  bool ended = false;
};

// Who has finished hears nothing any more but an end.
template <StreamFixture Fixture>
struct FinishesBothWays : TamperedStreams<Fixture> {
  void ask(std::size_t process, Action action) override {
    if (const auto* finish = std::get_if<action::FinishStream>(&action)) finished.insert({process, finish->connection});
    const auto* read = std::get_if<action::ReadStream>(&action);
    if (!read || !finished.contains({process, read->connection})) return Fixture::perform(process, std::move(action));
    this->made_up[process].push_back(event::StreamRead{Time{}, read->op, Status::ok, {}});
  }
  std::set<std::pair<std::size_t, Connection>> finished;
};

// An end is told to one read.
template <StreamFixture Fixture>
struct EndsOnce : TamperedStreams<Fixture> {
  bool tell(std::size_t, Event& event) override {
    const auto* read = std::get_if<event::StreamRead>(&event);
    return !read || !read->content.empty() || !std::exchange(told, true);
  }
  bool told = false;
};

// A listener takes with it whom it accepted.
template <StreamFixture Fixture>
struct ListenerTakesAll : TamperedStreams<Fixture> {
  void ask(std::size_t process, Action action) override {
    if (const auto* accept = std::get_if<action::Accept>(&action)) accepted.push_back(accept->connection);
    if (std::holds_alternative<action::CloseListener>(action))
      for (const Connection one : accepted) {
        Fixture::perform(process, action::CloseStream{one, true});
        gone.insert(one);
      }
    const auto* read = std::get_if<action::ReadStream>(&action);
    const auto* write = std::get_if<action::WriteStream>(&action);
    if (process == 0 && ((read && gone.contains(read->connection)) || (write && gone.contains(write->connection)))) return;
    Fixture::perform(process, std::move(action));
  }
  std::vector<Connection> accepted;
  std::set<Connection> gone;
};

// A close closes the other connections of the process too.
template <StreamFixture Fixture>
struct ClosesAll : TamperedStreams<Fixture> {
  bool tell(std::size_t, Event& event) override { return !closed || !std::holds_alternative<event::StreamRead>(event); }
  void ask(std::size_t process, Action action) override {
    closed = closed || std::holds_alternative<action::CloseStream>(action);
    Fixture::perform(process, std::move(action));
  }
  bool closed = false;
};

// What is closed stays open, and is only not told of.
template <StreamFixture Fixture>
struct KeepsConnections : TamperedStreams<Fixture> {
  void ask(std::size_t process, Action action) override {
    if (!std::holds_alternative<action::CloseStream>(action)) return Fixture::perform(process, std::move(action));
    silent.insert(process);
  }
  bool tell(std::size_t process, Event&) override { return !silent.contains(process); }
  std::set<std::size_t> silent;
};

// A process that is gone leaves its connections to nobody.
template <StreamFixture Fixture>
struct OutlivesProcesses : TamperedStreams<Fixture> {
  void end(std::size_t) {}
};

// Whoever is stopped loses what is sent to it.
template <StreamFixture Fixture>
struct ForgetsTheStopped : TamperedStreams<Fixture> {
  void stop(std::size_t process) {
    stopped = true;
    Fixture::stop(process);
  }
  void resume(std::size_t process) {
    stopped = false;
    Fixture::resume(process);
  }
  void ask(std::size_t process, Action action) override {
    const auto* write = std::get_if<action::WriteStream>(&action);
    if (!stopped || !write) return Fixture::perform(process, std::move(action));
    this->made_up[process].push_back(event::StreamWritten{Time{}, write->op, Status::ok});
  }
  bool stopped = false;
};

}  // namespace tenter::conformance
