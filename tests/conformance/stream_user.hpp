// Who uses Stream in a conformance case: listens, connects, writes, reads, and takes the answers that must come.
#pragma once
#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/action.hpp"
#include "core/socket_address.hpp"
#include "tests/conformance/suite.hpp"

namespace tenter::conformance {

// Two processes with a Stream port each. perform: it asks. next: its next event, awaited for seconds; none if none came. soon:
// the same, within a moment. settle: until everything has come as far as it comes by itself. stop, resume, end: of a process.
// any_port: an address of this host with port 0. elsewhere: the same port on another of its addresses. left: what the ports still
// hold, "" for nothing, once all is closed.
template <class F>
concept StreamFixture = std::default_initializable<F> &&
    requires(F& fixture, std::size_t process, Action action, std::uint16_t port) {
  fixture.perform(process, action);
  { fixture.next(process) } -> std::same_as<std::optional<Event>>;
  { fixture.soon(process) } -> std::same_as<std::optional<Event>>;
  fixture.settle();
  fixture.stop(process);
  fixture.resume(process);
  fixture.end(process);
  { fixture.any_port() } -> std::same_as<Blob>;
  { fixture.elsewhere(port) } -> std::same_as<Blob>;
  { fixture.left() } -> std::same_as<std::string>;
};

// Any such world: that of the last `of<F>()`.
class AnyStreams {
 public:
  template <StreamFixture F>
  static void of() {
    make() = [] { return std::unique_ptr<World>(std::make_unique<WorldOf<F>>()); };
  }
  AnyStreams() : world_(make()()) {}
  void perform(std::size_t process, Action action) { world_->perform(process, std::move(action)); }
  std::optional<Event> next(std::size_t process) { return world_->next(process); }
  std::optional<Event> soon(std::size_t process) { return world_->soon(process); }
  void settle() { world_->settle(); }
  void stop(std::size_t process) { world_->stop(process); }
  void resume(std::size_t process) { world_->resume(process); }
  void end(std::size_t process) { world_->end(process); }
  Blob any_port() { return world_->any_port(); }
  Blob elsewhere(std::uint16_t port) { return world_->elsewhere(port); }
  std::string left() { return world_->left(); }

 private:
  struct World {
    virtual ~World() = default;
    virtual void perform(std::size_t process, Action action) = 0;
    virtual std::optional<Event> next(std::size_t process) = 0;
    virtual std::optional<Event> soon(std::size_t process) = 0;
    virtual void settle() = 0;
    virtual void stop(std::size_t process) = 0;
    virtual void resume(std::size_t process) = 0;
    virtual void end(std::size_t process) = 0;
    virtual Blob any_port() = 0;
    virtual Blob elsewhere(std::uint16_t port) = 0;
    virtual std::string left() = 0;
  };
  template <class F>
  struct WorldOf final : World {
    void perform(std::size_t process, Action action) override { world.perform(process, std::move(action)); }
    std::optional<Event> next(std::size_t process) override { return world.next(process); }
    std::optional<Event> soon(std::size_t process) override { return world.soon(process); }
    void settle() override { world.settle(); }
    void stop(std::size_t process) override { world.stop(process); }
    void resume(std::size_t process) override { world.resume(process); }
    void end(std::size_t process) override { world.end(process); }
    Blob any_port() override { return world.any_port(); }
    Blob elsewhere(std::uint16_t port) override { return world.elsewhere(port); }
    std::string left() override { return world.left(); }
    F world;
  };
  static std::unique_ptr<World> (*&make())() {
    static std::unique_ptr<World> (*chosen)() = nullptr;
    return chosen;
  }
  std::unique_ptr<World> world_;
};

// Content that tells streams and places apart, byte by byte.
inline Blob stream_content(std::uint64_t which, std::size_t bytes) {
  return Blob(bytes, [&](MutableBytes to) {
    std::uint64_t state = 0xD1342543DE82EF95ull * (which + 1);
    for (std::byte& byte : to) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      byte = static_cast<std::byte>(state >> 56);
    }
  });
}
inline Blob joined(const std::vector<Blob>& parts) {
  std::vector<std::byte> all;
  for (const Blob& part : parts) all.insert(all.end(), part.bytes().begin(), part.bytes().end());
  return Blob(Bytes(all));
}

