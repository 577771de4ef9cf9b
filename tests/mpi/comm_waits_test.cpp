// Rings, sleeps and counts of Comm on MPI, in every rank of one mpiexec.
#include <gtest/gtest.h>

#include "tests/conformance/comm_user.hpp"
#include "tests/mpi/comm_messages.hpp"

namespace tenter::hw {
namespace comm_waits {
namespace {

using conformance::message_bytes;

CommLimits without_a_safety_net() {
  CommLimits limits;
  limits.wait.net_first = limits.wait.net_most = seconds(600);
  return limits;
}

struct Speaker {
  explicit Speaker(CommLimits limits = {}) : world(limits) {
    world.perform(world.self(), action::JoinWorld{Op{1}});
    const auto joined = world.next(world.self());
    EXPECT_TRUE(joined && std::holds_alternative<event::WorldJoined>(*joined));
  }
  Op send(Rank to, Blob content, std::uint32_t tag = 1) {
    world.perform(world.self(), action::SendMessage{Op{++ops}, world_communicator, to, MessageTag{tag}, std::move(content)});
    return Op{ops};
  }
  Op receive(Rank from, std::uint64_t limit = 64u << 20) {
    world.perform(world.self(), action::ReceiveMessage{Op{++ops}, world_communicator, from, limit});
    return Op{ops};
  }
  // The answers to so many operations, whichever comes first.
  std::vector<Event> answers(std::size_t count) {
    std::vector<Event> all;
    while (all.size() < count) {
      auto event = world.next(world.self());
      EXPECT_TRUE(event.has_value()) << all.size() << " of " << count << " came; " << world.part().in_flight_text();
      if (!event) break;
      all.push_back(std::move(*event));
    }
    return all;
  }
  bool first() const { return world.self() == Rank{0}; }
  Rank last() const { return Rank{world.size() - 1}; }

