// Rows of the fault model (spec B6) and review findings (B5), one executor misbehaving beside one that works.
#include "world.hpp"

namespace tenter::control::test {
namespace faults_test {
namespace {

// Rank 1 is the test's, rank 2 an executor that must never notice.
struct Beside : World {
  explicit Beside(HubConfig config = hub_config(2)) : World(std::move(config)) {
    puppets = {1};
    start();
    say_hello(0);
    run();
  }
  // The claim of every row: the other route works on, and nothing was answered twice or lost.
  void expect_the_other_works() {
    const auto ticket = submit(1);
    run();
    EXPECT_EQ(answer(ticket).status, Status::ok);
    EXPECT_EQ(health()[1].state, RouteState::ready);
    EXPECT_TRUE(breaches.empty()) << breaches[0];
  }
  void expect_failed(std::string_view why) {
    run();
    EXPECT_EQ(health()[0].state, RouteState::failed);
    EXPECT_NE(health()[0].reason.find(why), std::string::npos) << health()[0].reason;
    expect_the_other_works();
  }
  void expect_dropped() {
    run();
    EXPECT_EQ(health()[0].state, RouteState::ready);
    EXPECT_EQ(health()[0].counts.stray, 1u);
    expect_the_other_works();
  }
};

Blob frame_of(FrameType type, std::uint64_t of_session, std::int32_t worker, std::uint64_t sequence) {
  return write_frame(type, {of_session, worker, sequence}, {}).value();
}

TEST(BadFrames, of_a_stale_session_are_dropped_and_counted) {
  Beside world;
  world.say(0, health_tag, frame_of(FrameType::health, session + 1, 0, 9));
  world.expect_dropped();
}
TEST(BadFrames, under_a_tag_of_nobody_are_dropped_and_counted) {
  Beside world;
  world.say(0, MessageTag{5}, frame_of(FrameType::health, session, 0, 9));
  world.expect_dropped();
}
TEST(BadFrames, of_another_worker_end_the_route) {
  Beside world;
  world.say(0, health_tag, frame_of(FrameType::health, session, 1, 9));
  world.expect_failed("worker");
}
TEST(BadFrames, under_the_tag_of_another_type_end_the_route) {
  Beside world;
  world.say(0, reply_tag, frame_of(FrameType::health, session, 0, 9));
  world.expect_failed("tag 2");
}
TEST(BadFrames, cut_anywhere_or_with_a_byte_too_many_end_the_route) {
  const Blob good = frame_of(FrameType::health, session, 0, 9);
  for (const std::size_t bytes : {0u, 1u, 4u, 20u, 39u, 41u}) {
    Beside world;
    world.say(0, health_tag, Blob(bytes, [&](MutableBytes to) {
                std::fill(to.begin(), to.end(), std::byte{0});
                std::copy_n(good.bytes().begin(), std::min(bytes, good.size()), to.begin());
              }));
    world.expect_failed("frame");
  }
}
TEST(BadFrames, larger_than_a_frame_can_be_end_the_route) {
  Beside world;
  world.say(0, reply_tag, sized(frame_bytes_max + 1));
  world.expect_failed("16777257 bytes");
}
TEST(BadFrames, that_only_the_controller_sends_end_the_route) {
  for (const FrameType type : {FrameType::task, FrameType::control, FrameType::shutdown}) {
    Beside world;
    world.say(0, type, 1);
    world.expect_failed("only the controller");
  }
}

TEST(BadReplies, to_a_future_number_end_the_route_and_answer_what_is_in_flight) {
  Beside world;
  const auto ticket = world.submit(0);
  world.complete(0, 2);
  world.expect_failed("answers nothing");
  EXPECT_EQ(world.answer(ticket).status, Status::peer_lost);
  EXPECT_TRUE(world.hub.credit().all_free());
}
TEST(BadReplies, whose_two_numbers_differ_end_the_route) {
  Beside world;
  world.submit(0);
  world.say(0, FrameType::completion, 1, write_completion({2, 0, {}}));
  world.expect_failed("payload says sequence 2");
}
TEST(BadReplies, of_another_control_or_version_end_the_route) {
  for (const ControlReply& reply : {ControlReply{1, ControlName::export_buffer, 1, 0, {}, {}},
                                    ControlReply{1, ControlName::prepare_callable, 2, 0, {}, {}}}) {
    Beside world;
    const auto ticket = world.control(0, ControlName::prepare_callable, name_of_callable(echo_number));
    world.say(0, FrameType::control_reply, 1, write_control_reply(reply));
    world.expect_failed("asked was PREPARE_CALLABLE version 1");
    EXPECT_EQ(world.answer(ticket).status, Status::peer_lost);
  }
}
TEST(BadReplies, of_a_control_to_a_task_and_of_a_task_to_a_control_end_the_route) {
  Beside task;
  task.submit(0);
  task.say(0, FrameType::control_reply, 1, write_control_reply({1, ControlName::alloc_domain, 1, 0, {}, {}}));
  task.expect_failed("asked was TASK");
  Beside control;
  control.control(0, ControlName::prepare_callable, name_of_callable(echo_number));
  control.complete(0, 1);
  control.expect_failed("asked was PREPARE_CALLABLE");
}

TEST(Hellos, of_another_session_worker_or_profile_end_the_route) {
  for (const Hello& hello : {Hello{session + 1, 0, "sim", 0, ReadyState::ready}, Hello{session, 1, "sim", 0, ReadyState::ready},
                             Hello{session, 0, "other", 0, ReadyState::ready}}) {
    World world(hub_config(1));
    world.puppets = {1};
    world.start();
    const auto start = world.call(call_note(CallKind::start));
    world.say(0, FrameType::hello, 0, write_hello(hello));
    world.run();
    EXPECT_EQ(world.health()[0].state, RouteState::failed);
    EXPECT_EQ(world.answer(start).status, Status::failed);
    EXPECT_NE(world.answer(start).text.text().find("rank 1 (worker 0)"), std::string_view::npos);
  }
}
TEST(Hellos, that_do_not_come_fail_their_route_at_the_deadline_and_are_named) {
  World world(hub_config(2));
  world.puppets = {2};
  world.start();
  const auto start = world.call(call_note(CallKind::start));
  world.advance(seconds(59));
  EXPECT_FALSE(world.answered(start));
  world.advance(seconds(2));
  EXPECT_EQ(world.answer(start).status, Status::failed);
  EXPECT_NE(world.answer(start).text.text().find("rank 2 (worker 1): it said no HELLO"), std::string_view::npos);
  EXPECT_EQ(world.health()[0].state, RouteState::ready);
}

// P-A5, P-B3: idle or busy, within k + 1 intervals, and nobody else.
TEST(Silence, of_a_stopped_rank_is_noticed_idle_or_busy_and_ends_exactly_its_route) {
  for (const bool busy : {false, true}) {
    World world(hub_config(2));
    world.hanging = {1};
    world.start();
    const auto task = busy ? world.submit(0) : 0;
    world.run();
    world.stopped = {1};
    world.advance(seconds(3));
    EXPECT_NE(world.health()[0].state, RouteState::failed);
    world.advance(seconds(3));
    EXPECT_EQ(world.health()[0].state, RouteState::failed);
    EXPECT_NE(world.health()[0].reason.find("nothing was heard"), std::string::npos);
    if (busy) {
      EXPECT_EQ(world.answer(task).status, Status::peer_lost);
    }
    const auto other = world.submit(1);
    world.run();
    EXPECT_EQ(world.answer(other).status, Status::ok);
  }
}
// B26: everything that came is heard before anyone is judged.
TEST(Silence, of_others_is_not_seen_by_a_hub_that_was_stopped_itself) {
  World world(hub_config(3));
  world.start();
  world.advance(seconds(2));
  world.stopped = {0};
  world.advance(seconds(30));
  world.stopped.clear();
  world.advance(seconds(10));
  EXPECT_EQ(world.exits.size(), 3u) << "but the executors have lost their controller";
  World shorter(hub_config(3));
  shorter.start();
  shorter.stopped = {0};
  shorter.advance(milliseconds(3'900));
  shorter.stopped.clear();
  shorter.advance(seconds(60));
  for (const RouteHealth& row : shorter.health()) EXPECT_EQ(row.state, RouteState::ready);
  EXPECT_TRUE(shorter.exits.empty());
}
TEST(Loss, that_the_transport_tells_ends_the_route_at_once) {
  World world(hub_config(2));
  world.hanging = {1};
  world.start();
  const auto task = world.submit(0);
  world.run();
  world.kill(1, true);
  world.run();
  EXPECT_EQ(world.answer(task).status, Status::peer_lost);
  EXPECT_EQ(world.health()[1].state, RouteState::ready);
}
TEST(Loss, an_executor_that_leaves_by_itself_is_named_and_its_task_is_answered) {
  Beside world;
  const auto ticket = world.submit(0);
  world.say_hello(0, all_features, ReadyState::not_ready);
  world.run();
  EXPECT_EQ(world.answer(ticket).status, Status::peer_lost);
  world.expect_failed("it left without an answer");
}

TEST(Cancel, a_cancelled_command_keeps_its_place_until_its_reply_and_the_next_one_succeeds) {
  World world(hub_config(1));
  world.hanging = {1};
  world.start();
  const auto task = world.submit(0);
  world.run();
  EXPECT_EQ(world.answer(world.call(cancel_note(Ticket{task}))).status, Status::ok);
  EXPECT_EQ(world.answer(task).status, Status::cancelled);
  EXPECT_EQ(world.answer(world.call(cancel_note(Ticket{task}))).status, Status::not_found);
  EXPECT_EQ(world.answer(world.submit(0)).status, Status::no_space);
  world.release(0);
  world.hanging.clear();
  const auto next = world.submit(0);
  world.run();
  EXPECT_EQ(world.answer(next).status, Status::ok);
  EXPECT_EQ(world.health()[0].counts.late, 1u);
}
// P-X8: a reply that is here at the deadline is an answer.
TEST(Deadline, that_fires_after_the_reply_changes_nothing) {
  Beside world;
  const auto ticket = world.submit(0, 8, seconds(1));
  world.complete(0, 1);
  world.run();
  Outbox out;
  const Hub before = world.hub;
  world.hub.on(event::TimerFired{world.now + seconds(1), operation(OperationKind::deadline, 0, 1)}, out);
  EXPECT_TRUE(world.hub == before);
  EXPECT_TRUE(out.actions().empty());
  EXPECT_EQ(world.answer(ticket).status, Status::ok);
}

TEST(Start, in_a_world_that_cannot_be_joined_or_is_another_answers_every_call_with_the_reason) {
  for (const event::WorldJoined& joined :
       {event::WorldJoined{Time{1}, operation(OperationKind::join), Status::failed, {}, 0, blob("no MPI")},
        event::WorldJoined{Time{1}, operation(OperationKind::join), Status::ok, Rank{0}, 7, {}},
        event::WorldJoined{Time{1}, operation(OperationKind::join), Status::ok, Rank{1}, 3, {}}}) {
    Hub hub(hub_config(2));
    Outbox out;
    hub.on(event::Started{Time{0}}, out);
    hub.on(event::Submitted{Time{0}, Ticket{1}, call_note(CallKind::start)}, out);
    hub.on(joined, out);
    EXPECT_EQ(hub.state(), HubState::failed);
    hub.on(event::Submitted{Time{0}, Ticket{2}, submit_note({0, {}, task_payload()})}, out);
    hub.on(event::Submitted{Time{0}, Ticket{3}, shutdown_note(seconds(1))}, out);
    std::size_t answers = 0;
    for (const Action& action : out.actions())
      if (const auto* complete = std::get_if<action::Complete>(&action)) {
        ++answers;
        EXPECT_NE(complete->outcome.status, Status::ok);
        EXPECT_FALSE(complete->outcome.text.empty());
      }
    EXPECT_EQ(answers, 3u);
    EXPECT_TRUE(std::get<action::ExitProcess>(out.actions().back()) == (action::ExitProcess{1, false}));
  }
}

}  // namespace
}  // namespace faults_test
}  // namespace tenter::control::test