template <StreamFixture Fixture>
class StreamUser {
 protected:
  static constexpr std::size_t server = 0, client = 1;
  struct Stand {  // a listener of the server
    Listener name{};
    Blob address;
  };
  struct Pair {  // a connection, by its names at both sides
    Connection served{}, mine{};
    Connection of(std::size_t process) const { return process == server ? served : mine; }
  };
  struct Ended {  // how a stream ended, and what came before
    Status status = Status::failed;
    Blob content;
  };

  Op next_op() { return Op{++ops_}; }
  Connection next_connection() { return Connection{++connections_}; }
  template <class A>
  void perform(std::size_t process, A action) {
    world.perform(process, Action(std::move(action)));
  }

  std::optional<event::Listening> try_listen(std::size_t process, Listener name, Blob address, std::uint32_t backlog = 8) {
    const Op op = next_op();
    perform(process, action::Listen{op, name, std::move(address), backlog});
    return answer<event::Listening>(process, op);
  }
  Stand listen(std::uint32_t backlog = 8) {
    const Listener name{++listeners_};
    const auto listening = try_listen(server, name, world.any_port(), backlog);
    if (!listening) return {name, {}};
    EXPECT_EQ(listening->status, Status::ok) << listening->text.text();
    return {name, listening->address};
  }
  std::uint16_t port_of(const Blob& address) {
    const auto parsed = socket_address_of(address.text());
    EXPECT_TRUE(parsed.has_value()) << "no address: \"" << address.text() << "\"";
    return parsed ? parsed->port : std::uint16_t{0};
  }
  std::pair<Op, Connection> start_connect(const Blob& address) {
    const std::pair<Op, Connection> started{next_op(), next_connection()};
    perform(client, action::Connect{started.first, started.second, address});
    return started;
  }
  std::pair<Op, Connection> start_accept(Listener listener) {
    const std::pair<Op, Connection> started{next_op(), next_connection()};
    perform(server, action::Accept{started.first, listener, started.second});
    return started;
  }
  Connection connect(const Stand& stand) {
    const auto [op, connection] = start_connect(stand.address);
    expect_connected(client, op);
    return connection;
  }
  Connection accept(const Stand& stand) {
    const auto [op, connection] = start_accept(stand.name);
    expect_connected(server, op);
    return connection;
  }
  Blob expect_connected(std::size_t process, Op op) {
    const auto connected = answer<event::Connected>(process, op);
    if (!connected) return {};
    EXPECT_EQ(connected->status, Status::ok) << connected->text.text();
    return connected->peer;
  }
  Pair pair_at(const Stand& stand) {
    const Connection mine = connect(stand);
    return {accept(stand), mine};
  }
  Pair pair() { return pair_at(listen()); }

