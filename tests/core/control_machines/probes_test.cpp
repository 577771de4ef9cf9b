// The probes of the reference's hub (spec B3.8), as claims that ours keeps. Their planted variants: planted_test.cpp.
#include "world.hpp"

namespace tenter::control::test {
namespace probes_test {
namespace {

HubConfig tight(std::uint32_t executors) {
  HubConfig config = hub_config(executors);
  config.credit.pool_bytes = frame_bytes_max;  // B20: exactly one largest frame
  return config;
}
constexpr std::size_t largest_command = payload_bytes_max - control_head_bytes;

// A; P-X1, P-X2, P-X3, B20.
TEST(ProbeA, one_stuck_largest_frame_stops_no_other_route_and_nobody_waits_for_credit) {
  World world(tight(3));
  world.start();
  world.stopped = {1};
  const auto stuck = world.control(0, ControlName::copy_to_remote, sized(largest_command));
  for (int i = 0; i < 20; ++i) {
    const auto small = world.submit(1);
    world.run();
    EXPECT_EQ(world.answer(small).status, Status::ok);
  }
  const auto large = world.control(2, ControlName::copy_to_remote, sized(largest_command));
  EXPECT_EQ(world.answer(large).status, Status::no_space) << "at once";
  EXPECT_FALSE(world.answered(stuck));
  EXPECT_EQ(world.health()[2].state, RouteState::ready);
  world.advance(seconds(6));
  EXPECT_EQ(world.answer(stuck).status, Status::peer_lost) << "silence ends it, and gives its credit back";
  EXPECT_TRUE(world.hub.credit().all_free());
  const auto again = world.control(2, ControlName::copy_to_remote, sized(largest_command));
  world.run();
  EXPECT_EQ(world.answer(again).status, Status::failed) << "it was sent, and answered as unsupported";
  EXPECT_TRUE(world.breaches.empty());
}

TEST(ProbeA, a_frame_above_the_largest_that_may_be_sent_is_refused_for_good_and_takes_no_credit) {
  HubConfig config = tight(1);
  config.credit.largest_bytes = 1'000;
  World world(config);
  world.start();
  const auto fits = world.control(0, ControlName::copy_to_remote, sized(1'000 - layout::header_bytes - control_head_bytes));
  world.run();
  EXPECT_EQ(world.answer(fits).status, Status::failed) << "it was sent, and answered as unsupported";
  const auto large = world.control(0, ControlName::copy_to_remote, sized(1'001 - layout::header_bytes - control_head_bytes));
  EXPECT_EQ(world.answer(large).status, Status::invalid) << "no later try can succeed";
  EXPECT_TRUE(world.hub.credit().all_free());
  EXPECT_EQ(world.health()[0].state, RouteState::ready);
}

// B; P-A6, B25, X04, X05.
TEST(ProbeB, garbage_of_one_rank_ends_its_own_route_only) {
  World world(hub_config(2));
  world.hanging = {1};
  world.start();
  const auto before = world.submit(0);
  world.run();
  world.say(1, command_tag, sized(64));
  world.run();
  EXPECT_EQ(world.health()[1].state, RouteState::failed);
  EXPECT_NE(world.health()[1].reason.find("magic"), std::string::npos);
  world.release(0);
  EXPECT_EQ(world.answer(before).status, Status::ok);
  const auto after = world.submit(0);
  world.run();
  world.release(0);
  EXPECT_EQ(world.answer(after).status, Status::ok);
  EXPECT_EQ(world.answer(world.submit(1)).status, Status::peer_lost);
}

// C; P-X6.
TEST(ProbeC, a_duplicate_completion_is_dropped_and_counted_and_the_next_command_succeeds) {
  World world(hub_config(2));
  world.start();
  const auto first = world.submit(0);
  world.run();
  world.complete(0, 1);
  world.run();
  EXPECT_EQ(world.answer(first).status, Status::ok);
  EXPECT_EQ(world.health()[0].counts.repeated, 1u);
  for (const std::uint32_t worker : {0u, 1u}) {
    const auto next = world.submit(worker);
    world.run();
    EXPECT_EQ(world.answer(next).status, Status::ok);
  }
  EXPECT_TRUE(world.breaches.empty());
}

// D; P-X5.
TEST(ProbeD, an_unsolicited_reply_ends_its_route_and_a_flood_of_old_ones_is_bounded_and_kept_nowhere) {
  World world(hub_config(2));
  world.start();
  for (int i = 0; i < 200; ++i)
    world.say(1, FrameType::control_reply, 1,
              write_control_reply({1, ControlName::copy_from_remote, 1, 0, {}, sized(1 << 20).bytes()}));
  world.run();
  EXPECT_EQ(world.health()[1].state, RouteState::failed);
  EXPECT_NE(world.health()[1].reason.find("answers nothing that was sent"), std::string::npos);
  const auto one = world.submit(0);
  world.run();
  for (int i = 0; i < 1'000; ++i) world.complete(0, 1);
  world.run();
  EXPECT_EQ(world.health()[0].state, RouteState::ready) << "1,000 are borne";
  world.complete(0, 1);
  world.run();
  EXPECT_EQ(world.health()[0].state, RouteState::failed);
  EXPECT_EQ(world.answer(one).status, Status::ok);
}

// E; P-X7, P-A4.
TEST(ProbeE, a_cancelled_route_gives_its_credit_back_and_its_caller_an_answer_and_disturbs_no_other) {
  World world(tight(2));
  world.hanging = {2};
  world.start();
  world.stopped = {1};
  const auto stuck = world.control(0, ControlName::copy_to_remote, sized(largest_command));
  const auto other = world.submit(1);
  world.run();
  EXPECT_EQ(world.hub.credit().pool_free(), 0u);
  EXPECT_EQ(world.answer(world.call(cancel_route_note(0))).status, Status::ok);
  EXPECT_EQ(world.answer(stuck).status, Status::cancelled);
  EXPECT_TRUE(world.hub.credit().all_free());
  EXPECT_FALSE(world.answered(other));
  world.release(1);
  EXPECT_EQ(world.answer(other).status, Status::ok);
  world.stopped.clear();
  world.run();
  EXPECT_TRUE(world.exits.contains(1)) << "it was told to leave";
  EXPECT_EQ(world.health()[0].state, RouteState::failed);
}

// F; "slow is not dead".
TEST(ProbeF, a_task_that_outlives_its_deadline_ends_alone_and_its_late_reply_frees_its_place) {
  World world(hub_config(2));
  world.hanging = {1, 2};
  world.start();
  const auto slow = world.submit(0, 8, seconds(1));
  const auto healthy = world.submit(1, 8, seconds(60));
  world.run();
  world.advance(seconds(30));
  EXPECT_EQ(world.answer(slow).status, Status::timed_out);
  EXPECT_EQ(world.health()[0].state, RouteState::busy) << "it beats, so it lives";
  EXPECT_EQ(world.health()[0].given_up, 1u);
  EXPECT_EQ(world.answer(world.submit(0)).status, Status::no_space);
  EXPECT_FALSE(world.answered(healthy));
  world.release(1);
  EXPECT_EQ(world.answer(healthy).status, Status::ok);
  world.release(0);
  EXPECT_EQ(world.health()[0].counts.late, 1u);
  const auto next = world.submit(0);
  world.run();
  world.release(0);
  EXPECT_EQ(world.answer(next).status, Status::ok);
  EXPECT_TRUE(world.breaches.empty());
}

// P-X6, P-A6: they are the answers to what the hub itself gave up, so they are never a flood.
TEST(ProbeF, two_thousand_late_replies_are_counted_and_their_route_serves_on) {
  World world(hub_config(1));
  world.hanging = {1};
  world.start();
  for (int i = 0; i < 2'000; ++i) {
    const auto slow = world.submit(0, 8, milliseconds(1));
    world.run();
    world.advance(milliseconds(2));
    ASSERT_EQ(world.answer(slow).status, Status::timed_out);
    world.release(0);
  }
  EXPECT_EQ(world.health()[0].counts.late, 2'000u);
  EXPECT_EQ(world.health()[0].state, RouteState::ready);
  const auto next = world.submit(0);
  world.run();
  world.release(0);
  EXPECT_EQ(world.answer(next).status, Status::ok);
  EXPECT_TRUE(world.breaches.empty());
}

// G; P-X11, P-X12, P-A10.
TEST(ProbeG, a_shutdown_with_a_task_in_flight_tells_that_executor_too_and_waits_for_it) {
  World world(hub_config(2));
  world.hanging = {1};
  world.start();
  const auto task = world.submit(0);
  world.run();
  const auto end = world.call(shutdown_note(seconds(10)));
  world.run();
  EXPECT_FALSE(world.answered(end));
  EXPECT_EQ(world.executors[0].state(), ExecutorState::leaving);
  EXPECT_EQ(world.answer(world.submit(1)).status, Status::unavailable);
  world.advance(seconds(8));
  world.release(0);
  EXPECT_EQ(world.answer(task).status, Status::ok);
  EXPECT_EQ(world.answer(end).status, Status::ok);
  for (std::uint32_t rank = 0; rank <= 2; ++rank) EXPECT_EQ(world.exits[rank], (action::ExitProcess{0, true})) << rank;
  EXPECT_TRUE(world.breaches.empty());
}

// H; X06, B2.5.
TEST(ProbeH, beats_before_hello_are_counted_old_ones_and_a_second_hello_dropped_and_a_task_before_hello_is_refused) {
  World world(hub_config(1));
  world.puppets = {1};
  world.start();
  EXPECT_EQ(world.answer(world.submit(0)).status, Status::unavailable);
  world.say(0, FrameType::health, 5);
  world.run();
  EXPECT_EQ(world.health()[0].counts.early, 1u);
  EXPECT_EQ(world.health()[0].state, RouteState::registered);
  world.say_hello(0);
  world.say(0, FrameType::health, 5);
  world.say(0, FrameType::health, 4);
  world.say_hello(0);
  world.run();
  EXPECT_EQ(world.health()[0].counts.stray, 3u);
  EXPECT_EQ(world.health()[0].state, RouteState::ready);
  world.say(0, FrameType::health, 6, blob("!"));
  world.run();
  EXPECT_EQ(world.health()[0].state, RouteState::failed);
}

}  // namespace
}  // namespace probes_test
}  // namespace tenter::control::test
