// The gate and its ranks: who is let through, who is named, and when. P-X9, P-X10, P-C9a, B4.
#include "gate_kit.hpp"

namespace tenter::control {
namespace gate_test {
namespace {

using namespace tenter::control::kit;

TEST(Gate, listens_on_the_controllers_address_only_and_tells_its_real_port) {  // P-C9b
  Door door;
  door.open_gate();
  EXPECT_EQ(door.listens, address);
  ASSERT_NE(door.note(StartNote::gate_listening), nullptr);
  EXPECT_EQ(door.note(StartNote::gate_listening)->text.text(), "10.0.0.1:4711");
}

TEST(Gate, tells_every_rank_to_go_when_all_are_here_and_passes_when_all_have_joined) {
  Door door;
  door.open_gate();
  std::vector<std::uint32_t> ranks;
  for (const std::uint32_t rank : {2u, 0u}) ranks.push_back(door.say(door.report(rank)));
  for (const std::uint32_t connection : ranks) EXPECT_EQ(door.go_count(connection), 0u);
  ranks.push_back(door.say(door.report(1)));
  for (const std::uint32_t connection : ranks) {
    ASSERT_EQ(door.go_count(connection), 1u);
    EXPECT_EQ(door.streams[connection].written[0], write_gate_go(token));
  }
  door.say_on(ranks[0], door.report(2, GateState::joined));
  door.say_on(ranks[1], door.report(0, GateState::joined));
  EXPECT_FALSE(door.passed()) << "rank 1 has not said that it joined";
  door.say_on(ranks[2], door.report(1, GateState::joined));
  EXPECT_TRUE(door.passed());
  EXPECT_EQ(door.open(), 0u);
  EXPECT_EQ(door.listens, std::nullopt);
  EXPECT_TRUE(door.timers.empty());
}

TEST(Gate, tells_every_rank_the_address_that_rank_0_reported_and_no_other) {
  Door door;
  door.open_gate();
  std::vector<std::uint32_t> ranks;
  for (const std::uint32_t rank : {0u, 1u, 2u}) {
    GateReport report = door.report(rank);
    report.address = "10.0.0." + std::to_string(rank + 1) + ":4712";
    ranks.push_back(door.say(report));
  }
  for (const std::uint32_t connection : ranks)
    EXPECT_EQ(door.streams[connection].written[0], write_gate_go(token, "10.0.0.1:4712"));
}

TEST(Gate, tells_its_owner_of_each_rank_and_its_process_once) {
  Door door(1);
  door.open_gate();
  const auto first = door.say(door.report(0));
  ASSERT_NE(door.note(StartNote::rank_seen), nullptr);
  EXPECT_EQ(*door.note(StartNote::rank_seen), rank_seen_note(0, {500, 7}, "node-0"));
  door.leave(first);
  door.told.clear();
  door.say(door.report(0));
  EXPECT_EQ(door.note(StartNote::rank_seen), nullptr);
}

// 4.6: "rank 1 registers, connection drops, rank 1 retries" made the reference's world start without it.
TEST(Gate, a_rank_that_comes_back_takes_its_seat_again_and_go_waits_for_it) {
  Door door(2);
  door.open_gate();
  const auto first = door.say(door.report(1));
  door.leave(first, Status::peer_lost);
  const auto other = door.say(door.report(0));
  EXPECT_EQ(door.go_count(other), 0u) << "rank 1 is not here";
  const auto second = door.say(door.report(1));
  EXPECT_EQ(door.go_count(second), 1u);
  EXPECT_EQ(door.go_count(other), 1u);
}

TEST(Gate, the_same_process_displaces_its_dead_connection_that_nobody_saw_close) {
  Door door(2);
  door.open_gate();
  const auto first = door.say(door.report(1));
  const auto second = door.say(door.report(1));
  EXPECT_FALSE(door.is_open(first));
  EXPECT_TRUE(door.is_open(second));
  door.say(door.report(0));
  EXPECT_EQ(door.go_count(second), 1u);
}

TEST(Gate, another_process_does_not_displace_a_rank_that_is_here) {  // X12, B32
  for (const ProcessId process : {ProcessId{901, 7}, ProcessId{0, 0}}) {
    Door door(2);
    door.open_gate();
    GateReport report = door.report(1);
    if (process.pid == 0) report.process = process;  // who tells no process is not known again
    const auto first = door.say(report);
    report.process = process;
    const auto second = door.say(report);
    EXPECT_TRUE(door.is_open(first));
    EXPECT_FALSE(door.is_open(second));
    EXPECT_EQ(door.machine.turned_away().counts[std::size_t(TurnedAway::duplicate)], 1u);
    door.leave(first);
    const auto third = door.say(report);
    EXPECT_TRUE(door.is_open(third)) << "the seat was free";
  }
}

TEST(Gate, a_rank_that_lost_its_go_is_told_again) {
  Door door(2);
  door.open_gate();
  const auto first = door.say(door.report(0));
  const auto lost = door.say(door.report(1));
  EXPECT_EQ(door.go_count(lost), 1u);
  door.leave(lost, Status::peer_lost);
  const auto again = door.say(door.report(1));
  EXPECT_EQ(door.go_count(again), 1u);
  door.say_on(first, door.report(0, GateState::joined));
  EXPECT_FALSE(door.passed());
  door.say_on(again, door.report(1, GateState::joined));
  EXPECT_TRUE(door.passed());
}

TEST(Gate, joined_may_come_on_a_connection_of_its_own_and_twice) {
  Door door(2);
  door.open_gate();
  const auto first = door.say(door.report(0));
  door.say(door.report(1));
  door.leave(first);
  EXPECT_FALSE(door.is_open(door.say(door.report(0, GateState::joined)))) << "an end says that it was taken";
  EXPECT_FALSE(door.passed());
  EXPECT_FALSE(door.is_open(door.say(door.report(0, GateState::joined))));
  EXPECT_FALSE(door.passed()) << "rank 1 has said nothing";
}

TEST(Gate, a_rank_that_has_joined_stays_joined_and_is_no_other_process) {
  Door door(2);
  door.open_gate();
  const auto zero = door.say(door.report(0));
  const auto one = door.say(door.report(1));
  door.say_on(zero, door.report(0, GateState::joined));
  GateReport other = door.report(0);
  other.process.pid = 901;
  EXPECT_FALSE(door.is_open(door.say(other)));
  EXPECT_EQ(door.go_count(door.say(door.report(0))), 1u) << "late, but it is told again";
  door.say_on(one, door.report(1, GateState::joined));
  EXPECT_TRUE(door.passed());
}

TEST(Gate, ends_with_a_reset_for_strangers_and_an_orderly_end_for_ranks) {
  Door door(2);
  door.open_gate();
  const auto stranger = door.connect();
  const auto rank = door.say(door.report(1));
  door.deliver(event::Told{door.now, door.config.owner, start_note(StartNote::close_gate)});
  EXPECT_TRUE(!door.is_open(*stranger) && door.streams[*stranger].aborted);
  EXPECT_TRUE(!door.is_open(rank) && !door.streams[rank].aborted);
}

TEST(Gate, joined_before_go_is_not_believed) {
  Door door(1);
  door.open_gate();
  EXPECT_FALSE(door.is_open(door.say(door.report(0, GateState::joined))));
  EXPECT_FALSE(door.passed());
  EXPECT_EQ(door.machine.step(), GateStep::gathering);
}

// 4.6: a rank that receives go and dies before MPI_Init left the others blocked in it.
TEST(Gate, a_rank_that_is_told_to_go_and_never_joins_is_named_at_the_deadline) {
  Door door;
  door.open_gate();
  std::vector<std::uint32_t> connections;
  for (std::uint32_t rank = 0; rank < 3; ++rank) connections.push_back(door.say(door.report(rank)));
  door.say_on(connections[0], door.report(0, GateState::joined));
  door.leave(connections[2], Status::peer_lost);
  door.pass(seconds(60) + nanoseconds(-1));
  EXPECT_EQ(door.failure(), "");
  door.pass(nanoseconds(1));
  EXPECT_TRUE(contains(door.failure(), "rank 1 on node-1 was told to start MPI and never said that it had joined"))
      << door.failure();
  EXPECT_TRUE(contains(door.failure(), "rank 2 on node-2: it was told to start MPI, then its connection was lost"));
  EXPECT_FALSE(contains(door.failure(), "rank 0"));
  EXPECT_EQ(door.note(StartNote::gate_failed)->a, 1);
  EXPECT_EQ(door.open(), 0u);
}

TEST(Gate, who_says_that_it_is_ready_again_is_sent_no_second_go_on_one_connection) {
  Door door(2);
  door.open_gate();
  const std::uint32_t first = door.say(door.report(0)), second = door.say(door.report(1));
  for (int i = 0; i < 5; ++i) door.say_on(first, door.report(0));
  EXPECT_EQ(door.streams[first].written.size(), 1u);
  EXPECT_EQ(door.streams[second].written.size(), 1u);
  const std::uint32_t again = door.say(door.report(0));
  EXPECT_EQ(door.streams[again].written.size(), 1u) << "the first one may be lost with its connection";
}

TEST(Gate, both_phases_have_one_budget_in_total) {  // L6
  Door door(1);
  door.open_gate(seconds(10));
  door.pass(seconds(9));
  door.say(door.report(0));
  door.pass(seconds(1) + nanoseconds(-1));
  EXPECT_EQ(door.failure(), "");
  door.pass(nanoseconds(1));
  EXPECT_NE(door.failure(), "");
}

TEST(Gate, names_each_missing_rank_with_its_host_at_the_deadline) {
  Door door;
  door.open_gate(seconds(10));
  door.say(door.report(1));
  const auto lost = door.say(door.report(2));
  door.leave(lost);
  door.pass(seconds(10));
  const Note* failed = door.note(StartNote::gate_failed);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->status, Status::timed_out);
  EXPECT_EQ(failed->a, 0);
  ASSERT_EQ(failed->parts.size(), 2u);
  EXPECT_EQ(failed->parts[0].text(), "rank 0 on node-0 never reported");
  EXPECT_EQ(failed->parts[1].text(), "rank 2 on node-2: it was ready, then it closed its connection");
  EXPECT_EQ(failed->text.text(),
            "start: not every rank has reported in time; rank 0 on node-0 never reported; rank 2 on node-2: "
            "it was ready, then it closed its connection");
}

TEST(Gate, a_failed_rank_ends_the_start_with_its_reason_and_those_of_the_others_who_fail_too) {
  Door door;
  door.open_gate();
  door.say(door.report(2, GateState::failed, "no device 3"));
  EXPECT_EQ(door.failure(), "") << "a moment for the others";
  door.pass(milliseconds(100));
  door.say(door.report(0, GateState::failed, "no licence"));
  door.pass(milliseconds(150));
  EXPECT_EQ(door.failure(),
            "start: not every rank can start; rank 0 on node-0 failed: no licence; rank 2 on node-2 failed: no device 3; "
            "rank 1 on node-1 never reported");
  EXPECT_EQ(door.note(StartNote::gate_failed)->a, 0);
}

TEST(Gate, does_not_wait_for_more_reasons_when_everyone_has_spoken) {
  Door door(2);
  door.open_gate();
  door.say(door.report(0));
  door.say(door.report(1, GateState::failed, "no device 3"));
  EXPECT_TRUE(contains(door.failure(), "rank 1 on node-1 failed: no device 3"));
  Door other(2);
  other.open_gate();
  other.say(other.report(1, GateState::failed, "no device 3"));
  other.say(other.report(0));
  EXPECT_TRUE(contains(other.failure(), "no device 3"));
}

TEST(Gate, a_rank_may_fail_after_it_was_ready_and_after_go) {
  Door door(2);
  door.open_gate();
  const auto first = door.say(door.report(0));
  door.say_on(first, door.report(0, GateState::failed, "a child died"));
  door.pass(door.config.collect_wait);
  EXPECT_TRUE(contains(door.failure(), "rank 0 on node-0 failed: a child died")) << door.failure();
  Door later(2);
  later.open_gate();
  const auto zero = later.say(later.report(0));
  later.say(later.report(1));
  later.say_on(zero, later.report(0, GateState::failed, "MPI_Init: no network"));
  EXPECT_EQ(later.failure(), "start: not every rank can start; rank 0 on node-0 failed: MPI_Init: no network");
}

TEST(Gate, a_reason_of_any_length_and_script_is_heard_cut_and_on_one_line) {  // B4.5: 70 KB were never heard
  Door door(1);
  door.open_gate();
  door.say(door.report(0, GateState::failed, "first line\nsecond\x1b[31m line " + std::string(70'000, 'x')));
  ASSERT_NE(door.failure(), "");
  EXPECT_LT(door.failure().size(), gate_reason_bytes_max + 200);
  EXPECT_TRUE(contains(door.failure(), "first line second [31m line xxx"));
  EXPECT_TRUE(contains(door.failure(), "(cut)"));
}

TEST(Gate, versions_and_features_that_differ_are_both_named) {  // B6
  for (const bool version : {true, false}) {
    Door door(1);
    door.open_gate();
    GateReport report = door.report(0);
    if (version) report.version = 4;
    if (!version) report.features = 5;
    door.say(report);
    EXPECT_TRUE(contains(door.failure(),
                         version ? "rank 0 on node-0 failed: it speaks SLR3 version 4" : "with features 0x0000000000000005"))
        << door.failure();
    EXPECT_TRUE(contains(door.failure(), "this supervisor version 3 with features 0x0000000000000000"));
  }
}

TEST(Gate, lets_the_references_ranks_through_once_go_has_left) {
  Door door(2);
  door.open_gate();
  std::vector<std::uint32_t> connections;
  for (int rank = 0; rank < 2; ++rank) {
    const std::string body = R"({"token":")" + token + R"(","rank":)" + std::to_string(rank) + R"(,"state":"ready","error":""})";
    connections.push_back(*door.connect());
    door.send(connections.back(), std::string("\0\0\0", 3) + static_cast<char>(body.size()) + body);
  }
  door.written(connections[0]);
  EXPECT_FALSE(door.passed());
  door.written(connections[1]);
  EXPECT_TRUE(door.passed());
  EXPECT_FALSE(door.streams[connections[0]].aborted) << "what was written is still sent";
}

TEST(Gate, go_that_could_not_be_sent_lets_nobody_through) {
  Door door(1);
  door.open_gate();
  GateReport report = door.report(0);
  report.version.reset();
  const auto rank = door.say(report);
  door.written(rank, Status::peer_lost);
  EXPECT_FALSE(door.passed());
}

TEST(Gate, that_is_closed_by_its_owner_says_who_was_missing_and_leaves_nothing) {
  Door door(2);
  door.open_gate();
  door.say(door.report(0));
  door.deliver(event::Told{door.now, door.config.owner, start_note(StartNote::close_gate)});
  ASSERT_NE(door.note(StartNote::gate_failed), nullptr);
  EXPECT_EQ(door.note(StartNote::gate_failed)->status, Status::cancelled);
  EXPECT_TRUE(contains(door.failure(), "rank 1 on node-1 never reported"));
  EXPECT_EQ(door.open(), 0u);
  EXPECT_TRUE(door.timers.empty());
  const std::size_t told = door.told.size();
  door.deliver(event::Told{door.now, door.config.owner, start_note(StartNote::close_gate)});
  EXPECT_EQ(door.told.size(), told) << "once";
}

TEST(Gate, that_cannot_listen_says_why) {
  Door door;
  door.deliver(event::Told{door.now, door.config.owner, gate_order_note(door.order())});
  door.deliver(event::Listening{
      door.now, start_operation(GateOperation::listen), Status::denied, {}, Blob(std::string_view("10.0.0.1: not ours"))});
  EXPECT_TRUE(contains(door.failure(), "the gate cannot listen: 10.0.0.1: not ours"));
  EXPECT_EQ(door.note(StartNote::gate_failed)->status, Status::denied);
}

TEST(Gate, an_order_that_is_none_opens_nothing_and_names_its_field) {  // S8
  const std::pair<std::string_view, void (*)(GateOrder&)> cases[] = {
      {"address is empty", [](GateOrder& o) { o.address.clear(); }},
      {"token is empty", [](GateOrder& o) { o.token = {}; }},
      {"patience is not positive", [](GateOrder& o) { o.patience = Duration{0}; }},
      {"hosts: 0 ranks", [](GateOrder& o) { o.hosts.clear(); }},
      {"breaks its format", [](GateOrder& o) { o.hosts[0] = std::string(256, 'h'); }},
  };
  for (const auto& [says, spoil] : cases) {
    Door door;
    GateOrder order = door.order();
    spoil(order);
    door.deliver(event::Told{door.now, door.config.owner, gate_order_note(order)});
    EXPECT_TRUE(contains(door.failure(), says)) << door.failure();
    EXPECT_EQ(door.listens, std::nullopt);
  }
}

TEST(Gate, its_token_is_in_no_text_of_it) {  // P-C7
  Door door;
  door.open_gate();
  const auto half = door.connect();
  const std::string whole(write_gate_report(door.report(0)).text());
  door.send(*half, whole.substr(0, whole.size() - 1));
  EXPECT_FALSE(contains(text_of(door.machine), token.substr(0, 8)));
  door.say(door.report(1, GateState::failed, "why"));
  door.pass(seconds(1));
  for (const Note& note : door.told) EXPECT_FALSE(contains(text_of(note), token.substr(0, 8))) << text_of(note);
  EXPECT_FALSE(contains(text_of(gate_order_note(door.order())), token.substr(0, 8)));
  EXPECT_FALSE(contains(text_of(door.order()), token.substr(0, 8)));
}

}  // namespace
}  // namespace gate_test
}  // namespace tenter::control
