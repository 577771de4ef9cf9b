// OverStreams beyond the contract of Comm: who may join, who is lost, what overtakes, and how it ends.
#include <gtest/gtest.h>

#include "carrier_world.hpp"

namespace tenter::carrier {
namespace {

using namespace carrier_kit;
using control::CarrierStep;

constexpr MessageTag beat{3};
constexpr std::size_t steps = 2'000;

Blob filled(std::size_t bytes, char with) { return Blob(std::string_view(std::string(bytes, with))); }

template <class World>
void join_all(World& world, std::size_t ranks) {
  for (std::size_t rank = 0; rank < ranks; ++rank) world.perform(rank, action::JoinWorld{Op{1}});
  world.run(steps);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto joined = world.unread(rank);
    ASSERT_TRUE(joined && std::holds_alternative<event::WorldJoined>(*joined)) << rank;
    ASSERT_EQ(std::get<event::WorldJoined>(*joined).status, Status::ok);
  }
}
std::optional<event::MessageArrived> receive(CarrierWorld<>& world, std::size_t rank, std::uint32_t from, std::uint64_t op) {
  world.perform(rank, action::ReceiveMessage{Op{op}, world_communicator, Rank{from}, 64u << 20});
  world.run(1'000'000);
  while (const auto event = world.unread(rank))
    if (const auto* arrived = std::get_if<event::MessageArrived>(&*event)) return *arrived;
  return std::nullopt;
}
bool is_alive(CarrierWorld<>& world, sim::ProcessIndex process) {
  return world.world().process(process).life == sim::Life::running;
}
// A connection of a process that is no carrier's, which says these bytes, and no more.
void say(CarrierWorld<>& world, std::size_t process, std::uint32_t connection, std::string_view bytes) {
  world.perform(process, action::Connect{Op{connection}, Connection{connection}, Blob(center_address)});
  world.run(30);
  if (!bytes.empty()) world.perform(process, action::WriteStream{Op{connection + 1'000u}, Connection{connection}, Blob(bytes)});
  world.run(30);
}

TEST(OverStreams, a_heartbeat_does_not_wait_behind_16_mib) {
  CarrierWorld<> world(configs_of(2, beat), {}, [](sim::Scenario& scenario) { scenario.stream_window(65'536); });
  join_all(world, 2);
  world.perform(1, action::SendMessage{Op{2}, world_communicator, Rank{0}, MessageTag{1}, filled(16u << 20, 'x')});
  world.run(1'000);
  world.perform(1, action::SendMessage{Op{3}, world_communicator, Rank{0}, beat, filled(40, 'b')});
  const auto first = receive(world, 0, 1, 4);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->tag, beat);
  const auto second = receive(world, 0, 1, 5);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->content.size(), 16u << 20);
}

TEST(OverStreams, nothing_is_read_while_no_receive_is_posted) {
  CarrierWorld<> world(configs_of(2), {}, [](sim::Scenario& scenario) { scenario.stream_window(4'096); });
  join_all(world, 2);
  for (std::uint64_t i = 0; i < 100; ++i)
    world.perform(1, action::SendMessage{Op{10 + i}, world_communicator, Rank{0}, MessageTag{1}, filled(1'000, 'x')});
  world.run(1'000'000);
  std::size_t sent = 0;
  while (world.unread(1)) ++sent;
  EXPECT_LE(sent, 8u) << "of 100: the rest waits at its sender";
  for (std::uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(receive(world, 0, 1, 200 + i)) << i;
}

TEST(OverStreams, who_does_not_show_the_token_is_turned_away_and_costs_the_others_nothing) {
  auto configs = configs_of(2);
  configs.push_back(config_of(1, 2));
  configs[2].token = control::Hidden("another token of tests");
  configs.push_back(config_of(1, 2));
  configs[3].session = 77;
  CarrierWorld<> world(configs);
  world.perform(0, action::JoinWorld{Op{1}});
  world.perform(2, action::JoinWorld{Op{1}});
  world.perform(3, action::JoinWorld{Op{1}});
  world.run(steps);
  EXPECT_EQ(world.carrier(0).step(), CarrierStep::joining) << "nobody of ours is here";
  EXPECT_GE(world.carrier(0).turned_away(), 4u);
  world.perform(1, action::JoinWorld{Op{1}});
  world.run(steps);
  EXPECT_EQ(world.carrier(0).step(), CarrierStep::running);
  EXPECT_EQ(world.carrier(1).step(), CarrierStep::running);
  EXPECT_EQ(world.carrier(2).step(), CarrierStep::joining);
}

TEST(OverStreams, strangers_are_few_at_once_and_each_has_a_time) {
  auto configs = configs_of(2);
  configs[0].strangers_max = 4;
  configs.push_back(config_of(1, 2));
  CarrierWorld<> world(configs);
  world.perform(0, action::JoinWorld{Op{1}});
  for (std::uint32_t i = 0; i < 12; ++i)  // silent, all at once
    world.perform(2, action::Connect{Op{100 + i}, Connection{100 + i}, Blob(center_address)});
  for (std::size_t i = 0; i < steps; ++i) {
    world.run(1);
    ASSERT_LE(world.carrier(0).strangers(), 4u);
  }
  EXPECT_EQ(world.carrier(0).turned_away(), 12u);
  for (std::uint32_t i = 0; i < 4; ++i)
    say(world, 2, 200 + i, i % 2 == 0 ? std::string_view("GET / HTTP/1.1\r\n\r\n") : std::string_view("TNTR\1\0\0"));
  world.run_while([&] { return world.carrier(0).strangers() > 0; });
  EXPECT_FALSE(world.world().finding()) << world.world().finding()->text;
  EXPECT_EQ(world.carrier(0).strangers(), 0u) << "their time is over";
  EXPECT_EQ(world.carrier(0).turned_away(), 16u);
  world.perform(1, action::JoinWorld{Op{1}});
  world.run_while(
      [&] { return world.carrier(1).step() == CarrierStep::joining || world.carrier(1).step() == CarrierStep::idle; });
  EXPECT_EQ(world.carrier(1).step(), CarrierStep::running);
}

TEST(OverStreams, a_join_that_is_not_whole_in_time_names_who_is_missing) {
  auto configs = configs_of(4);
  for (CarrierConfig& config : configs) config.join_patience = seconds(5);
  CarrierWorld<> world(configs);
  for (const std::size_t rank : {0u, 2u}) world.perform(rank, action::JoinWorld{Op{1}});
  for (const std::size_t rank : {0u, 2u}) {
    const auto joined = world.soonest(rank);
    ASSERT_TRUE(joined && std::holds_alternative<event::WorldJoined>(*joined));
    EXPECT_EQ(std::get<event::WorldJoined>(*joined).status, Status::timed_out);
    const std::string text(std::get<event::WorldJoined>(*joined).text.text());
    EXPECT_NE(text.find(rank == 0 ? "rank 1, rank 3" : "rank 0 at "), std::string::npos) << text;
    EXPECT_EQ(text.find("a token of the tests"), std::string::npos);
  }
}

TEST(OverStreams, a_rank_whose_process_ends_is_lost_and_no_other) {
  CarrierWorld<> world(configs_of(3));
  join_all(world, 3);
  world.perform(2, action::SendMessage{Op{2}, world_communicator, Rank{0}, MessageTag{1}, filled(10, 'x')});
  world.world().end_process(1, 0, 9);
  const auto lost = receive(world, 0, 1, 3);
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->status, Status::peer_lost);
  EXPECT_EQ(receive(world, 0, 1, 4)->status, Status::peer_lost) << "and stays so";
  EXPECT_EQ(receive(world, 0, 2, 5)->status, Status::ok);
  world.perform(0, action::SendMessage{Op{6}, world_communicator, Rank{1}, MessageTag{1}, filled(10, 'x')});
  world.run(steps);
  const auto refused = world.unread(0);
  ASSERT_TRUE(refused && std::holds_alternative<event::MessageSent>(*refused));
  EXPECT_EQ(std::get<event::MessageSent>(*refused).status, Status::peer_lost);
}

TEST(OverStreams, what_was_said_before_an_orderly_exit_arrives_whole) {
  CarrierWorld<> world(configs_of(2, beat), {}, [](sim::Scenario& scenario) { scenario.stream_window(65'536); });
  join_all(world, 2);
  world.perform(0, action::SendMessage{Op{2}, world_communicator, Rank{1}, beat, filled(40, 'b')});  // stays unread there
  world.perform(1, action::SendMessage{Op{3}, world_communicator, Rank{0}, MessageTag{1}, filled(1'000'000, 'x')});
  world.perform(1, action::ExitProcess{0, true});
  const auto arrived = receive(world, 0, 1, 4);
  ASSERT_TRUE(arrived);
  EXPECT_EQ(arrived->status, Status::ok);
  EXPECT_EQ(arrived->content.size(), 1'000'000u);
  world.perform(0, action::ExitProcess{0, true});
  world.run(1'000'000);
  EXPECT_FALSE(is_alive(world, 0));
  EXPECT_FALSE(is_alive(world, 1));
}

TEST(OverStreams, a_rank_that_does_not_read_delays_an_orderly_exit_no_longer_than_its_patience) {
  CarrierWorld<> world(configs_of(2));
  join_all(world, 2);
  world.world().signal_process(1, 19);
  world.perform(0, action::ExitProcess{0, true});
  world.run(1'000'000);
  EXPECT_FALSE(is_alive(world, 0));
}

TEST(OverStreams, a_message_longer_than_any_can_be_loses_its_sender_before_it_is_read) {
  auto configs = configs_of(3);
  configs[0].message_bytes_max = 1'000;
  CarrierWorld<> world(configs);
  join_all(world, 3);
  world.perform(1, action::SendMessage{Op{2}, world_communicator, Rank{0}, MessageTag{1}, filled(1'001, 'x')});
  world.perform(2, action::SendMessage{Op{2}, world_communicator, Rank{0}, MessageTag{1}, filled(1'000, 'x')});
  EXPECT_EQ(receive(world, 0, 1, 3)->status, Status::peer_lost);
  EXPECT_EQ(receive(world, 0, 2, 4)->status, Status::ok);
}

TEST(OverStreams, what_this_carrier_cannot_do_is_answered_and_not_left_open) {
  CarrierWorld<> world(configs_of(3));
  world.perform(1, action::SendMessage{Op{2}, world_communicator, Rank{0}, MessageTag{1}, {}});
  world.run(steps);
  EXPECT_EQ(std::get<event::MessageSent>(*world.unread(1)).status, Status::unavailable) << "before the world is joined";
  join_all(world, 3);
  world.perform(1, action::SendMessage{Op{3}, world_communicator, Rank{2}, MessageTag{1}, {}});
  world.perform(1, action::ReceiveMessage{Op{4}, Communicator{7}, Rank{0}, 10});
  world.perform(1, action::JoinWorld{Op{5}});
  world.run(steps);
  EXPECT_EQ(std::get<event::MessageSent>(*world.unread(1)).status, Status::invalid);
  EXPECT_EQ(std::get<event::MessageArrived>(*world.unread(1)).status, Status::invalid);
  EXPECT_EQ(std::get<event::WorldJoined>(*world.unread(1)).status, Status::exists);
}

}  // namespace
}  // namespace tenter::carrier
