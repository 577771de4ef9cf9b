// An executor by itself and with its hub: registration, controls, its bounds, its beats, the controller's silence. Spec B2.7,
// B3.7; P-C12, P-X5, P-X18, X06.
#include "world.hpp"

namespace tenter::control::test {
namespace executor_test {
namespace {

// Controls of a hub with one executor, as (status, text).
struct Controls : World {
  Controls() : World(hub_config(1)) { start(); }
  Note apply(ControlName name, Blob command = {}) {
    const auto ticket = control(0, name, std::move(command));
    run();
    return answer(ticket);
  }
  Status run_task(std::uint8_t which) {
    const auto ticket = call(submit_note({0, {}, task_payload(8, which)}));
    run();
    return answer(ticket).status;
  }
};

TEST(Registration, a_callable_runs_once_it_is_prepared_and_committed_and_not_before_or_after) {
  Controls world;
  EXPECT_EQ(world.run_task(2), Status::failed);
  EXPECT_EQ(world.apply(ControlName::prepare_register_callable, callable_to_prepare(2)).status, Status::ok);
  EXPECT_EQ(world.run_task(2), Status::failed) << "only prepared";
  EXPECT_EQ(world.apply(ControlName::prepare_callable, name_of_callable(2)).status, Status::failed);
  EXPECT_EQ(world.apply(ControlName::commit_register_callable, name_of_callable(2)).status, Status::ok);
  EXPECT_EQ(world.apply(ControlName::prepare_callable, name_of_callable(2)).status, Status::ok);
  EXPECT_EQ(world.run_task(2), Status::ok);
  EXPECT_EQ(world.apply(ControlName::unregister_callable, name_of_callable(2)).status, Status::ok);
  EXPECT_EQ(world.run_task(2), Status::failed);
}
// P-C12: what was prepared and not committed is aborted, what was committed is unregistered; neither takes the other's way.
TEST(Registration, an_abort_takes_back_what_is_prepared_only_and_is_a_success_for_what_is_unknown) {
  Controls world;
  EXPECT_EQ(world.apply(ControlName::abort_register_callable, name_of_callable(2)).status, Status::ok);
  world.apply(ControlName::prepare_register_callable, callable_to_prepare(2));
  EXPECT_EQ(world.apply(ControlName::abort_register_callable, name_of_callable(2)).status, Status::ok);
  EXPECT_EQ(world.apply(ControlName::commit_register_callable, name_of_callable(2)).status, Status::failed);
  EXPECT_EQ(world.apply(ControlName::abort_register_callable, name_of_callable(echo_number)).status, Status::failed);
  EXPECT_EQ(world.run_task(echo_number), Status::ok);
  EXPECT_EQ(world.apply(ControlName::unregister_callable, name_of_callable(9)).status, Status::failed);
}
TEST(Registration, the_same_digest_with_other_bytes_is_refused_and_with_the_same_bytes_is_a_success) {
  Controls world;
  EXPECT_EQ(world.apply(ControlName::prepare_register_callable, callable_to_prepare(2, "a:b")).status, Status::ok);
  EXPECT_EQ(world.apply(ControlName::prepare_register_callable, callable_to_prepare(2, "a:b")).status, Status::ok);
  EXPECT_EQ(world.apply(ControlName::prepare_register_callable, callable_to_prepare(2, "a:c")).status, Status::failed);
}
TEST(Registration, what_is_no_qualified_name_or_takes_a_device_is_refused) {
  Controls world;
  for (const std::string_view name : {"", ":", "a", "a:", ":b", "a:\xFF"})
    EXPECT_EQ(world.apply(ControlName::prepare_register_callable, callable_to_prepare(2, name)).status, Status::failed) << name;
  EXPECT_EQ(world
                .apply(ControlName::commit_register_callable,
                       name_of_callable(echo_number, CallableKind::chip, TargetRegistry::inner_worker))
                .status,
            Status::failed);
  EXPECT_EQ(world.apply(ControlName::prepare_callable, name_of_callable(echo_number, CallableKind::python_serialized)).status,
            Status::failed);
}
TEST(Registration, holds_4096_callables_and_refuses_one_more) {
  std::vector<Callable> callables;
  for (std::uint32_t i = 0; i < callables_max; ++i) {
    Callable callable{digest_number(0), blob("a:b"), true};
    callable.digest[1] = static_cast<std::byte>(i & 0xFF);
    callable.digest[2] = static_cast<std::byte>(i >> 8);
    callable.digest[3] = std::byte{1};
    callables.push_back(callable);
  }
  const Blob bytes = blob("a:b");
  CallablePayload one_more;
  one_more.name.digest = digest_number(7);
  one_more.payload = bytes.bytes();
  CallableRegistry full(callables);
  EXPECT_EQ(full.prepare(one_more).error().status, Status::no_space);
  callables.pop_back();
  CallableRegistry room(callables);
  EXPECT_TRUE(room.prepare(one_more).has_value());
}

TEST(ExecutorControls, those_that_need_a_device_are_answered_as_unsupported_each_by_its_name) {
  Controls world;
  for (std::uint32_t name = 6; name <= 17; ++name) {
    const Note answer = world.apply(ControlName{name});
    EXPECT_EQ(answer.status, Status::failed);
    EXPECT_EQ(answer.a, 1);
    EXPECT_NE(answer.text.text().find("unsupported: " + std::string(to_string(ControlName{name}))), std::string_view::npos);
  }
  EXPECT_EQ(world.health()[0].state, RouteState::ready);
}
TEST(ExecutorControls, a_broken_command_is_an_answer_and_not_the_end) {
  Controls world;
  for (std::uint32_t name = 1; name <= 5; ++name)
    EXPECT_EQ(world.apply(ControlName{name}, blob("broken")).status, Status::failed);
  EXPECT_EQ(world.run_task(echo_number), Status::ok);
}

// ---- by itself: the test is the controller

struct Alone {
  Executor machine;
  Outbox out;
  explicit Alone(ExecutorConfig config = executor_config()) : machine(std::move(config)) {
    deliver(event::Started{});
    deliver(event::WorldJoined{Time{0}, operation(OperationKind::join), Status::ok, Rank{1}, 2, {}});
  }
  void deliver(const Event& e) { EXPECT_TRUE(tenter::deliver(machine, e, out)); }
  void send(FrameType type, std::uint64_t sequence, const Blob& payload = {}) {
    send(tag_of(type), write_frame(type, {session, 0, sequence}, payload.bytes()).value());
  }
  void send(MessageTag tag, Blob content) {
    const auto receives = all<action::ReceiveMessage>();
    ASSERT_GT(receives.size(), arrived) << "it does not listen";
    const Op op = receives.back().op;
    arrived = receives.size();
    deliver(event::MessageArrived{Time{0}, op, Status::ok, Rank{0}, tag, content.size(), content});
  }
  void tick(Time now = Time{0}) { deliver(event::TimerFired{now, operation(OperationKind::tick)}); }
  template <class A>
  std::vector<A> all() const {
    std::vector<A> found;
    for (const Action& action : out.actions())
      if (const A* a = std::get_if<A>(&action)) found.push_back(*a);
    return found;
  }
  std::vector<FrameType> said() const {
    std::vector<FrameType> types;
    for (const auto& send : all<action::SendMessage>()) types.push_back(read_frame(send.content.bytes())->type);
    return types;
  }
  void all_is_taken() {
    for (const auto& send : all<action::SendMessage>()) deliver(event::MessageSent{Time{0}, send.op, Status::ok, {}});
  }
  std::size_t arrived = 0;
};

TEST(Executor, executes_a_number_once_and_drops_it_when_it_comes_again_or_is_older) {
  Alone executor;
  executor.send(FrameType::task, 5, task_payload());
  executor.send(FrameType::task, 5, task_payload());
  executor.send(FrameType::task, 4, task_payload());
  executor.send(FrameType::control, 0, write_control({ControlName::prepare_callable, 1, {}}));
  EXPECT_EQ(executor.machine.queue().size(), 1u);
  EXPECT_EQ(executor.machine.dropped(), 3u);
}
TEST(Executor, a_stale_session_an_unknown_tag_and_a_reply_are_dropped_and_1000_of_them_are_borne) {
  Alone executor;
  executor.send(health_tag, write_frame(FrameType::health, {session + 1, 0, 1}, {}).value());
  executor.send(MessageTag{9}, blob("?"));
  executor.send(FrameType::completion, 1, write_completion({1, 0, {}}));
  EXPECT_EQ(executor.machine.dropped(), 3u);
  for (int i = 0; i < 997; ++i) executor.send(MessageTag{9}, blob("?"));
  EXPECT_EQ(executor.machine.state(), ExecutorState::serving);
  executor.send(MessageTag{9}, blob("?"));
  EXPECT_EQ(executor.machine.state(), ExecutorState::gone);
}
TEST(Executor, a_broken_frame_of_its_controller_ends_it_with_a_reason) {
  Alone executor;
  executor.deliver(event::Submitted{Time{0}, Ticket{1}, call_note(CallKind::serve)});
  executor.send(command_tag, sized(64));
  EXPECT_EQ(executor.machine.state(), ExecutorState::gone);
  EXPECT_EQ(executor.all<action::Complete>().back().outcome.status, Status::invalid);
  EXPECT_EQ(executor.all<action::ExitProcess>().back(), (action::ExitProcess{1, false}));
}
// P-X5: then its messages wait at the controller, and nothing is lost.
TEST(Executor, takes_no_more_than_it_has_room_for_and_listens_again_when_it_has) {
  ExecutorConfig config = executor_config();
  config.queued_max = 2;
  Alone executor(config);
  const auto receives = [&] { return executor.all<action::ReceiveMessage>().size(); };
  executor.send(FrameType::task, 1, task_payload());
  EXPECT_EQ(receives(), 2u);
  executor.send(FrameType::task, 2, task_payload());
  EXPECT_EQ(receives(), 2u) << "full";
  for (int i = 0; i < 100; ++i) executor.tick();
  EXPECT_EQ(executor.machine.state(), ExecutorState::serving) << "who does not listen does not judge";
  executor.deliver(event::Executed{Time{0}, operation(OperationKind::execute, 0, 1), Status::ok, {}});
  EXPECT_EQ(receives(), 3u);

  config.queued_max = 64;
  config.queued_bytes_max = 1'000;
  Alone bytes(config);
  bytes.send(FrameType::task, 1, task_payload(2'000));
  EXPECT_EQ(bytes.all<action::ReceiveMessage>().size(), 1u);
}
TEST(Executor, whose_answers_nobody_takes_takes_nothing_more_and_notices_that_its_controller_is_gone) {
  ExecutorConfig config = executor_config();
  config.queued_max = 1;
  Alone executor(config);
  executor.send(FrameType::task, 1, task_payload(8, 99));
  EXPECT_EQ(executor.all<action::ReceiveMessage>().size(), 1u) << "HELLO and one answer are on their way";
  for (int i = 0; i < 5; ++i) executor.tick();
  EXPECT_EQ(executor.machine.state(), ExecutorState::gone);
}

// P-A5; A2.4: independent of a long task and of a full lane, and never more than one on its way.
TEST(Executor, beats_while_a_task_runs_and_its_lane_is_full_and_sends_no_second_beat_before_the_first_is_taken) {
  ExecutorConfig config = executor_config();
  config.queued_max = 1;
  Alone executor(config);
  executor.send(FrameType::task, 1, task_payload());
  executor.tick();
  executor.tick();
  EXPECT_EQ(executor.said(), (std::vector<FrameType>{FrameType::hello, FrameType::health}));
  executor.all_is_taken();
  executor.tick();
  EXPECT_EQ(executor.said(), (std::vector<FrameType>{FrameType::hello, FrameType::health, FrameType::health}));
}
// P-X18.
TEST(Executor, a_silent_controller_is_noticed_within_its_bound_and_later_when_it_never_spoke) {
  Alone executor;
  executor.send(FrameType::health, 1);
  for (int i = 0; i < 4; ++i) executor.tick();
  EXPECT_EQ(executor.machine.state(), ExecutorState::serving);
  executor.send(FrameType::health, 2);
  for (int i = 0; i < 4; ++i) executor.tick();
  EXPECT_EQ(executor.machine.state(), ExecutorState::serving);
  executor.tick();
  EXPECT_EQ(executor.machine.state(), ExecutorState::gone);
  EXPECT_EQ(executor.all<action::ExitProcess>().back(), (action::ExitProcess{1, false}));

  Alone fresh;
  for (int i = 0; i < 60; ++i) fresh.tick();
  EXPECT_EQ(fresh.machine.state(), ExecutorState::serving);
  fresh.tick();
  EXPECT_EQ(fresh.machine.state(), ExecutorState::gone);
}
TEST(Executor, finishes_what_it_has_taken_before_it_says_goodbye_and_leaves_when_all_is_taken) {
  Alone executor;
  executor.deliver(event::Submitted{Time{0}, Ticket{1}, call_note(CallKind::serve)});
  executor.send(FrameType::task, 1, task_payload());
  executor.send(FrameType::task, 2, task_payload(8, 99));
  executor.send(FrameType::shutdown, 3);
  EXPECT_EQ(executor.machine.state(), ExecutorState::leaving);
  executor.deliver(event::Executed{Time{0}, operation(OperationKind::execute, 0, 1), Status::ok, {}});
  EXPECT_EQ(executor.said(),
            (std::vector<FrameType>{FrameType::hello, FrameType::completion, FrameType::completion, FrameType::hello}));
  EXPECT_EQ(executor.machine.state(), ExecutorState::parting);
  EXPECT_TRUE(executor.all<action::ExitProcess>().empty());
  executor.all_is_taken();
  EXPECT_EQ(executor.all<action::ExitProcess>().back(), (action::ExitProcess{0, true}));
  EXPECT_EQ(executor.all<action::Complete>().back().outcome.status, Status::ok);
}
TEST(Executor, whose_last_words_nobody_takes_ends_at_its_patience) {
  Alone executor;
  executor.send(FrameType::shutdown, 1);
  EXPECT_EQ(executor.machine.state(), ExecutorState::parting);
  executor.deliver(event::TimerFired{Time{0} + seconds(5), operation(OperationKind::end)});
  EXPECT_EQ(executor.all<action::ExitProcess>().back(), (action::ExitProcess{1, false}));
}
TEST(Executor, a_result_that_fits_no_frame_is_an_error_of_its_task) {
  constexpr std::size_t largest = payload_bytes_max - control_reply_head_bytes;
  for (const std::size_t bytes : {largest, largest + 1}) {
    Alone executor;
    executor.send(FrameType::task, 1, task_payload());
    executor.deliver(event::Executed{Time{0}, operation(OperationKind::execute, 0, 1), Status::ok, sized(bytes)});
    EXPECT_EQ(executor.said().back(), bytes == largest ? FrameType::control_reply : FrameType::completion);
  }
}
TEST(Executor, in_a_world_that_it_is_not_made_for_ends_at_once) {
  for (const event::WorldJoined& joined :
       {event::WorldJoined{Time{0}, operation(OperationKind::join), Status::failed, {}, 0, blob("no MPI")},
        event::WorldJoined{Time{0}, operation(OperationKind::join), Status::ok, Rank{2}, 2, {}},
        event::WorldJoined{Time{0}, operation(OperationKind::join), Status::ok, Rank{1}, 3, {}}}) {
    Executor executor(executor_config());
    Outbox out;
    executor.on(event::Started{}, out);
    executor.on(joined, out);
    EXPECT_EQ(std::get<action::ExitProcess>(out.actions().back()), (action::ExitProcess{1, false}));
  }
}
// L1.
TEST(Executor, gives_up_a_world_that_is_not_joined_within_the_start_up_s_patience_and_cancels_that_when_it_is) {
  for (const bool in_time : {true, false}) {
    Executor executor(executor_config());
    Outbox out;
    executor.on(event::Started{Time{3}}, out);
    const auto patience = executor_config().heartbeat_interval * executor_config().startup_ticks_max;
    EXPECT_EQ(std::get<action::Arm>(out.actions().front()), (action::Arm{operation(OperationKind::end), Time{3} + patience}));
    out.clear();
    if (in_time) {
      executor.on(event::WorldJoined{Time{4}, operation(OperationKind::join), Status::ok, Rank{1}, 2, {}}, out);
      EXPECT_EQ(std::get<action::Cancel>(out.actions().front()).op, operation(OperationKind::end));
      EXPECT_EQ(executor.state(), ExecutorState::serving);
    } else {
      executor.on(event::TimerFired{Time{3} + patience, operation(OperationKind::end)}, out);
      EXPECT_EQ(std::get<action::ExitProcess>(out.actions().back()), (action::ExitProcess{1, false}));
    }
  }
}

}  // namespace
}  // namespace executor_test
}  // namespace tenter::control::test
