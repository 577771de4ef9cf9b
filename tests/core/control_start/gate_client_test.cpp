// A rank's side of the gate: what it says, when it comes again, and what it believes. B4.5, P-C4, P-X10.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/control/gate_client.hpp"
#include "gate_kit.hpp"

namespace tenter::control {
namespace gate_client_test {
namespace {

using kit::contains;
using kit::token;
using Kind = GateClientOperation;

struct Caller {
  template <class E>
  void deliver(const E& event) {
    Outbox out;
    machine.on(event, out);
    for (const Action& action : out.actions()) {
      if (const auto* a = std::get_if<action::Arm>(&action)) timers[a->op] = a->when;
      if (const auto* a = std::get_if<action::Cancel>(&action)) timers.erase(a->op);
      if (const auto* a = std::get_if<action::Connect>(&action)) {
        EXPECT_FALSE(open) << "one connection at a time";
        connection = number(a->connection);
        open = true;
        reading = false;
        ++connects;
      }
      if (const auto* a = std::get_if<action::CloseStream>(&action)) {
        EXPECT_TRUE(open);
        EXPECT_EQ(number(a->connection), connection);
        open = false;
      }
      if (const auto* a = std::get_if<action::WriteStream>(&action)) {
        said.push_back(std::string(a->content.text().substr(4)));
        EXPECT_TRUE(writes.emplace(connection, a->op).second) << "an operation that is open is used again";
      }
      if (const auto* a = std::get_if<action::ReadStream>(&action)) {
        EXPECT_FALSE(reading);
        reading = true;
        limit = a->limit;
      }
      if (const auto* a = std::get_if<action::Tell>(&action)) told.push_back(a->note);
    }
  }
  Op op(Kind kind) const { return start_operation(kind, connection); }
  void check_in(GateState state = GateState::ready, std::string_view error = {}, Duration patience = seconds(10)) {
    CheckIn order{"10.0.0.1:4711", patience, kit::Door::report(2, state, error)};
    deliver(event::Told{now, Role{0}, check_in_note(order)});
  }
  void connected(Status status = Status::ok) {
    if (status != Status::ok) open = false;
    deliver(event::Connected{now, op(Kind::connect), status, {}, Blob(std::string_view(status == Status::ok ? "" : "refused"))});
  }
  void reads(std::string_view bytes, std::size_t piece = 1u << 20) {
    while (!bytes.empty() && open && reading) {
      const std::size_t count = std::min({piece, bytes.size(), std::size_t(limit)});
      reading = false;
      deliver(event::StreamRead{now, op(Kind::read), Status::ok, Blob(bytes.substr(0, count))});
      bytes.remove_prefix(count);
    }
  }
  void ends(Status status = Status::ok) {
    ASSERT_TRUE(reading);
    reading = false;
    deliver(event::StreamRead{now, op(Kind::read), status, {}});
  }
  void joined() { deliver(event::Told{now, Role{0}, start_note(StartNote::joined)}); }
  void pass(Duration duration) {
    const Time end = now + duration;
    for (;;) {
      auto due = timers.end();
      for (auto t = timers.begin(); t != timers.end(); ++t)
        if (t->second <= end && (due == timers.end() || t->second < due->second)) due = t;
      if (due == timers.end()) break;
      now = std::max(now, due->second);
      const Op fired = due->first;
      timers.erase(due);
      deliver(event::TimerFired{now, fired});
      if (refusing && machine.step() == GateClientStep::connecting) connected(Status::peer_lost);
    }
    now = end;
  }
  bool was_told(StartNote kind) const {
    for (const Note& note : told)
      if (is(note, kind)) return true;
    return false;
  }