  Op write(std::size_t process, const Pair& pair, Blob content) {
    const Op op = next_op();
    perform(process, action::WriteStream{op, pair.of(process), std::move(content)});
    return op;
  }
  Op read(std::size_t process, const Pair& pair, std::uint64_t limit = 1u << 20) {
    std::optional<Op>& open = reads_[{process, pair.of(process)}];
    EXPECT_FALSE(open.has_value()) << "the read before it is not answered";
    if (open) return *open;  // a second one would be an error of ours
    open = next_op();
    perform(process, action::ReadStream{*open, pair.of(process), limit});
    return *open;
  }
  void finish(std::size_t process, const Pair& pair) { perform(process, action::FinishStream{pair.of(process)}); }
  void close(std::size_t process, const Pair& pair, bool abort = false) {
    perform(process, action::CloseStream{pair.of(process), abort});
  }
  void expect_written(std::size_t process, Op op, Status status = Status::ok) {
    expect_status(answer<event::StreamWritten>(process, op), status);
  }
  template <class E>  // of an answer that came; that none did was told already
  void expect_status(const std::optional<E>& answer, Status status, std::string_view about = {}) {
    EXPECT_EQ(answer ? answer->status : status, status) << about;
  }
  void expect_read(std::size_t process, Op op, const Blob& content) {
    const auto read = answer<event::StreamRead>(process, op);
    expect_status(read, Status::ok);
    EXPECT_TRUE(!read || read->content == content) << read->content.size() << " bytes, not those " << content.size();
  }
  // So many bytes, however they come; each read no longer than its limit.
  Blob read_bytes(std::size_t process, const Pair& pair, std::size_t bytes, std::uint64_t limit = 1u << 20) {
    std::vector<Blob> parts;
    for (std::size_t have = 0; have < bytes;) {
      const std::uint64_t most = std::min<std::uint64_t>(limit, bytes - have);
      const auto part = answer<event::StreamRead>(process, read(process, pair, most));
      if (!part) break;
      EXPECT_EQ(part->status, Status::ok);
      EXPECT_LE(part->content.size(), most);
      EXPECT_FALSE(part->content.empty()) << "an end after " << have << " bytes of " << bytes;
      if (part->content.empty()) break;
      have += part->content.size();
      parts.push_back(part->content);
    }
    return joined(parts);
  }
  void expect_bytes(std::size_t process, const Pair& pair, const Blob& content, std::uint64_t limit = 1u << 20) {
    const Blob came = read_bytes(process, pair, content.size(), limit);
    EXPECT_TRUE(came == content) << came.size() << " bytes came, not those " << content.size();
  }
  Ended read_to_end(std::size_t process, const Pair& pair) {
    std::vector<Blob> parts;
    while (true) {
      const auto part = answer<event::StreamRead>(process, read(process, pair));
      if (!part) return {Status::failed, joined(parts)};
      if (part->status != Status::ok || part->content.empty()) return {part->status, joined(parts)};
      parts.push_back(part->content);
    }
  }
  void expect_end(std::size_t process, const Pair& pair) {
    const Ended ended = read_to_end(process, pair);
    EXPECT_EQ(ended.status, Status::ok);
    EXPECT_EQ(ended.content.size(), 0u) << "bytes before the end that nobody wrote";
  }

  // Nothing comes but what was awaited.
  void expect_quiet(std::size_t process) {
    std::deque<Event>& early = early_[process];
    while (std::optional<Event> event = world.soon(process)) early.push_back(std::move(*event));
    for (const Event& event : early) ADD_FAILURE() << "process " << process << ": came unasked: " << text_of(event);
    early.clear();
  }
  void expect_quiet() {
    expect_quiet(server);
    expect_quiet(client);
  }
  // Whether the answer to that op is there within a moment; it is left to be taken.
  bool is_answered(std::size_t process, Op op) {
    std::deque<Event>& early = early_[process];
    while (std::optional<Event> event = world.soon(process)) early.push_back(std::move(*event));
    for (const Event& event : early)
      if (op_of(event) == op) return true;
    return false;
  }
  // The answer to that op; what comes before it is kept.
  template <class E>
  std::optional<E> answer(std::size_t process, Op op) {
    std::deque<Event>& early = early_[process];
    for (std::size_t i = 0;; ++i) {
      if (i == early.size()) {
        std::optional<Event> event = world.next(process);
        if (!event) break;
        early.push_back(std::move(*event));
      }
      const auto* found = std::get_if<E>(&early[i]);
      if (!found || found->op != op) continue;
      E taken = *found;
      if constexpr (std::is_same_v<E, event::StreamRead>)
        std::erase_if(reads_, [&](const auto& one) { return one.second == op; });
      early.erase(early.begin() + static_cast<std::ptrdiff_t>(i));
      return taken;
    }
    ADD_FAILURE() << "process " << process << ": no " << E::name << " for op " << number(op);
    return std::nullopt;
  }
  static std::optional<Op> op_of(const Event& event) {
    return std::visit(
        [](const auto& e) -> std::optional<Op> {
          if constexpr (requires { e.op; })
            return e.op;
          else
            return std::nullopt;
        },
        event);
  }

  Fixture world;
  std::uint64_t ops_ = 0;
  std::map<std::pair<std::size_t, Connection>, std::optional<Op>> reads_;  // not answered
  std::uint32_t connections_ = 0, listeners_ = 0;
  std::array<std::deque<Event>, 2> early_;  // came before the answer that was awaited
};

}  // namespace tenter::conformance
