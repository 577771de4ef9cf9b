// Peers of a Gate as a test has them: connections that come, say bytes and go, with the clock between. Keeps account of what is
// open, read and armed, and checks what the port forbids: a read twice, an act on a connection that is closed, two accepts.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/control/gate.hpp"

namespace tenter::control::kit {

inline const std::string token = "a-token-of-this-start-0123456789-abcdefghijk";  // 43 bytes would be drawn; any will do
inline const std::string address = "10.0.0.1:0";

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

struct Stream {
  bool open = true;      // by the gate's side
  bool aborted = false;  // closed with a reset
  std::uint64_t wants = 0;
  std::vector<Blob> written;
  std::set<Op> asked;  // of the writes
};

template <class M>
struct DoorOf {
  explicit DoorOf(std::uint32_t ranks = 3, GateConfig given = {}) : config(given), machine(given), world(ranks) {}

  template <class E>
  void deliver(const E& event) {
    Outbox out;
    machine.on(event, out);
    for (const Action& action : out.actions()) take(action);
  }
  void take(const Action& action) {
    actions.push_back(action);
    if (const auto* a = std::get_if<action::Arm>(&action)) timers[a->op] = a->when;
    if (const auto* a = std::get_if<action::Cancel>(&action)) timers.erase(a->op);
    if (const auto* a = std::get_if<action::Listen>(&action)) listens = std::string(a->address.text());
    if (std::holds_alternative<action::CloseListener>(action)) listens.reset(), accept.reset();
    if (const auto* a = std::get_if<action::Accept>(&action)) {
      EXPECT_FALSE(accept.has_value()) << "two accepts at a time";
      EXPECT_TRUE(names.insert(number(a->connection)).second) << "a name twice";
      accept = *a;
    }
    if (const auto* a = std::get_if<action::ReadStream>(&action)) {
      Stream& stream = streams.at(number(a->connection));
      EXPECT_TRUE(stream.open) << "a read of what is closed";
      EXPECT_EQ(stream.wants, 0u) << "two reads at a time";
      EXPECT_GT(a->limit, 0u);
      stream.wants = a->limit;
      reads[number(a->connection)] = a->op;
    }
    if (const auto* a = std::get_if<action::WriteStream>(&action)) {
      Stream& stream = streams.at(number(a->connection));
      EXPECT_TRUE(stream.open) << "a write to what is closed";
      stream.written.push_back(a->content);
      EXPECT_TRUE(stream.asked.insert(a->op).second) << "an operation that is open is used again";
      writes[number(a->connection)] = a->op;
    }
    if (const auto* a = std::get_if<action::CloseStream>(&action)) {
      Stream& stream = streams.at(number(a->connection));
      EXPECT_TRUE(stream.open) << "closed twice";
      stream.open = false;
      stream.aborted = a->abort;
    }
    if (const auto* a = std::get_if<action::Tell>(&action)) told.push_back(a->note);
    open_most = std::max(open_most, open());
  }

  GateOrder order(Duration patience = seconds(60)) const {
    GateOrder given{address, Hidden(token), patience, {}};
    for (std::uint32_t rank = 0; rank < world; ++rank) given.hosts.push_back("node-" + std::to_string(rank));
    return given;
  }
  void open_gate(Duration patience = seconds(60)) {
    deliver(event::Told{now, config.owner, gate_order_note(order(patience))});
    deliver(
        event::Listening{now, start_operation(GateOperation::listen), Status::ok, Blob(std::string_view("10.0.0.1:4711")), {}});
  }

