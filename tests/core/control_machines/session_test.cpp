// Hub and executors together, nothing failing: HELLO, tasks, controls, results, windows, the end.
#include "world.hpp"

namespace tenter::control::test {
namespace session_test {
namespace {

TEST(Session, starts_when_every_executor_has_said_hello) {
  World world(hub_config(2));
  world.puppets = {2};
  world.start();
  const auto start = world.call(call_note(CallKind::start));
  world.run();
  EXPECT_FALSE(world.answered(start));
  world.say_hello(1);
  world.run();
  EXPECT_EQ(world.answer(start).status, Status::ok);
  EXPECT_EQ(world.health()[0].state, RouteState::ready);
}

TEST(Session, a_task_is_executed_once_by_the_worker_it_was_given_to_and_answered_with_its_result) {
  World world;
  world.callable = [](std::uint32_t worker, const Blob& callable, const Blob& argument) {
    EXPECT_EQ(callable.text(), "builtin:echo");
    EXPECT_EQ(read_task(argument.bytes())->inline_bytes.size(), 8u);
    return std::pair(Status::ok, blob("result of worker " + text_of(worker)));
  };
  world.start();
  const auto ticket = world.submit(1);
  EXPECT_EQ(world.health()[1].state, RouteState::busy);
  world.run();
  const Note answer = world.answer(ticket);
  EXPECT_EQ(answer.status, Status::ok);
  EXPECT_EQ(answer.b, 1);
  EXPECT_EQ(answer.c, 1);
  ASSERT_EQ(answer.parts.size(), 1u);
  EXPECT_EQ(answer.parts[0].text(), "result of worker 1");
  EXPECT_EQ(world.executed[2], (std::vector<std::uint64_t>{1}));
  EXPECT_TRUE(world.executed[1].empty());
  EXPECT_EQ(world.health()[1].state, RouteState::ready);
}

TEST(Session, an_executor_for_the_references_controller_sends_a_completion_and_no_result) {
  ExecutorConfig config = executor_config();
  config.features = 0;
  World world(hub_config(1), config);
  world.callable = [](auto, auto&, auto&) { return std::pair(Status::ok, blob("a result")); };
  world.start();
  const auto ticket = world.submit(0);
  world.run();
  EXPECT_EQ(world.answer(ticket).status, Status::ok);
  EXPECT_TRUE(world.answer(ticket).parts.empty());
}

// L1: whoever fails goes on serving.
TEST(Session, a_tasks_error_is_its_answer_and_the_next_task_runs) {
  World world(hub_config(1));
  world.callable = [](auto, auto&, auto&) { return std::pair(Status::failed, blob("no such row")); };
  world.start();
  const auto failing = world.submit(0);
  world.run();
  EXPECT_EQ(world.answer(failing).status, Status::failed);
  EXPECT_EQ(world.answer(failing).a, 1);
  EXPECT_EQ(world.answer(failing).text.text(), "no such row");
  world.callable = [](auto, auto&, auto&) { return std::pair(Status::ok, Blob()); };
  const auto next = world.submit(0);
  world.run();
  EXPECT_EQ(world.answer(next).status, Status::ok);
}

// P-X14: cut between characters, never a reason to end.
TEST(Session, an_error_text_of_any_length_and_script_arrives_as_a_valid_answer) {
  World world(hub_config(1));
  std::string text;
  while (text.size() < 10'000) text += "größter Fehler 最大 ";
  for (const std::string& error : {text, std::string(10'000, '\xFF'), std::string("\xE6\x9C")}) {
    world.callable = [&](auto, auto&, auto&) { return std::pair(Status::failed, Blob(std::string_view(error))); };
    if (world.hub.state() == HubState::idle) world.start();
    const auto ticket = world.submit(0);
    world.run();
    EXPECT_EQ(world.answer(ticket).status, Status::failed);
    EXPECT_FALSE(world.answer(ticket).text.empty());
    EXPECT_LE(world.answer(ticket).text.size(), error_text_bytes_max);
  }
  EXPECT_EQ(world.health()[0].state, RouteState::ready);
}

TEST(Session, an_unknown_callable_and_a_tensor_on_a_device_are_answered_as_errors) {
  World world(hub_config(1));
  world.start();
  const auto unknown = world.call(submit_note({0, {}, task_payload(8, 99)}));
  world.run();
  EXPECT_EQ(world.answer(unknown).status, Status::failed);
  EXPECT_NE(world.answer(unknown).text.text().find("6300"), std::string_view::npos);
  TaskCall call;
  call.callable = digest_number(echo_number);
  Tensor tensor;
  tensor.bytes = 4;
  tensor.shape = tensor.stride = {1};
  tensor.descriptor = BufferDescriptor{AddressSpace::remote_device, 0, 9, 0, 4, 0x7000, 1, 1, 0, 0};
  call.tensors = {tensor};
  const auto on_a_device = world.call(submit_note({0, {}, write_task(call).value()}));
  world.run();
  EXPECT_EQ(world.answer(on_a_device).status, Status::failed);
  call.tensors[0].descriptor.reset();
  const auto bare = world.call(submit_note({0, {}, write_task(call).value()}));
  world.run();
  EXPECT_EQ(world.answer(bare).status, Status::failed);
  EXPECT_TRUE(world.executed[1].empty());
}

TEST(Session, any_worker_is_the_one_with_the_fewest_commands_in_flight) {
  World world(hub_config(3, 2));
  world.hanging = {1, 2, 3};
  world.start();
  for (int i = 0; i < 6; ++i) world.submit(any_worker);
  world.run();
  for (std::uint32_t rank = 1; rank <= 3; ++rank) EXPECT_EQ(hub_of(world.hub).routes()[rank - 1].lane.size(), 2u);
  const auto seventh = world.submit(any_worker);
  EXPECT_EQ(world.answer(seventh).status, Status::no_space);
}

TEST(Session, commands_of_one_window_run_in_the_order_they_were_sent_and_each_is_answered) {
  World world(hub_config(1, 4));
  world.start();
  std::vector<std::uint64_t> tickets;
  for (int i = 0; i < 4; ++i) tickets.push_back(world.submit(0));
  EXPECT_EQ(world.answer(world.submit(0)).status, Status::no_space) << "the fifth of a window of four";
  world.run();
  for (const std::uint64_t ticket : tickets) EXPECT_EQ(world.answer(ticket).status, Status::ok);
  EXPECT_EQ(world.executed[1], (std::vector<std::uint64_t>{1, 2, 3, 4}));
}

// S8: refused before anything is sent, numbered or paid for.
TEST(Session, what_is_no_task_no_control_and_no_worker_is_refused_and_changes_nothing) {
  World world(hub_config(1));
  world.start();
  const Hub before = world.hub;
  for (const Note& note : {submit_note({0, {}, blob("no task")}), submit_note({1, {}, task_payload()}),
                           submit_note({0, Duration{-1}, task_payload()}),
                           control_note({1, {}, ControlName::prepare_callable, {}}), control_note({0, {}, ControlName{18}, {}}),
                           control_note({0, {}, ControlName::copy_to_remote, sized(payload_bytes_max - control_head_bytes + 1)}),
                           call_note(CallKind::serve), cancel_route_note(1), shutdown_note(Duration{0})}) {
    EXPECT_EQ(world.answer(world.call(note)).status, Status::invalid) << text_of(note);
    EXPECT_TRUE(world.hub == before) << text_of(note);
  }
}

TEST(Session, the_largest_frame_goes_out_and_its_control_is_answered) {
  World world(hub_config(1));
  world.start();
  const auto ticket = world.control(0, ControlName::copy_to_remote, sized(payload_bytes_max - control_head_bytes));
  world.run();
  EXPECT_EQ(world.answer(ticket).status, Status::failed);
  EXPECT_NE(world.answer(ticket).text.text().find("unsupported"), std::string_view::npos);
  EXPECT_TRUE(world.hub.credit().all_free());
}

TEST(Session, ends_in_order_when_every_executor_has_said_goodbye) {
  World world(hub_config(3));
  world.start();
  const auto end = world.call(shutdown_note(seconds(5)));
  world.run();
  EXPECT_EQ(world.answer(end).status, Status::ok);
  for (std::uint32_t rank = 0; rank <= 3; ++rank) EXPECT_EQ(world.exits[rank], (action::ExitProcess{0, true})) << rank;
  EXPECT_EQ(world.hub.routes()[2].state(), RouteState::closed);
  EXPECT_TRUE(world.breaches.empty()) << world.breaches[0];
}

}  // namespace
}  // namespace session_test
}  // namespace tenter::control::test