  MpiMessages<true> world;
  std::uint64_t ops = 1;
};

// One message to the next rank each round, all at once, of all lengths; some ranks late, so that the others sleep.
void run_rounds(Speaker& speaker, std::uint32_t rounds) {
  const std::uint32_t ranks = speaker.world.size();
  const Rank next{(number(speaker.world.self()) + 1) % ranks}, before{(number(speaker.world.self()) + ranks - 1) % ranks};
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const std::size_t bytes = round % 7 == 0 ? 300'000 : round % 5 == 0 ? 9'000 : 40;
    speaker.receive(before);
    if (round % 20 == 0 && Rank{round / 20 % ranks} == speaker.world.self()) speaker.world.settle();
    speaker.send(next, message_bytes(round, bytes));
    std::size_t arrived = 0;
    for (const Event& event : speaker.answers(2)) {
      const auto* message = std::get_if<event::MessageArrived>(&event);
      if (!message) continue;
      ++arrived;
      ASSERT_TRUE(message->content == message_bytes(round, bytes)) << "round " << round;
    }
    ASSERT_EQ(arrived, 1u) << "round " << round;
  }
}

// Two ranks that never spoke before are connected first, by messages of the library's own that nobody rings for: that is left to
// the net.
TEST(CommWaits, no_ring_is_missing_when_there_is_no_safety_net) {
  if (MpiWorld::environment->size() == 1) return;
  {
    Speaker connecting;
    run_rounds(connecting, 1);
  }
  Speaker speaker(without_a_safety_net());
  const std::uint64_t of_the_join = speaker.world.part().counters().safety_net_wakes;
  run_rounds(speaker, 200);
  EXPECT_EQ(speaker.world.part().counters().safety_net_wakes, of_the_join);
  EXPECT_GT(speaker.world.part().counters().sleeps, 0u) << "nobody slept, so nothing was shown";
}

TEST(CommWaits, who_only_waits_for_messages_comes_to_rest) {
  Speaker speaker;
  for (std::uint32_t rank = 0; rank < speaker.world.size(); ++rank) speaker.receive(Rank{rank});
  (void)speaker.world.drive([] { return false; }, milliseconds(300));
  const std::uint64_t before = speaker.world.part().counters().sleeps;
  timespec used{}, then{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  (void)speaker.world.drive([] { return false; }, seconds(1));
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &then);
  const double ms = static_cast<double>(then.tv_sec - used.tv_sec) * 1e3 + static_cast<double>(then.tv_nsec - used.tv_nsec) / 1e6;
  EXPECT_LE(speaker.world.part().counters().sleeps - before, 40u) << "a net of 50 ms catches 20 times a second";
  EXPECT_LT(ms, 15.0) << "of 1,000";
  speaker.world.hold();
}

TEST(CommWaits, a_long_message_that_nobody_takes_lets_its_sender_sleep) {
  Speaker speaker;
  if (speaker.world.size() == 1) return;
  if (speaker.first()) {
    speaker.send(speaker.last(), message_bytes(1, 2'000'000));
    (void)speaker.world.drive([] { return false; }, milliseconds(1'500));
    const std::uint64_t before = speaker.world.part().counters().sleeps;
    EXPECT_EQ(speaker.world.part().in_flight(), 1u);
    EXPECT_NE(speaker.world.part().in_flight_text().find("2000000 bytes"), std::string::npos);
    (void)speaker.world.drive([] { return false; }, milliseconds(500));
    EXPECT_LE(speaker.world.part().counters().sleeps - before, 40u);
  }
  speaker.world.hold();
  if (speaker.world.self() == speaker.last()) {
    speaker.receive(Rank{0});
    const auto arrived = std::get<event::MessageArrived>(speaker.answers(1).at(0));
    EXPECT_TRUE(arrived.content == message_bytes(1, 2'000'000));
  }
  if (speaker.first()) {
    EXPECT_TRUE(std::holds_alternative<event::MessageSent>(speaker.answers(1).at(0)));
  }
}

TEST(CommWaits, a_tag_at_either_side_of_the_border_arrives_as_it_was_sent) {
  Speaker speaker;
  const std::vector<std::uint32_t> tags = {0, 32'765, 32'766, 32'767, 32'768, 65'535, 0x8000'0000u, 0xFFFF'FFFFu, 1};
  if (speaker.first())
    for (const std::uint32_t tag : tags) speaker.send(speaker.last(), message_bytes(tag, 100), tag);
  if (speaker.first() && speaker.last() != Rank{0}) {
    EXPECT_EQ(speaker.answers(tags.size()).size(), tags.size());
  }
  if (speaker.world.self() != speaker.last()) return;
  for (const std::uint32_t tag : tags) {
    const Op op = speaker.receive(Rank{0});
    const auto is_it = [&](const Event& event) {
      const auto* arrived = std::get_if<event::MessageArrived>(&event);
      return arrived != nullptr && arrived->op == op;
    };
    Event event = speaker.answers(1).at(0);
    while (!is_it(event)) event = speaker.answers(1).at(0);
    EXPECT_EQ(std::get<event::MessageArrived>(event).tag, MessageTag{tag});
    EXPECT_TRUE(std::get<event::MessageArrived>(event).content == message_bytes(tag, 100));
  }
}

TEST(CommWaits, what_was_too_long_is_counted_and_a_withdrawn_one_that_was_begun_is_dropped_and_counted) {
  Speaker speaker;
  if (speaker.world.size() == 1) return;
  constexpr std::size_t bytes = 8'000'000;
  if (speaker.first()) {
    speaker.send(speaker.last(), message_bytes(1, bytes));
    speaker.send(speaker.last(), message_bytes(2, bytes));
    (void)speaker.answers(2);
  }
  if (speaker.world.self() == speaker.last()) {
    speaker.receive(Rank{0}, bytes - 1);
    const auto arrived = std::get<event::MessageArrived>(speaker.answers(1).at(0));
    EXPECT_EQ(arrived.status, Status::no_space);
    EXPECT_EQ(arrived.length, bytes);
    EXPECT_EQ(speaker.world.part().counters().too_long, 1u);
    const Op second = speaker.receive(Rank{0});
    EXPECT_TRUE(speaker.world.drive([&] { return speaker.world.part().in_flight() != 0; }, seconds(10), true)) << "never begun";
    speaker.world.perform(speaker.world.self(), action::WithdrawReceive{second});
    EXPECT_TRUE(speaker.world.drive([&] { return speaker.world.part().in_flight() == 0; }, seconds(10)));
    EXPECT_EQ(speaker.world.part().counters().dropped, 1u);
    EXPECT_FALSE(speaker.world.soon(speaker.world.self()).has_value());
  }
}

TEST(CommWaits, a_rank_or_communicator_that_is_none_is_answered_as_invalid) {
  Speaker speaker;
  speaker.send(Rank{speaker.world.size()}, Blob());
  speaker.receive(Rank{speaker.world.size()});
  speaker.world.perform(speaker.world.self(), action::SendMessage{Op{90}, Communicator{9}, Rank{0}, MessageTag{1}, Blob()});
  speaker.world.perform(speaker.world.self(), action::ReceiveMessage{Op{91}, Communicator{9}, Rank{0}, 1});
  for (const Event& event : speaker.answers(4)) {
    const auto* sent = std::get_if<event::MessageSent>(&event);
    const auto* arrived = std::get_if<event::MessageArrived>(&event);
    EXPECT_EQ(sent ? sent->status : arrived->status, Status::invalid);
    EXPECT_FALSE((sent ? sent->text : arrived->content).empty());
  }
}

}  // namespace
}  // namespace comm_waits
}  // namespace tenter::hw
