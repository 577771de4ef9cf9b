// The end of a session: always, within one deadline, everybody told. P-X11, P-X12, P-A10, P-B5; spec B6, rows of shutdown.
#include "world.hpp"

namespace tenter::control::test {
namespace end_test {
namespace {

TEST(End, comes_at_the_deadline_when_an_executor_does_not_leave_and_names_it) {
  World world(hub_config(3));
  world.hanging = {2};
  world.start();
  const auto task = world.submit(1);
  world.run();
  const auto end = world.call(shutdown_note(seconds(3)));
  world.run();
  EXPECT_FALSE(world.answered(end));
  world.advance(seconds(3));
  EXPECT_EQ(world.answer(end).status, Status::timed_out);
  EXPECT_NE(world.answer(end).text.text().find("rank 2 (worker 1)"), std::string_view::npos);
  EXPECT_EQ(world.answer(task).status, Status::peer_lost);
  EXPECT_EQ(world.exits[0], (action::ExitProcess{1, false}));
  EXPECT_EQ(world.exits[1], (action::ExitProcess{0, true}));
  EXPECT_EQ(world.exits[3], (action::ExitProcess{0, true}));
  EXPECT_TRUE(world.breaches.empty()) << world.breaches[0];
}
TEST(End, does_not_wait_for_an_executor_that_is_lost) {
  World world(hub_config(2));
  world.start();
  world.kill(1);
  world.advance(seconds(6));
  const auto end = world.call(shutdown_note(seconds(100)));
  world.run();
  EXPECT_EQ(world.answer(end).status, Status::failed);
  EXPECT_NE(world.answer(end).text.text().find("rank 1 (worker 0): nothing was heard"), std::string_view::npos);
  EXPECT_EQ(world.exits[0], (action::ExitProcess{1, false}));
  EXPECT_EQ(world.exits[2], (action::ExitProcess{0, true}));
}
TEST(End, of_one_whose_route_failed_while_it_lives_is_in_order) {
  World world(hub_config(2));
  world.start();
  world.call(cancel_route_note(0));
  world.run();
  EXPECT_EQ(world.exits[1], (action::ExitProcess{0, true}));
  const auto end = world.call(shutdown_note(seconds(5)));
  world.run();
  EXPECT_EQ(world.answer(end).status, Status::failed) << "it tells of the route that failed";
  EXPECT_EQ(world.exits[0], (action::ExitProcess{1, true}));
  EXPECT_TRUE(world.breaches.empty()) << world.breaches[0];
}
TEST(End, with_abort_cancels_what_is_in_flight_at_once_and_drops_its_late_reply) {
  World world(hub_config(1));
  world.hanging = {1};
  world.start();
  const auto task = world.submit(0);
  world.run();
  const auto end = world.call(shutdown_note(seconds(5), true));
  EXPECT_EQ(world.answer(task).status, Status::cancelled);
  world.run();
  world.release(0);
  EXPECT_EQ(world.answer(end).status, Status::ok);
  EXPECT_EQ(world.exits[0], (action::ExitProcess{0, true}));
  EXPECT_TRUE(world.breaches.empty()) << world.breaches[0];
}
TEST(End, asked_for_twice_is_one_end_and_both_are_answered) {
  World world(hub_config(1));
  world.start();
  const auto first = world.call(shutdown_note(seconds(5)));
  const auto second = world.call(shutdown_note(seconds(1)));
  world.run();
  EXPECT_EQ(world.answer(first).status, Status::ok);
  EXPECT_EQ(world.answer(second).status, Status::ok);
  EXPECT_TRUE(world.breaches.empty()) << world.breaches[0];
}
TEST(End, asked_for_before_the_world_is_joined_comes_after_it_or_at_the_deadline) {
  for (const bool joins : {true, false}) {
    World world(hub_config(1));
    world.puppets = {1};
    Outbox out;
    world.hub.on(event::Started{Time{1}}, out);
    const auto start = world.call(call_note(CallKind::start));
    const auto end = world.call(shutdown_note(seconds(5)));
    EXPECT_FALSE(world.answered(end));
    if (joins) {
      Outbox more;
      world.hub.on(event::WorldJoined{Time{1}, operation(OperationKind::join), Status::ok, Rank{0}, 2, {}}, more);
      EXPECT_EQ(world.hub.state(), HubState::closing);
      bool told = false;
      for (const Action& action : more.actions())
        if (const auto* send = std::get_if<action::SendMessage>(&action))
          told = read_frame(send->content.bytes())->type == FrameType::shutdown;
      EXPECT_TRUE(told);
    } else {
      world.advance(seconds(5));
      EXPECT_EQ(world.answer(end).status, Status::timed_out);
      EXPECT_EQ(world.answer(start).status, Status::unavailable);
    }
  }
}
// P-X12: the HELLO that is under way is heard before the goodbye behind it.
TEST(End, asked_for_before_any_hello_came_waits_for_every_last_word) {
  for (const std::uint64_t features : {all_features, std::uint64_t{0}}) {
    ExecutorConfig config = executor_config();
    config.features = features;
    World world(hub_config(3), config);
    world.join();
    const auto end = world.call(shutdown_note(seconds(5)));
    world.run();
    EXPECT_EQ(world.answer(end).status, Status::ok);
    for (std::uint32_t rank = 0; rank <= 3; ++rank) EXPECT_EQ(world.exits[rank], (action::ExitProcess{0, true})) << rank;
    EXPECT_TRUE(world.breaches.empty()) << world.breaches[0];
  }
}
TEST(End, a_second_call_may_abort_what_the_first_waits_for) {
  World world(hub_config(1));
  world.hanging = {1};
  world.start();
  const auto task = world.submit(0);
  world.call(shutdown_note(seconds(5)));
  EXPECT_FALSE(world.answered(task));
  world.call(shutdown_note(seconds(5), true));
  EXPECT_EQ(world.answer(task).status, Status::cancelled);
}
// The reference's executors say no goodbye: they have left when they have taken SHUTDOWN and answered.
TEST(End, of_an_executor_that_says_no_goodbye_is_when_it_has_taken_shutdown_and_answered) {
  World world(hub_config(1));
  world.puppets = {1};
  world.start();
  world.say_hello(0, 0);
  world.run();
  const auto task = world.submit(0);
  const auto end = world.call(shutdown_note(seconds(5)));
  EXPECT_EQ(world.hear(0), (std::vector<FrameType>{FrameType::task, FrameType::shutdown}));
  EXPECT_FALSE(world.answered(end));
  world.complete(0, 1);
  world.run();
  EXPECT_EQ(world.answer(task).status, Status::ok);
  EXPECT_EQ(world.answer(end).status, Status::ok);
}
// The order is the contract: nothing follows SHUTDOWN, so who takes it in order has taken everything.
TEST(End, nothing_is_sent_to_an_executor_behind_shutdown) {
  World world(hub_config(1));
  world.puppets = {1};
  world.start();
  world.say_hello(0);
  world.run();
  world.submit(0);
  world.call(shutdown_note(seconds(60)));
  for (int second = 0; second < 30; ++second) {
    world.say(0, FrameType::health, 10 + static_cast<std::uint64_t>(second));
    world.advance(seconds(1));
  }
  const auto heard = world.hear(0);
  ASSERT_FALSE(heard.empty());
  EXPECT_EQ(heard.back(), FrameType::shutdown);
  EXPECT_EQ(std::count(heard.begin(), heard.end(), FrameType::shutdown), 1);
}
TEST(End, when_every_message_waits_for_its_receiver_is_in_order_too) {
  World world(hub_config(3, 4));
  world.eager_below = 0;
  world.start();
  for (int i = 0; i < 9; ++i) world.submit(any_worker);
  world.run();
  const auto end = world.call(shutdown_note(seconds(5)));
  world.run();
  EXPECT_EQ(world.answer(end).status, Status::ok);
  EXPECT_TRUE(world.breaches.empty()) << world.breaches[0];
}

// A goodbye while a message of ours lies at the port: it will never be taken, so no orderly end is possible (MPI 4.0, 11.2.2).
TEST(End, a_goodbye_before_all_was_taken_loses_the_route_and_the_process_leaves_without_finalizing) {
  World world(hub_config(1));
  world.puppets = {1};
  world.start();
  world.say_hello(0);
  world.run();
  world.hear(0);
  const auto large = world.control(0, ControlName::copy_to_remote, sized(1u << 20));
  world.call(cancel_note(Ticket{large}));
  const auto shutdown = world.call(shutdown_note(seconds(5)));
  world.say_hello(0, all_features, ReadyState::not_ready);
  world.run();
  EXPECT_EQ(world.answer(large).status, Status::cancelled);
  EXPECT_EQ(world.answer(shutdown).status, Status::failed);
  ASSERT_TRUE(world.exits.contains(0));
  EXPECT_FALSE(world.exits.at(0).orderly);
  EXPECT_TRUE(world.hub.credit().all_free());
  EXPECT_TRUE(world.breaches.empty());
}

// L1: a rank that dies in MPI_Init leaves the others in it.
TEST(End, a_world_that_is_never_joined_fails_the_start_within_its_patience) {
  const HubConfig config = hub_config(1);
  Outbox out;
  Hub hub(config);
  hub.on(event::Started{Time{5}}, out);
  hub.on(event::Submitted{Time{5}, Ticket{1}, call_note(CallKind::start)}, out);
  out.clear();
  hub.on(event::TimerFired{Time{5} + config.startup_patience, operation(OperationKind::startup)}, out);
  ASSERT_TRUE(std::holds_alternative<action::Complete>(out.actions().back()));
  const Note& answer = std::get<action::Complete>(out.actions().back()).outcome;
  EXPECT_EQ(answer.status, Status::failed);
  EXPECT_NE(answer.text.text().find("not joined within"), std::string_view::npos);
  hub.on(event::WorldJoined{Time{6}, operation(OperationKind::join), Status::ok, Rank{0}, 2, {}}, out);
  EXPECT_EQ(hub.state(), HubState::failed) << "too late";
}

}  // namespace
}  // namespace end_test
}  // namespace tenter::control::test