  GateClient machine;
  Time now{-1'000'000'000};
  std::map<Op, Time> timers;
  std::vector<Note> told;
  std::vector<std::string> said;
  std::set<std::pair<std::uint32_t, Op>> writes;  // none of them was ever answered
  bool open = false, reading = false, refusing = false;
  std::uint64_t limit = 0;
  std::uint32_t connection = 0, connects = 0;
};

std::string go(std::string_view with = token) { return std::string(write_gate_go(with).text()); }

TEST(GateClient, says_that_it_is_ready_waits_for_go_and_says_that_it_joined) {
  Caller rank;
  rank.check_in();
  rank.connected();
  ASSERT_EQ(rank.said.size(), 1u);
  EXPECT_EQ(read_gate_report(Blob(std::string_view(rank.said[0])).bytes()).value(), kit::Door::report(2));
  rank.pass(seconds(9));
  EXPECT_FALSE(rank.was_told(StartNote::go)) << "the others may take their time";
  EXPECT_EQ(rank.connects, 1u);
  rank.reads(std::string(write_gate_go(token, "10.0.0.1:4712").text()), 1);
  ASSERT_TRUE(rank.was_told(StartNote::go));
  EXPECT_EQ(rank.told.back().text.text(), "10.0.0.1:4712") << "where rank 0 is found";
  rank.pass(seconds(100));
  rank.joined();
  ASSERT_EQ(rank.said.size(), 2u);
  EXPECT_TRUE(contains(rank.said[1], R"("state": "joined")"));
  EXPECT_FALSE(rank.was_told(StartNote::checked_out)) << "nobody has taken it yet";
  rank.ends();
  ASSERT_TRUE(rank.was_told(StartNote::checked_out));
  EXPECT_EQ(rank.told.back().status, Status::ok);
  EXPECT_FALSE(rank.open);
  EXPECT_TRUE(rank.timers.empty());
}

TEST(GateClient, comes_again_when_its_connection_is_lost_before_go) {
  for (const Status how : {Status::ok, Status::peer_lost}) {
    Caller rank;
    rank.check_in();
    rank.connected();
    rank.ends(how);
    EXPECT_FALSE(rank.open);
    rank.pass(milliseconds(10));
    rank.connected();
    EXPECT_EQ(rank.said.size(), 2u);
    rank.reads(go());
    EXPECT_TRUE(rank.was_told(StartNote::go));
  }
}

TEST(GateClient, says_joined_on_a_new_connection_when_the_old_one_is_gone) {
  Caller rank;
  rank.check_in();
  rank.connected();
  rank.reads(go());
  rank.ends(Status::peer_lost);
  EXPECT_EQ(rank.connects, 1u) << "there is nothing to say yet";
  rank.joined();
  EXPECT_EQ(rank.connects, 2u);
  rank.connected();
  rank.ends(Status::peer_lost);  // lost: it may not have been taken
  rank.pass(milliseconds(10));
  rank.connected();
  EXPECT_EQ(rank.said.size(), 3u);
  rank.ends();
  EXPECT_EQ(rank.told.back().status, Status::ok);
}

TEST(GateClient, a_failure_is_said_until_it_is_taken) {
  Caller rank;
  rank.check_in(GateState::failed, "no device 3");
  rank.connected();
  EXPECT_TRUE(contains(rank.said[0], R"("state": "failed", "error": "no device 3")"));
  rank.ends(Status::peer_lost);
  rank.pass(milliseconds(10));
  rank.connected();
  rank.ends();
  EXPECT_EQ(rank.told.back().status, Status::ok);
  EXPECT_FALSE(rank.was_told(StartNote::go));
}

TEST(GateClient, go_does_not_start_a_rank_that_has_failed) {
  Caller rank;
  rank.check_in(GateState::failed, "no device 3");
  rank.connected();
  rank.reads(go());
  EXPECT_FALSE(rank.was_told(StartNote::go));
}

TEST(GateClient, a_failure_of_70_kilobytes_is_said_cut) {  // B4.5
  Caller rank;
  rank.check_in(GateState::failed, std::string(70'000, 'x'));
  rank.connected();
  ASSERT_EQ(rank.said.size(), 1u);
  EXPECT_LE(rank.said[0].size(), gate_message_bytes_max);
  EXPECT_TRUE(contains(rank.said[0], "xxxx"));
  EXPECT_LT(text_of(rank.machine).size(), 4'000u) << "its state is bounded";
}

TEST(GateClient, attempts_are_spaced_and_the_deadline_names_the_last_reason) {  // P-C4
  Caller rank;
  rank.refusing = true;
  rank.check_in();
  rank.connected(Status::peer_lost);
  rank.pass(seconds(10));
  ASSERT_TRUE(rank.was_told(StartNote::checked_out));
  EXPECT_EQ(rank.told.back().status, Status::timed_out);
  EXPECT_TRUE(contains(rank.told.back().text.text(), "rank 2: the gate at 10.0.0.1:4711 did not let it pass within 10000 ms, "))
      << rank.told.back().text.text();
  EXPECT_TRUE(contains(rank.told.back().text.text(), "the last: connect: refused"));
  EXPECT_LE(rank.connects, 50u);
  EXPECT_GE(rank.connects, 30u);
  EXPECT_TRUE(rank.timers.empty());
}

TEST(GateClient, a_connect_that_nobody_answers_is_given_up_and_tried_again) {
  Caller rank;
  rank.check_in();
  rank.pass(seconds(1) + milliseconds(10));
  EXPECT_EQ(rank.connects, 2u);
}

TEST(GateClient, believes_no_gate_that_does_not_know_the_token) {
  std::string huge("\x7f\xff\xff\xff", 4);
  for (const std::string& said : {go("another token"), go(token.substr(0, 42)), huge, std::string(4, '\0'),
                                  std::string("\0\0\0\x02{}", 6), std::string("HTTP/1.1 400 Bad Request\r\n")}) {
    Caller rank;
    rank.check_in();
    rank.connected();
    rank.reads(said);
    EXPECT_FALSE(rank.was_told(StartNote::go));
    EXPECT_FALSE(rank.open);
    rank.pass(milliseconds(10));
    rank.connected();
    rank.reads(go());
    EXPECT_TRUE(rank.was_told(StartNote::go)) << "the right one may come yet";
  }
}

TEST(GateClient, an_order_that_is_none_is_refused_with_its_field) {
  CheckIn order{"10.0.0.1:4711", seconds(1), kit::Door::report(2)};
  const auto refused = [](const CheckIn& given) {
    Caller rank;
    rank.deliver(event::Told{rank.now, Role{0}, check_in_note(given)});
    return rank.told.empty() ? std::string() : std::string(rank.told.back().text.text());
  };
  EXPECT_EQ(refused(order), "");
  CheckIn bad = order;
  bad.address.clear();
  EXPECT_EQ(refused(bad), "check-in: address is empty");
  bad = order;
  bad.report.token = {};
  EXPECT_EQ(refused(bad), "check-in: token is empty");
  bad = order;
  bad.patience = Duration{0};
  EXPECT_EQ(refused(bad), "check-in: patience is not positive");
  bad = order;
  bad.report.state = GateState::joined;
  EXPECT_EQ(refused(bad), "check-in: neither ready nor failed");
}

TEST(GateClient, its_token_is_in_no_text_of_it) {  // P-C7
  Caller rank;
  rank.check_in();
  rank.connected();
  rank.reads(go().substr(0, 40));
  EXPECT_FALSE(contains(text_of(rank.machine), token.substr(0, 8)));
}

}  // namespace
}  // namespace gate_client_test
}  // namespace tenter::control
