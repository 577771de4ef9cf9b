// A gate and its ranks over streams that are cut anywhere, lose connections at any byte and have strangers among them: one run a
// seed. All ranks start MPI together or not at all, and once the faults end, all of them have joined.
#pragma once
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/control/gate.hpp"
#include "core/control/gate_client.hpp"
#include "gate_kit.hpp"

namespace tenter::control::kit {

struct Dice {
  std::uint64_t state;
  std::uint32_t below(std::uint32_t n) {
    std::uint64_t z = (state += 0x9E37'79B9'7F4A'7C15);
    z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9;
    z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EB;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) % n);
  }
};

// One direction of a stream, as its reader has it.
struct Half {
  std::string bytes;
  bool ended = false, reset = false;
  std::optional<action::ReadStream> read;
};
inline constexpr std::size_t gate_side = 99, stranger_side = 98;
struct Link {
  std::size_t caller = stranger_side;  // a rank
  std::uint32_t caller_connection = 0, gate_connection = 0;
  Half to_gate, to_caller;
};

template <class G, class C>
class WholeStart {
 public:
  WholeStart(std::uint32_t ranks, std::uint64_t seed)
      : gate_(GateConfig{}), clients_(ranks), dice_{seed}, rarely_(static_cast<std::uint32_t>(1 + seed % 16)) {
    GateOrder order{address, Hidden(token), seconds(60), std::vector<std::string>(ranks, "node")};
    deliver(gate_side, event::Told{now_, Role{0}, gate_order_note(order)});
    deliver(gate_side, event::Listening{now_, start_operation(GateOperation::listen), Status::ok, Blob("g:1"), {}});
  }

