// The simulated messages beside their contract: what is an error of a machine, what deaths and stops leave, who is starved.
#include <csignal>

#include "core/text.hpp"
#include "tests/sim/puppet.hpp"

namespace tenter::sim {
namespace comm_model {
namespace {

// Ranks of one job that have joined, or not. The second message of a tape's stream `message_delay` of rank 0 is its first one
// sent: the first was its join.
class Ranks {
 public:
  explicit Ranks(std::uint32_t count, std::uint64_t eager_below, TapeEntries tape = {}, bool joined = true)
      : puppets(count, std::move(tape), [&](Scenario& scenario) {
          scenario.eager_below(eager_below);
          for (const Tag fault : {Tag::starvation, Tag::join_failure}) scenario.allow(fault, 8);
        }) {
    std::vector<ProcessIndex> ranks;
    for (std::uint32_t rank = 0; rank < count; ++rank) ranks.push_back(rank);
    puppets.world().collectives().add_job(std::move(ranks));
    for (std::uint32_t rank = 0; joined && rank < count; ++rank) puppets.perform(rank, action::JoinWorld{Op{1}});
    for (std::uint32_t rank = 0; joined && rank < count; ++rank) EXPECT_TRUE(next<event::WorldJoined>(rank));
  }
  void send(std::uint32_t from, std::uint32_t to, std::uint64_t op, std::size_t bytes = 10,
            Communicator communicator = world_communicator) {
    puppets.perform(from, action::SendMessage{Op{op}, communicator, Rank{to}, MessageTag{static_cast<std::uint32_t>(op)},
                                              Blob(bytes, [](MutableBytes to_fill) { to_fill[0] = std::byte{7}; })});
  }
  void receive(std::uint32_t at, std::uint32_t from, std::uint64_t op, Communicator communicator = world_communicator) {
    puppets.perform(at, action::ReceiveMessage{Op{op}, communicator, Rank{from}, 1u << 20});
  }
  template <class E>
  std::optional<E> next(std::uint32_t rank) {
    const std::optional<Event> event = puppets.next(rank);
    if (!event || !std::holds_alternative<E>(*event)) return std::nullopt;
    return std::get<E>(*event);
  }
  std::optional<Status> sent(std::uint32_t rank) {
    const auto event = next<event::MessageSent>(rank);
    return event ? std::optional(event->status) : std::nullopt;
  }
  std::optional<Status> arrived(std::uint32_t rank) {
    const auto event = next<event::MessageArrived>(rank);
    return event ? std::optional(event->status) : std::nullopt;
  }
  void kill(std::uint32_t rank) { puppets.world().signal_process(rank, SIGKILL); }
  void leave(std::uint32_t rank, bool orderly = true) { puppets.perform(rank, action::ExitProcess{0, orderly}); }
  std::string finding() {
    puppets.run();
    const auto& found = puppets.world().finding();
    return found ? found->property + ": " + found->text : "";
  }
  void step(int times) {
    while (times-- > 0) puppets.world().step();
  }
  PuppetWorld puppets;
};

constexpr std::uint64_t all_long = 0, all_short = CommModel::all_eager;

// ---------------------------------------------------------------- errors of a machine

template <class Act>
std::string finding_of(Act act, bool joined = true) {
  Ranks ranks(2, all_short, {}, joined);
  act(ranks);
  return ranks.finding();
}

TEST(SimulatedComm, calls_what_the_contract_forbids_an_error_of_the_machine) {
  constexpr std::string_view property = "a machine keeps the Comm's contract: p0: ";
  const auto error = [&](const char* text) { return std::string(property) + text; };
  EXPECT_EQ(finding_of([](Ranks& r) { r.send(0, 1, 2); }, false), error("has not joined the world"));
  EXPECT_EQ(finding_of([](Ranks& r) { r.puppets.perform(0, action::JoinWorld{Op{2}}); }), error("joins the world a second time"));
  EXPECT_EQ(finding_of([](Ranks& r) { r.send(0, 2, 2); }), error("names rank 2 of 2"));
  EXPECT_EQ(finding_of([](Ranks& r) { r.receive(0, 2, 2); }), error("names rank 2 of 2"));
  EXPECT_EQ(finding_of([](Ranks& r) { r.send(0, 1, 2, 10, Communicator{4}); }), error("has no communicator 4"));
  EXPECT_EQ(finding_of([](Ranks& r) { r.receive(0, 1, 2, Communicator{4}); }), error("has no communicator 4"));
  EXPECT_EQ(finding_of([](Ranks& r) {
              r.receive(0, 1, 2);
              r.receive(0, 1, 3);
            }),
            error("posts a second receive from rank 1 on communicator 0"));
  EXPECT_EQ(finding_of([](Ranks& r) {
              r.send(0, 1, 2);
              EXPECT_EQ(r.sent(0), Status::ok);
              r.send(0, 1, 2);
            }),
            error("uses op 2 a second time"));
  PuppetWorld alone(1);
  alone.perform(0, action::JoinWorld{Op{1}});
  ASSERT_TRUE(alone.world().finding().has_value());
  EXPECT_EQ(alone.world().finding()->text, "p0: joins the world and is in no job");
}

TEST(SimulatedComm, lets_a_machine_give_up_what_has_ended_or_never_was) {
  EXPECT_EQ(finding_of([](Ranks& r) {
              r.send(0, 1, 2);
              EXPECT_EQ(r.sent(0), Status::ok);
              for (const std::uint64_t op : {2, 9}) {
                r.puppets.perform(0, action::AbandonSend{Op{op}});
                r.puppets.perform(0, action::WithdrawReceive{Op{op}});
              }
            }),
            "");
}

TEST(SimulatedComm, lets_nobody_leave_in_order_before_everything_is_received) {
  const auto leaves = [](std::uint64_t border, bool orderly, bool received) {
    Ranks ranks(2, border);
    ranks.send(0, 1, 2);
    if (received) {
      ranks.receive(1, 0, 3);
      EXPECT_EQ(ranks.arrived(1), Status::ok);
    }
    ranks.leave(1, orderly);
    return ranks.finding();
  };
  for (const std::uint64_t border : {all_short, all_long}) {
    EXPECT_EQ(leaves(border, true, false),
              "a machine keeps the Comm's contract: p1: leaves in order and has not received a message "
              "of tag 2 from p0");
    EXPECT_EQ(leaves(border, true, true), "");
    EXPECT_EQ(leaves(border, false, false), "");
  }
}

TEST(SimulatedComm, lets_nobody_leave_in_order_while_a_long_message_of_his_waits) {
  Ranks ranks(2, all_long);
  ranks.send(0, 1, 2);
  ranks.leave(0);
  EXPECT_EQ(ranks.finding(), "a machine keeps the Comm's contract: p0: leaves in order while its message of tag 2 waits for p1");
  Ranks abandoned(2, all_long);
  abandoned.send(0, 1, 2);
  abandoned.puppets.perform(0, action::AbandonSend{Op{2}});
  abandoned.leave(0);
  EXPECT_EQ(abandoned.finding(), "");
}

TEST(SimulatedComm, delivers_what_an_orderly_leaver_sent_before) {
  Ranks ranks(2, all_short);
  for (const std::uint64_t op : {2, 3}) ranks.send(0, 1, op);
  ranks.leave(0);
  for (const std::uint64_t op : {2, 3}) {
    ranks.receive(1, 0, op);
    EXPECT_EQ(ranks.arrived(1), Status::ok);
  }
  ranks.receive(1, 0, 4);
  EXPECT_EQ(ranks.arrived(1), Status::peer_lost);
}

// ---------------------------------------------------------------- joins

TEST(SimulatedComm, refuses_a_join_on_purpose_and_lets_the_others_wait) {
  Ranks ranks(3, all_short, {{Tag::join_failure, 1, 0, 2, 1}}, false);
  for (std::uint32_t rank = 0; rank < 3; ++rank) ranks.puppets.perform(rank, action::JoinWorld{Op{1}});
  const auto refused = ranks.next<event::WorldJoined>(1);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, Status::failed);
  EXPECT_FALSE(refused->text.empty());
  for (const std::uint32_t rank : {0, 2}) EXPECT_FALSE(ranks.puppets.next(rank));
  EXPECT_EQ(ranks.puppets.world().comm().waits(),
            "p0 has joined the world and waits for the others\n"
            "p2 has joined the world and waits for the others\n");
}

TEST(SimulatedComm, waits_for_ever_for_who_died_before_all_had_joined) {
  Ranks ranks(2, all_short, {}, false);
  ranks.puppets.perform(0, action::JoinWorld{Op{1}});
  ranks.kill(0);
  ranks.puppets.perform(1, action::JoinWorld{Op{1}});
  EXPECT_FALSE(ranks.puppets.next(1));
}

// ---------------------------------------------------------------- deaths and stops

TEST(SimulatedComm, tells_a_receiver_of_a_death_after_what_came_before_it) {
  Ranks ranks(2, all_short);
  for (const std::uint64_t op : {2, 3}) ranks.send(0, 1, op);
  ranks.puppets.run();
  ranks.kill(0);
  EXPECT_EQ(ranks.puppets.world().comm().counts(), (CommModel::Counts{2, 0, 0, 2})) << "the boring death loses nothing short";
  for (const std::uint64_t op : {4, 5}) {
    ranks.receive(1, 0, op);
    EXPECT_EQ(ranks.arrived(1), Status::ok);
  }
  ranks.receive(1, 0, 6);
  const auto lost = ranks.next<event::MessageArrived>(1);
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->status, Status::peer_lost);
  EXPECT_EQ(lost->from, Rank{0});
}

TEST(SimulatedComm, tells_of_no_death_while_a_message_of_the_dead_travels) {
  Ranks ranks(2, all_short, {{Tag::message_delay, 0, 1, 19, 15}});  // the news is faster than the message
  ranks.send(0, 1, 2);
  ranks.kill(0);
  ranks.receive(1, 0, 3);
  EXPECT_EQ(ranks.arrived(1), Status::ok);
  ranks.receive(1, 0, 4);
  EXPECT_EQ(ranks.arrived(1), Status::peer_lost);
}

TEST(SimulatedComm, leaves_as_many_short_messages_of_the_dead_as_the_tape_says) {
  for (std::uint32_t kept = 0; kept <= 3; ++kept) {
    Ranks ranks(2, all_short, {{Tag::message_loss, 0, 0, 4, 3 - kept}});
    for (const std::uint64_t op : {2, 3, 4}) ranks.send(0, 1, op);
    ranks.kill(0);
    for (std::uint32_t i = 0; i < kept; ++i) {
      ranks.receive(1, 0, 10 + i);
      const auto arrived = ranks.next<event::MessageArrived>(1);
      ASSERT_TRUE(arrived);
      EXPECT_EQ(arrived->tag, MessageTag{2 + i});
    }
    ranks.receive(1, 0, 20);
    EXPECT_EQ(ranks.arrived(1), Status::peer_lost);
  }
}

TEST(SimulatedComm, may_keep_silent_about_a_death) {
  Ranks ranks(3, all_long, {{Tag::death_notice, 1, 0, 2, 1}, {Tag::death_notice, 2, 0, 2, 1}});
  ranks.receive(1, 0, 2);
  ranks.send(2, 0, 2);
  ranks.puppets.run();
  ranks.kill(0);
  EXPECT_FALSE(ranks.puppets.next(1));
  EXPECT_FALSE(ranks.puppets.next(2));
  EXPECT_EQ(ranks.puppets.world().comm().waits(),
            "p0 to p1 on communicator 0: 0 messages, a receive\n"
            "p2 to p0 on communicator 0: 0 messages, 1 that nobody takes\n");
}

TEST(SimulatedComm, tells_a_sender_that_its_receiver_is_gone) {
  Ranks ranks(2, all_long);
  ranks.send(1, 0, 2);
  ranks.send(1, 0, 3);
  ranks.puppets.perform(1, action::AbandonSend{Op{3}});
  ranks.puppets.run();
  ranks.kill(0);
  EXPECT_EQ(ranks.sent(1), Status::peer_lost);
  ranks.send(1, 0, 4);
  EXPECT_EQ(ranks.sent(1), Status::peer_lost) << "known by now";
  EXPECT_FALSE(ranks.puppets.next(1)) << "an abandoned send is answered";
}

TEST(SimulatedComm, cuts_a_long_message_when_its_sender_dies_in_the_middle) {
  Ranks ranks(2, all_long);
  ranks.send(0, 1, 2, 1'000'000);
  ranks.puppets.run();
  ranks.receive(1, 0, 3);
  ranks.kill(0);
  EXPECT_EQ(ranks.arrived(1), Status::peer_lost);
  EXPECT_EQ(ranks.puppets.world().comm().counts(), (CommModel::Counts{1, 0, 1, 0}));
}

TEST(SimulatedComm, moves_a_long_message_only_while_both_sides_run) {
  for (const std::uint32_t stops : {0, 1}) {
    Ranks ranks(2, all_long);
    ranks.send(0, 1, 2, 1'000'000);
    ranks.puppets.run();
    ranks.receive(1, 0, 3);
    ranks.puppets.world().signal_process(stops, SIGSTOP);
    EXPECT_FALSE(ranks.puppets.next(0)) << "sent while rank " << stops << " is stopped";
    EXPECT_FALSE(ranks.puppets.next(1));
    EXPECT_EQ(ranks.puppets.world().comm().waits(), "p0 to p1 on communicator 0: 1 messages, a receive, one of them half-way\n");
    ranks.puppets.world().signal_process(stops, SIGCONT);
    EXPECT_EQ(ranks.sent(0), Status::ok);
    EXPECT_EQ(ranks.arrived(1), Status::ok);
  }
}

TEST(SimulatedComm, drops_a_long_message_whose_receive_is_withdrawn_in_the_middle) {
  Ranks ranks(2, all_long);
  for (const std::uint64_t op : {2, 3}) ranks.send(0, 1, op, 1'000'000);
  ranks.puppets.run();
  ranks.receive(1, 0, 4);
  ranks.puppets.perform(1, action::WithdrawReceive{Op{4}});
  ranks.receive(1, 0, 5);
  EXPECT_EQ(ranks.sent(0), Status::ok);
  const auto arrived = ranks.next<event::MessageArrived>(1);
  ASSERT_TRUE(arrived);
  EXPECT_EQ(arrived->op, Op{5});
  EXPECT_EQ(arrived->tag, MessageTag{3});
  EXPECT_EQ(ranks.puppets.world().comm().counts(), (CommModel::Counts{2, 1, 1, 0}));
}

TEST(SimulatedComm, a_killed_rank_ends_the_others_of_its_job_unless_they_outlive_each_other) {
  for (const bool outlive : {false, true}) {
    PuppetWorld puppets(0, {}, [&](Scenario& scenario) {
      for (const char* name : {"first", "second"}) scenario.process(name).runs(Puppet{}).in_job("job");
      if (outlive) scenario.ranks_outlive_each_other();
    });
    puppets.world().signal_process(0, SIGKILL);
    puppets.run();
    EXPECT_EQ(puppets.world().process(1).life, outlive ? Life::running : Life::gone);
  }
}

// ---------------------------------------------------------------- delays

TEST(SimulatedComm, starves_one_pair_and_nobody_else) {
  Ranks ranks(3, all_short, {{Tag::starvation, 0, 0, 18, 17}});  // as long as there are faults
  ranks.send(0, 1, 2);
  ranks.send(0, 1, 3);
  ranks.send(0, 2, 4);
  ranks.send(2, 1, 2);
  ranks.receive(1, 0, 5);
  ranks.receive(1, 2, 6);
  ranks.receive(2, 0, 7);
  const auto of = [&](std::uint32_t rank) { return std::get<event::MessageArrived>(*ranks.puppets.soonest(rank, Role{0})); };
  EXPECT_EQ(of(1).from, Rank{2});
  while (!std::holds_alternative<event::MessageArrived>(*ranks.puppets.soonest(2, Role{0}))) {
  }
  EXPECT_LT(ranks.puppets.world().now(), Time{} + seconds(1));
  const auto starved = of(1);
  EXPECT_EQ(starved.tag, MessageTag{2});
  EXPECT_GE(ranks.puppets.world().now(), ranks.puppets.world().heals_at());
}

TEST(SimulatedComm, draws_which_messages_are_short_once_a_run) {
  for (std::uint32_t answer = 0; answer < 6; ++answer) {
    PuppetWorld puppets(2, {{Tag::eager_limit, 0, 0, 6, answer}});
    puppets.world().collectives().add_job({0, 1});
    for (const std::size_t rank : {0u, 1u}) puppets.perform(rank, action::JoinWorld{Op{1}});
    EXPECT_TRUE(puppets.next(0));
    std::size_t done = 0;
    constexpr std::size_t lengths[] = {0, 63, 64, 1'023, 1'024, 8'191, 8'192, 65'535, 65'536};
    for (std::uint64_t i = 0; i < std::size(lengths); ++i)
      puppets.perform(0,
                      action::SendMessage{Op{10 + i}, world_communicator, Rank{1}, MessageTag{}, Blob(lengths[i], [](auto) {})});
    while (puppets.next(0)) ++done;
    constexpr std::size_t expected[] = {6, 9, 0, 2, 4, 8};
    EXPECT_EQ(done, expected[answer]) << answer;
  }
}

}  // namespace
}  // namespace comm_model
}  // namespace tenter::sim