  // A peer that is accepted: its connection; none while the gate takes nobody.
  std::optional<std::uint32_t> connect(std::string_view from = "10.0.0.9:1") {
    if (!accept) return std::nullopt;
    const action::Accept taken = *std::exchange(accept, std::nullopt);
    streams[number(taken.connection)] = {};
    deliver(event::Connected{now, taken.op, Status::ok, Blob(from), {}});
    return number(taken.connection);
  }
  // What a peer sends is read as the gate asks for it, in pieces of at most `piece` bytes. Bytes that it did not want are left.
  std::size_t send(std::uint32_t connection, std::string_view bytes, std::size_t piece = 1u << 20) {
    std::size_t sent = 0;
    while (sent < bytes.size() && is_open(connection) && streams[connection].wants > 0) {
      const std::size_t count = std::min({piece, bytes.size() - sent, std::size_t(streams[connection].wants)});
      streams[connection].wants = 0;
      deliver(event::StreamRead{now, reads[connection], Status::ok, Blob(bytes.substr(sent, count))});
      sent += count;
    }
    return sent;
  }
  void leave(std::uint32_t connection, Status status = Status::ok) {
    if (!is_open(connection) || streams[connection].wants == 0) return;
    streams[connection].wants = 0;
    deliver(event::StreamRead{now, reads[connection], status, {}});
  }
  void written(std::uint32_t connection, Status status = Status::ok) {
    deliver(event::StreamWritten{now, writes[connection], status});
  }
  static GateReport report(std::uint32_t rank, GateState state = GateState::ready, std::string_view error = {}) {
    GateReport given{Blob(std::string_view(token)), rank, state, std::string(error), {500 + rank, 7},
                     "node-" + std::to_string(rank)};
    given.version = frame_version;
    return given;
  }
  // Its connection; no_connection when nobody is accepted.
  std::uint32_t say(const GateReport& report, std::size_t piece = 1u << 20) {
    const auto connection = connect("10.0.1." + std::to_string(report.rank) + ":1");
    if (connection) send(*connection, write_gate_report(report).text(), piece);
    return connection.value_or(0);
  }
  void say_on(std::uint32_t connection, const GateReport& report) { send(connection, write_gate_report(report).text()); }

  // Lets time pass and fires what becomes due, earliest first.
  void pass(Duration duration) {
    const Time end = now + duration;
    for (int firings = 0;; ++firings) {
      if (firings > 10'000) {
        ADD_FAILURE() << "a timer is armed for ever anew";
        break;
      }
      auto due = timers.end();
      for (auto t = timers.begin(); t != timers.end(); ++t)
        if (t->second <= end && (due == timers.end() || t->second < due->second)) due = t;
      if (due == timers.end()) break;
      now = std::max(now, due->second);
      const Op op = due->first;
      timers.erase(due);
      deliver(event::TimerFired{now, op});
    }
    now = end;
  }

  bool is_open(std::uint32_t connection) const { return streams.contains(connection) && streams.at(connection).open; }
  std::size_t open() const {
    return static_cast<std::size_t>(std::count_if(streams.begin(), streams.end(), [](const auto& s) { return s.second.open; }));
  }
  std::size_t go_count(std::uint32_t connection) const {
    const auto found = streams.find(connection);
    return found == streams.end() ? 0 : found->second.written.size();
  }
  const Note* note(StartNote kind) const {
    for (const Note& one : told)
      if (is(one, kind)) return &one;
    return nullptr;
  }
  std::string failure() const {
    return note(StartNote::gate_failed) ? std::string(note(StartNote::gate_failed)->text.text()) : "";
  }
  bool passed() const { return note(StartNote::gate_passed) != nullptr; }

  GateConfig config;
  M machine;
  std::uint32_t world;
  Time now{-5'000'000'000};  // a clock begins anywhere
  std::vector<Action> actions;
  std::vector<Note> told;
  std::map<Op, Time> timers;
  std::map<std::uint32_t, Stream> streams;
  std::map<std::uint32_t, Op> reads, writes;
  std::set<std::uint32_t> names;
  std::optional<action::Accept> accept;
  std::optional<std::string> listens;
  std::size_t open_most = 0;
};
using Door = DoorOf<Gate>;

// All ranks report, are let go and say that they joined.
template <class M>
void let_all_join(DoorOf<M>& door) {
  std::vector<std::uint32_t> connections;
  for (std::uint32_t rank = 0; rank < door.world; ++rank) connections.push_back(door.say(door.report(rank)));
  for (std::uint32_t rank = 0; rank < door.world; ++rank) door.say_on(connections[rank], door.report(rank, GateState::joined));
}

}  // namespace tenter::control::kit