  // What went wrong; empty when all is well.
  std::string run(std::uint32_t steps) {
    for (std::uint32_t i = 0; i < steps && wrong_.empty(); ++i) step(true);
    for (std::uint32_t rank = 0; rank < clients_.size(); ++rank) check_in(rank);
    for (std::uint32_t i = 0; i < 20'000 && wrong_.empty() && !done(); ++i) step(false);
    if (wrong_.empty() && !done()) return "it did not come to its end";
    return wrong_;
  }

 private:
  bool done() const {
    for (const auto& told : ended_)
      if (!told) return false;
    return passed_;
  }

  template <class E>
  void deliver(std::size_t who, const E& event) {
    Outbox out;
    if (who == gate_side)
      gate_.on(event, out);
    else
      clients_[who].on(event, out);
    perform(who, out.actions());
  }
  void perform(std::size_t who, const std::vector<Action>& actions) {
    for (const Action& action : actions) std::visit([&](const auto& a) { take(who, a); }, action);
  }

  void take(std::size_t who, const action::Arm& a) { timers_[{who, a.op}] = a.when; }
  void take(std::size_t who, const action::Cancel& a) { timers_.erase({who, a.op}); }
  void take(std::size_t, const action::Listen&) { listens_ = true; }
  void take(std::size_t, const action::CloseListener&) {
    listens_ = false;
    accept_.reset();
  }
  void take(std::size_t, const action::Accept& a) { accept_ = a; }
  void take(std::size_t who, const action::Connect& a) { calls_.push_back({who, a}); }
  void take(std::size_t who, const action::ReadStream& a) {
    if (Link* const link = find(who, a.connection)) inward(who, *link).read = a;
  }
  void take(std::size_t who, const action::WriteStream& a) {
    Link* const link = find(who, a.connection);
    if (link == nullptr) return;
    if (!outward(who, *link).reset) outward(who, *link).bytes += a.content.text();
    writes_.push_back({who, a.connection, a.op});
  }
  void take(std::size_t who, const action::CloseStream& a) {
    std::erase_if(calls_, [&](const auto& call) { return call.first == who && call.second.connection == a.connection; });
    Link* const link = find(who, a.connection);
    if (link == nullptr) return;
    inward(who, *link).read.reset();
    outward(who, *link).ended = true;
    if (a.abort) outward(who, *link).reset = true;
  }
  void take(std::size_t who, const action::Tell& a) {
    if (who == gate_side && is(a.note, StartNote::gate_passed)) {
      passed_ = true;
      for (std::size_t rank = 0; rank < clients_.size(); ++rank)
        if (!joined_[rank]) wrong_ = "the gate passed, and rank " + std::to_string(rank) + " had not joined";
    }
    if (who == gate_side && is(a.note, StartNote::gate_failed)) wrong_ = std::string(a.note.text.text());
    if (is(a.note, StartNote::go)) {
      if (std::exchange(going_[who], true)) wrong_ = "a rank was told twice to start MPI";
      for (const auto& said : checked_in_)
        if (!said.second) wrong_ = "go, and rank " + std::to_string(said.first) + " was not ready";
      if (checked_in_.size() < clients_.size()) wrong_ = "go before all ranks were ready";
    }
    if (is(a.note, StartNote::checked_out)) {
      ended_[who] = true;
      // When the gate is over nobody is left to say that a last word was taken: one whose connection was lost with it tries in
      // vain.
      if (a.note.status != Status::ok && !passed_) wrong_ = std::string(a.note.text.text());
    }
  }
  template <class A>
  void take(std::size_t, const A&) {
    wrong_ = "an action that is no one's here";
  }

  Link* find(std::size_t who, Connection connection) {
    for (Link& link : links_)
      if (who == gate_side ? link.gate_connection == number(connection)
                           : link.caller == who && link.caller_connection == number(connection))
        return &link;
    return nullptr;
  }
  static Half& inward(std::size_t who, Link& link) { return who == gate_side ? link.to_gate : link.to_caller; }
  static Half& outward(std::size_t who, Link& link) { return who == gate_side ? link.to_caller : link.to_gate; }

  void check_in(std::uint32_t rank) {
    if (std::exchange(checked_in_[rank], true)) return;
    deliver(rank, event::Told{now_, Role{0}, check_in_note({"g:1", seconds(60), DoorOf<Gate>::report(rank)})});
  }

  void step(bool faults) {
    switch (dice_.below(faults ? 10 : 6)) {
      case 0:
        return accept_one();
      case 1:
      case 2:
        return read_one();
      case 3:
        return write_one();
      case 4:
        return join_one();
      case 5:
        return pass_time(faults);
      case 6:
        return check_in(dice_.below(static_cast<std::uint32_t>(clients_.size())));
      case 7:
        return lose_one();
      case 8:
        return refuse_one();
      default:
        return stranger();
    }
  }
  void accept_one() {
    if (calls_.empty()) return;
    const auto [who, call] = calls_.front();
    if (!listens_) {
      calls_.pop_front();
      return deliver(who, event::Connected{now_, call.op, Status::peer_lost, {}, {}});
    }
    if (!accept_) return;
    calls_.pop_front();
    const action::Accept taken = *std::exchange(accept_, std::nullopt);
    links_.push_back({who, number(call.connection), number(taken.connection), {}, {}});
    deliver(gate_side, event::Connected{now_, taken.op, Status::ok, Blob("r:1"), {}});
    deliver(who, event::Connected{now_, call.op, Status::ok, {}, {}});
  }
  void read_one() {
    if (links_.empty()) return;
    Link& link = links_[dice_.below(static_cast<std::uint32_t>(links_.size()))];
    const std::size_t who = dice_.below(2) == 0 ? gate_side : link.caller;
    Half& half = inward(who, link);
    if (!can_read(half)) return;
    const action::ReadStream read = *std::exchange(half.read, std::nullopt);
    if (half.reset) return deliver(who, event::StreamRead{now_, read.op, Status::peer_lost, {}});
    const std::size_t room = std::min<std::size_t>(read.limit, half.bytes.size());
    const std::size_t count = room == 0 ? 0 : 1 + dice_.below(static_cast<std::uint32_t>(room));
    const Blob content(std::string_view(half.bytes).substr(0, count));
    half.bytes.erase(0, count);
    deliver(who, event::StreamRead{now_, read.op, Status::ok, content});
  }
  void write_one() {
    if (writes_.empty()) return;
    const auto [who, connection, op] = writes_.front();
    writes_.pop_front();
    Link* const link = find(who, connection);
    if (link == nullptr || outward(who, *link).ended) return;  // closed by itself: never answered
    deliver(who, event::StreamWritten{now_, op, outward(who, *link).reset ? Status::peer_lost : Status::ok});
  }
  void join_one() {
    const std::uint32_t rank = dice_.below(static_cast<std::uint32_t>(clients_.size()));
    if (!going_[rank] || std::exchange(joined_[rank], true)) return;
    deliver(rank, event::Told{now_, Role{0}, start_note(StartNote::joined)});
  }
  static bool can_read(const Half& half) { return half.read && (!half.bytes.empty() || half.ended || half.reset); }
  bool moves() const {
    if (!writes_.empty() || (!calls_.empty() && (accept_ || !listens_))) return true;
    for (std::size_t rank = 0; rank < clients_.size(); ++rank)
      if (going_[rank] && !joined_[rank]) return true;
    for (const Link& link : links_)
      if (can_read(link.to_gate) || can_read(link.to_caller)) return true;
    return false;
  }
  // Without faults timers are due when nothing else moves; faults take five seconds in all.
  void pass_time(bool faults) {
    if (!faults && moves()) return;
    auto due = timers_.end();
    for (auto t = timers_.begin(); t != timers_.end(); ++t)
      if (due == timers_.end() || t->second < due->second) due = t;
    if (due == timers_.end() || due->second > Time{0} + seconds(faults ? 5 : passed_ ? 60 : 25)) return;
    now_ = std::max(now_, due->second);
    const auto [who, op] = due->first;
    timers_.erase(due);
    deliver(who, event::TimerFired{now_, op});
  }
  void lose_one() {
    std::erase_if(links_, [](const Link& link) { return link.to_gate.ended && link.to_caller.ended; });
    if (links_.empty() || dice_.below(rarely_) != 0) return;
    Link& link = links_[dice_.below(static_cast<std::uint32_t>(links_.size()))];
    link.to_gate.reset = link.to_caller.reset = true;
  }
  void refuse_one() {
    if (calls_.empty() || dice_.below(rarely_) != 0) return;
    const auto [who, call] = calls_.front();
    calls_.pop_front();
    deliver(who, event::Connected{now_, call.op, Status::peer_lost, {}, {}});
  }
  void stranger() {
    if (!accept_ || dice_.below(3) != 0) return;
    const action::Accept taken = *std::exchange(accept_, std::nullopt);
    Link link{stranger_side, 0, number(taken.connection), {}, {}};
    const std::string good(write_gate_report(DoorOf<Gate>::report(0)).text());
    const std::array<std::string, 4> said{"", "GET / HTTP/1.1", good.substr(0, 20), std::string("\0\0\0\x02{}", 6)};
    link.to_gate.bytes = said[dice_.below(4)];
    link.to_gate.ended = dice_.below(2) == 0;
    links_.push_back(std::move(link));
    deliver(gate_side, event::Connected{now_, taken.op, Status::ok, Blob("s:1"), {}});
  }

  G gate_;
  std::vector<C> clients_;
  Dice dice_;
  std::uint32_t rarely_;  // losses and refusals: as rare as this
  Time now_{0};
  std::map<std::pair<std::size_t, Op>, Time> timers_;
  std::deque<std::pair<std::size_t, action::Connect>> calls_;
  struct Write {
    std::size_t who;
    Connection connection;
    Op op;
  };
  std::deque<Write> writes_;
  std::vector<Link> links_;
  std::optional<action::Accept> accept_;
  bool listens_ = false, passed_ = false;
  std::map<std::size_t, bool> checked_in_;
  std::array<bool, 8> going_{}, joined_{};
  std::vector<bool> ended_ = std::vector<bool>(clients_.size(), false);
  std::string wrong_;
};

// The first of so many seeds that goes wrong.
template <class G, class C>
std::string whole_starts(std::uint64_t seeds) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    WholeStart<G, C> start(1 + static_cast<std::uint32_t>(seed % 4), seed);
    const std::string wrong = start.run(static_cast<std::uint32_t>(20 + seed % 597));
    if (!wrong.empty()) return "seed " + std::to_string(seed) + ": " + wrong;
  }
  return {};
}

}  // namespace tenter::control::kit
