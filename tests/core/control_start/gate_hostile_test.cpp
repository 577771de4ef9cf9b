// The gate against strangers: X10, X11, X12, B13, B32, the probes of 4.6; and gates with a bug each, found by the claim that ours
// keeps.
#include <functional>

#include "gate_claims.hpp"

namespace tenter::control {
namespace gate_hostile_test {
namespace {

using namespace tenter::control::kit;

TEST(GateHostile, a_thousand_strangers_keep_no_rank_out) { EXPECT_EQ(ranks_pass_a_thousand_strangers<Gate>(), ""); }
TEST(GateHostile, fifty_silent_peers_cost_no_time) { EXPECT_EQ(silent_peers_cost_no_time<Gate>(), ""); }
TEST(GateHostile, a_trickle_prolongs_no_deadline) { EXPECT_EQ(a_trickle_prolongs_nothing<Gate>(), ""); }
TEST(GateHostile, the_bytes_of_a_rank_have_an_end) { EXPECT_EQ(a_ranks_bytes_have_an_end<Gate>(), ""); }
TEST(GateHostile, a_duplicate_is_no_second_rank) { EXPECT_EQ(each_rank_counts_once<Gate>(), ""); }
TEST(GateHostile, a_returning_rank_is_let_in_and_told_to_go) { EXPECT_EQ(a_returning_rank_is_let_in<Gate>(), ""); }
TEST(GateHostile, go_waits_until_all_are_here_at_the_same_time) { EXPECT_EQ(go_waits_until_all_are_here_at_once<Gate>(), ""); }
TEST(GateHostile, success_is_what_each_rank_has_confirmed) { EXPECT_EQ(success_is_what_every_rank_confirmed<Gate>(), ""); }
TEST(GateHostile, only_the_whole_token_can_speak_for_a_rank) { EXPECT_EQ(only_the_whole_token_speaks<Gate>(), ""); }
TEST(GateHostile, a_rank_that_never_joins_is_named_in_the_end) { EXPECT_EQ(a_rank_that_never_joins_is_named<Gate>(), ""); }

TEST(GateHostile, a_table_full_of_silent_peers_makes_room_after_their_least_time_and_not_before) {
  Door door(1);
  door.open_gate();
  std::vector<std::uint32_t> silent;
  while (door.accept && silent.size() < 200) silent.push_back(*door.connect());
  EXPECT_EQ(silent.size(), door.config.strangers_max);
  door.pass(door.config.stranger_wait_least + nanoseconds(-1));
  EXPECT_EQ(door.open(), silent.size()) << "each has its least time";
  EXPECT_FALSE(door.accept.has_value());
  door.pass(nanoseconds(1));
  EXPECT_FALSE(door.is_open(silent[0]));
  EXPECT_TRUE(door.is_open(silent[1])) << "one at a time";
  ASSERT_TRUE(door.accept.has_value());
  EXPECT_NE(door.go_count(door.say(door.report(0))), 0u);
}

TEST(GateHostile, a_stranger_has_its_time_and_not_more) {
  Door door(1);
  door.open_gate();
  const auto silent = door.connect();
  door.pass(door.config.stranger_wait + nanoseconds(-1));
  EXPECT_TRUE(door.is_open(*silent));
  door.pass(nanoseconds(1));
  EXPECT_FALSE(door.is_open(*silent));
  EXPECT_TRUE(door.streams[*silent].aborted);
}

TEST(GateHostile, an_accept_that_fails_is_tried_again_after_a_rest) {
  Door door(1);
  door.open_gate();
  const Op op = std::exchange(door.accept, std::nullopt)->op;
  door.deliver(event::Connected{door.now, op, Status::no_space, {}, Blob(std::string_view("Too many open files"))});
  EXPECT_FALSE(door.accept.has_value()) << "no hot loop";
  EXPECT_EQ(text_of_tally(door.machine.turned_away()), "accepts that failed here: 1, the last: Too many open files");
  door.pass(door.config.stranger_wait_least);
  EXPECT_TRUE(door.accept.has_value());
  EXPECT_NE(door.say(door.report(0)), no_connection);
}

TEST(GateHostile, each_reason_is_counted_and_the_last_source_is_named) {  // B32
  Door door(3);
  door.open_gate(seconds(10));
  door.connect("10.0.0.1:1");
  door.leave(*door.connect("10.0.0.2:1"));
  door.send(*door.connect("10.0.0.3:1"), std::string(4, '\0'));
  GateReport report = door.report(7);
  door.say(report);
  report = door.report(1);
  report.token = Blob(std::string_view("guess"));
  door.say(report);
  const auto& counts = door.machine.turned_away().counts;
  EXPECT_EQ(counts[std::size_t(TurnedAway::left)], 1u);
  EXPECT_EQ(counts[std::size_t(TurnedAway::malformed)], 1u);
  EXPECT_EQ(counts[std::size_t(TurnedAway::not_a_rank)], 1u);
  EXPECT_EQ(counts[std::size_t(TurnedAway::wrong_token)], 1u);
  EXPECT_EQ(door.machine.turned_away().last, "10.0.1.1:1: its token is not ours");
  door.pass(seconds(10));
  EXPECT_EQ(counts[std::size_t(TurnedAway::late)], 1u);
  EXPECT_TRUE(contains(door.failure(),
                       "5 connections were turned away: 1 late, 1 left before a message, 1 malformed, 1 wrong token, "
                       "1 not a rank of ours; the last: 10.0.0.1:1: it did not say in time who it is"))
      << door.failure();
}

TEST(GateHostile, a_report_is_understood_however_it_is_cut) {
  const std::size_t size = write_gate_report(Door::report(0)).size();
  for (std::size_t piece = 1; piece <= size; ++piece) {
    Door door(1);
    door.open_gate();
    EXPECT_EQ(door.go_count(door.say(door.report(0), piece)), 1u) << piece;
  }
}

TEST(GateHostile, a_report_of_the_largest_size_is_taken_and_one_byte_more_is_not) {  // X10
  for (const std::size_t size : {std::size_t{gate_message_bytes_max}, std::size_t{gate_message_bytes_max} + 1}) {
    std::string body = R"({"token":")" + token + R"(","rank":0,"state":"ready","x":")";
    body += std::string(size - body.size() - 2, 'x') + "\"}";
    std::string message;
    for (int shift : {24, 16, 8, 0}) message += static_cast<char>(body.size() >> shift);
    Door door(1);
    door.open_gate();
    const auto rank = door.connect();
    door.send(*rank, message + body);
    EXPECT_EQ(door.is_open(*rank), size == gate_message_bytes_max);
  }
}

TEST(GateHostile, one_that_leaves_after_each_byte_is_only_counted) {  // B13
  const std::string whole(write_gate_report(Door::report(0)).text());
  for (const Status how : {Status::ok, Status::peer_lost})
    for (std::size_t size = 0; size < whole.size(); ++size) {
      Door door(1);
      door.open_gate();
      const auto one = door.connect();
      door.send(*one, whole.substr(0, size));
      door.leave(*one, how);
      EXPECT_FALSE(door.is_open(*one));
      EXPECT_EQ(door.failure(), "");
      EXPECT_EQ(door.go_count(door.say(door.report(0))), 1u) << size;
    }
}

TEST(GateHostile, a_rank_number_outside_the_world_is_nobody) {  // X11: 3 of 3
  Door door(3);
  door.open_gate();
  EXPECT_FALSE(door.is_open(door.say(door.report(3))));
  EXPECT_EQ(door.machine.turned_away().counts[std::size_t(TurnedAway::not_a_rank)], 1u);
  EXPECT_TRUE(door.is_open(door.say(door.report(2))));
}

TEST(GateHostile, a_rank_speaks_for_itself_only) {
  Door door(2);
  door.open_gate();
  const auto one = door.say(door.report(1));
  door.say_on(one, door.report(0, GateState::failed, "not mine to say"));
  EXPECT_FALSE(door.is_open(one));
  EXPECT_EQ(door.machine.step(), GateStep::gathering);
}

TEST(GateHostile, a_rank_that_breaks_the_rules_is_missing_until_it_comes_again) {
  Door door(2);
  door.open_gate();
  const auto one = door.say(door.report(1));
  door.send(one, std::string(4, '\0'));
  EXPECT_FALSE(door.is_open(one));
  const auto zero = door.say(door.report(0));
  EXPECT_EQ(door.go_count(zero), 0u);
  door.say(door.report(1));
  EXPECT_EQ(door.go_count(zero), 1u);
}

// ---- gates with one bug each: the shipped gate, and what it is told or does is changed

struct Planted {
  explicit Planted(GateConfig given) : machine(given) {}
  const GateTally& turned_away() const { return machine.turned_away(); }
  Gate machine;
};

// Every connection that shows the token is another rank.
struct CountsDuplicates : Planted {
  using Planted::Planted;
  template <class E>
  void on(const E& e, Outbox& out) {
    if constexpr (std::is_same_v<E, event::StreamRead>)
      if (std::string_view(e.content.text()).starts_with("{")) {
        auto report = read_gate_report(e.content.bytes());
        if (report) {
          report->rank = ranks++ % 3;
          const Blob again = write_gate_report(*report);
          return machine.on(event::StreamRead{e.now, e.op, e.status, Blob(again.bytes().subspan(gate_prefix_bytes))}, out);
        }
      }
    machine.on(e, out);
  }
  std::uint32_t ranks = 0;
};

// Any byte gives a stranger, and the gate, its time anew.
struct BytesRestartDeadlines : Planted {
  using Planted::Planted;
  template <class E>
  void on(const E& e, Outbox& out) {
    if constexpr (std::is_same_v<E, event::TimerFired>)
      if (heard + seconds(2) > e.now) return out.arm(e.op, heard + seconds(2));
    if constexpr (std::is_same_v<E, event::StreamRead>) {
      if (!first) first = e.now;
      heard = e.now;
      return machine.on(event::StreamRead{*first, e.op, e.status, e.content}, out);
    }
    machine.on(e, out);
  }
  std::optional<Time> first;
  Time heard{-1'000'000'000'000};
};

// Compares as many bytes as the peer sent.
struct ComparesAPrefix : Planted {
  using Planted::Planted;
  template <class E>
  void on(const E& e, Outbox& out) {
    if constexpr (std::is_same_v<E, event::StreamRead>) {
      auto report = read_gate_report(e.content.bytes());
      if (report && std::string_view(token).starts_with(report->token.text())) {
        report->token = Blob(std::string_view(token));
        const Blob again = write_gate_report(*report);
        return machine.on(event::StreamRead{e.now, e.op, e.status, Blob(again.bytes().subspan(gate_prefix_bytes))}, out);
      }
    }
    machine.on(e, out);
  }
};

// Does not look at a rank's connection after its report.
struct LocksOutWhoReturns : Planted {
  using Planted::Planted;
  template <class E>
  void on(const E& e, Outbox& out) {
    if constexpr (std::is_same_v<E, event::StreamRead>)
      if (e.content.empty()) return;
    if constexpr (std::is_same_v<E, event::StreamRead>) {
      auto report = read_gate_report(e.content.bytes());
      if (report) {
        report->process = {};  // and knows no process again
        const Blob again = write_gate_report(*report);
        return machine.on(event::StreamRead{e.now, e.op, e.status, Blob(again.bytes().subspan(gate_prefix_bytes))}, out);
      }
    }
    machine.on(e, out);
  }
};

// One peer after the other: the next accept when the one before it is done.
struct OnePeerAtATime : Planted {
  explicit OnePeerAtATime(GateConfig given) : Planted(alone(given)) {}
  static GateConfig alone(GateConfig given) {
    given.strangers_max = 1;
    given.stranger_wait_least = given.stranger_wait = seconds(60);
    return given;
  }
  template <class E>
  void on(const E& e, Outbox& out) {
    machine.on(e, out);
  }
};

// Has passed when go was written.
struct PassesAtGo : Planted {
  using Planted::Planted;
  template <class E>
  void on(const E& e, Outbox& out) {
    machine.on(e, out);
    if constexpr (std::is_same_v<E, event::StreamWritten>) out.tell(Role{0}, start_note(StartNote::gate_passed));
  }
};

// Has no deadline for the second phase, and none for the whole once go was sent.
struct WaitsForJoinedForEver : Planted {
  using Planted::Planted;
  template <class E>
  void on(const E& e, Outbox& out) {
    if constexpr (std::is_same_v<E, event::TimerFired>)
      if (machine.step() == GateStep::releasing) return;
    machine.on(e, out);
  }
};

// Ends with the first peer that breaks a rule.
struct EndsWithAStranger : Planted {
  using Planted::Planted;
  template <class E>
  void on(const E& e, Outbox& out) {
    machine.on(e, out);
    if (machine.turned_away().total() > 0 && !std::exchange(ended, true))
      machine.on(event::Told{e.now, Role{0}, start_note(StartNote::close_gate)}, out);
  }
  bool ended = false;
};

// Takes a rank that has left for one that is here.
struct ForgetsWhoLeft : Planted {
  using Planted::Planted;
  template <class E>
  void on(const E& e, Outbox& out) {
    if constexpr (std::is_same_v<E, event::StreamRead>)
      if (e.content.empty()) return;
    machine.on(e, out);
  }
};

// Has no bound of bytes.
struct ForgetsBytes : Planted {
  explicit ForgetsBytes(GateConfig given) : Planted(endless(given)) {}
  static GateConfig endless(GateConfig given) {
    given.connection_bytes_max = ~std::uint64_t{0};
    return given;
  }
  template <class E>
  void on(const E& e, Outbox& out) {
    machine.on(e, out);
  }
};

TEST(GatePlanted, each_bug_is_found_by_the_claim_that_it_breaks) {
  EXPECT_NE(each_rank_counts_once<CountsDuplicates>(), "");
  EXPECT_NE(a_trickle_prolongs_nothing<BytesRestartDeadlines>(), "");
  EXPECT_NE(only_the_whole_token_speaks<ComparesAPrefix>(), "");
  EXPECT_NE(a_returning_rank_is_let_in<LocksOutWhoReturns>(), "");
  EXPECT_NE(success_is_what_every_rank_confirmed<PassesAtGo>(), "");
  EXPECT_NE(a_rank_that_never_joins_is_named<WaitsForJoinedForEver>(), "");
  EXPECT_NE(go_waits_until_all_are_here_at_once<ForgetsWhoLeft>(), "");
  EXPECT_NE(silent_peers_cost_no_time<OnePeerAtATime>(), "");
  EXPECT_NE(ranks_pass_a_thousand_strangers<EndsWithAStranger>(), "");
  EXPECT_NE(a_ranks_bytes_have_an_end<ForgetsBytes>(), "");
}

}  // namespace
}  // namespace gate_hostile_test
}  // namespace tenter::control
