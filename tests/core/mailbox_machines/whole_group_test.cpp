// Channel, Dispatcher and Members together, without faults: a request, an application error, the end, in worlds of 1 to 3.
#include <gtest/gtest.h>

#include "core/mailbox/error_list.hpp"
#include "tests/core/mailbox_machines/lockstep.hpp"

namespace tenter::mailbox::test {
namespace whole_group_test {
namespace {

Blob task(std::string_view text, std::uint64_t sequence = 1) {
  TaskCall call;
  call.callable[0] = std::byte{0xAB};
  call.scalars = {7};
  call.inline_bytes = std::as_bytes(std::span(text.data(), text.size()));
  return write_task({11, 3, sequence}, call).value();
}

RequestCall per_rank(std::uint32_t world) {
  std::vector<Blob> payloads;
  for (std::uint32_t r = 0; r < world; ++r) payloads.push_back(task("rank " + std::to_string(r)));
  return {Opcode::task, Target::per_rank, -1, {}, Parts(std::move(payloads))};
}

RequestCall plain(Opcode opcode) { return {opcode, Target::group, -1, {}, Parts{Blob()}}; }

std::string result(const Blob& reply) {
  auto frame = read_frame(reply.bytes());
  if (!frame) return frame.error().what;
  auto content = read_reply(*frame);
  if (!content) return content.error().what;
  return std::string(reinterpret_cast<const char*>(content->result.data()), content->result.size());
}

class WholeGroup : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Worlds, WholeGroup, testing::Values(1u, 2u, 3u));

TEST_P(WholeGroup, becomes_ready_and_every_rank_has_reported_itself_by_then) {
  Lockstep world(GetParam());
  world.start();
  EXPECT_EQ(world.load(28), number(GroupState::ready));
  EXPECT_EQ(world.channel.state_name(), "idle");
  EXPECT_EQ(world.dispatcher.state_name(), "parked");
  for (std::uint32_t r = 0; r < GetParam(); ++r) {
    auto report = read_report(world.files.at(report_name(r)).text());
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_EQ(report->rank, r);
    EXPECT_EQ(report->process, (ProcessId{102 + r, 7}));
  }
}

TEST_P(WholeGroup, executes_one_payload_a_rank_and_returns_the_replies_in_rank_order) {
  Lockstep world(GetParam());
  world.callable = [](std::uint32_t rank, const Blob& callable, const Blob& argument) {
    EXPECT_EQ(callable.size(), 32u);
    EXPECT_EQ(wire::load<std::uint64_t>(argument.bytes().data() + 4), 7u);
    return std::pair(Status::ok, std::to_string(rank) + " did " + std::string(argument.text().substr(12)));
  };
  world.start();
  world.submit(per_rank(GetParam()), 5);
  ASSERT_EQ(world.answers[5].size(), 1u);
  const Note& answer = world.answers[5][0];
  ASSERT_EQ(answer.status, Status::ok);
  ASSERT_EQ(answer.parts.size(), GetParam());
  for (std::uint32_t r = 0; r < GetParam(); ++r) {
    EXPECT_EQ(result(answer.parts[r]), std::to_string(r) + " did rank " + std::to_string(r));
    EXPECT_EQ(read_frame(answer.parts[r].bytes())->identity, (FrameIdentity{11, 3, 1}));
  }
  EXPECT_EQ(world.load(32), number(RequestState::idle));
}

TEST_P(WholeGroup, sends_a_directed_task_to_one_rank_and_returns_that_ranks_reply) {
  Lockstep world(GetParam());
  std::vector<std::uint32_t> who;
  world.callable = [&](std::uint32_t rank, const Blob&, const Blob&) {
    who.push_back(rank);
    return std::pair(Status::ok, std::string("done"));
  };
  world.start();
  const std::uint32_t last = GetParam() - 1;
  world.submit({Opcode::task, Target::rank, static_cast<std::int32_t>(last), {}, Parts{task("x")}}, 1);
  ASSERT_EQ(world.answers[1].size(), 1u);
  EXPECT_EQ(world.answers[1][0].status, Status::ok);
  EXPECT_EQ(world.answers[1][0].parts.size(), 1u);
  EXPECT_EQ(who, std::vector<std::uint32_t>{last});
}

TEST_P(WholeGroup, answers_a_ping_with_one_empty_reply) {
  Lockstep world(GetParam());
  world.start();
  world.submit(plain(Opcode::ping), 1);
  ASSERT_EQ(world.answers[1].size(), 1u);
  EXPECT_EQ(world.answers[1][0].status, Status::ok);
  EXPECT_EQ(world.answers[1][0].parts, Parts{Blob()});
}

TEST_P(WholeGroup, an_application_error_names_its_rank_and_the_next_request_succeeds) {
  Lockstep world(GetParam());
  world.start();
  const std::uint32_t bad = GetParam() - 1;
  world.callable = [&](std::uint32_t rank, const Blob&, const Blob&) {
    return rank == bad ? std::pair(Status::failed, std::string("no such file")) : std::pair(Status::ok, std::string());
  };
  world.submit(per_rank(GetParam()), 1);
  ASSERT_EQ(world.answers[1].size(), 1u);
  EXPECT_EQ(world.answers[1][0].status, Status::failed);
  const auto errors = decode_error_list(world.answers[1][0].text.bytes());
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0], (RankError{static_cast<std::int32_t>(bad), "RemoteOperationError", "no such file", false}));
  EXPECT_EQ(world.load(28), number(GroupState::ready));
  EXPECT_EQ(world.load(76), 0u) << "the error length is 0 whenever the lane is idle";
  world.submit(plain(Opcode::ping), 2);
  EXPECT_EQ(world.answers[2].at(0).status, Status::ok);
}

TEST_P(WholeGroup, a_control_reaches_its_callable_and_is_answered_by_a_control_reply) {
  Lockstep world(GetParam());
  std::string called;
  world.callable = [&](std::uint32_t, const Blob& callable, const Blob& argument) {
    called = std::string(callable.text()) + ":" + std::string(argument.text());
    return std::pair(Status::ok, std::string("56 bytes"));
  };
  world.start();
  const std::string_view command = "allocate";
  const Blob frame =
      write_control({1, 2, 9}, {ControlName{6}, std::as_bytes(std::span(command.data(), command.size()))}, false).value();
  world.submit({Opcode::control, Target::rank, 0, {}, Parts{frame}}, 1);
  EXPECT_EQ(called, "control/6:allocate");
  ASSERT_EQ(world.answers[1].at(0).status, Status::ok);
  const Blob reply = world.answers[1][0].parts[0];
  EXPECT_EQ(read_frame(reply.bytes())->type, FrameType::control_reply);
  EXPECT_EQ(result(reply), "56 bytes");
}

TEST_P(WholeGroup, shuts_down_in_order_and_every_rank_exits_with_0) {
  Lockstep world(GetParam());
  world.start();
  world.submit(plain(Opcode::shutdown), 1);
  EXPECT_EQ(world.answers[1].at(0).status, Status::ok);
  EXPECT_EQ(world.load(28), number(GroupState::closed));
  EXPECT_EQ(world.load(32), number(RequestState::idle));
  for (std::uint32_t r = 0; r < GetParam(); ++r) {
    ASSERT_TRUE(world.exits.contains(r)) << "rank " << r << " is " << world.members[r].state_name();
    EXPECT_EQ(world.exits.at(r), (action::ExitProcess{0, true}));
  }
  ASSERT_EQ(world.launch.size(), 1u);
  EXPECT_TRUE(is(world.launch[0], NoteKind::group_closed));
  world.submit(plain(Opcode::shutdown), 2);
  EXPECT_EQ(world.answers[2].at(0).status, Status::ok) << "a second shutdown is no error";
  world.submit(plain(Opcode::ping), 3);
  EXPECT_EQ(world.answers[3].at(0).status, Status::unavailable);
}

TEST_P(WholeGroup, a_hanging_callable_ends_the_group_at_the_deadline_with_the_phase_and_every_rank_leaves) {
  Lockstep world(GetParam());
  world.start();
  world.stopped = {GetParam() - 1};
  world.submit(per_rank(GetParam()), 1);
  EXPECT_EQ(world.channel.state_name(), "accepted");
  world.submit(plain(Opcode::ping), 2);
  EXPECT_TRUE(world.answers.empty());
  world.advance(seconds(31));
  world.tell_channel(
      text_note(NoteKind::culprit, encode_error(static_cast<std::int32_t>(GetParam()) - 1, "Stopped", "pid 99 is stopped")));
  ASSERT_EQ(world.answers[1].size(), 1u);
  EXPECT_EQ(world.answers[1][0].status, Status::timed_out);
  const auto errors = decode_error_list(world.answers[1][0].text.bytes());
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_NE(errors[0].message.find("accepted by rank 0"), std::string::npos) << errors[0].message;
  EXPECT_EQ(errors[1].rank, static_cast<std::int32_t>(GetParam()) - 1);
  EXPECT_EQ(world.load(28), number(GroupState::terminal));
  EXPECT_EQ(world.load(32), number(RequestState::task_failed));
  EXPECT_EQ(world.exits.at(0), (action::ExitProcess{1, false})) << "rank 0 cannot cancel its round, so it leaves at once";
  world.submit(plain(Opcode::ping), 3);
  EXPECT_EQ(world.answers[3].at(0).text, world.answers[1][0].text) << "later calls fail with the same cause";
}

TEST_P(WholeGroup, replies_over_the_page_are_an_ordinary_error) {
  Lockstep world(GetParam());
  world.start();
  const std::size_t bytes = GetParam() == 1 ? 17u << 20 : 9u << 20;  // alone too large, or together
  world.callable = [&](std::uint32_t, const Blob&, const Blob&) { return std::pair(Status::ok, std::string(bytes, 'x')); };
  world.submit(per_rank(GetParam()), 1);
  EXPECT_EQ(world.answers[1].at(0).status, Status::failed);
  EXPECT_EQ(decode_error_list(world.answers[1][0].text.bytes()).at(0).type,
            GetParam() == 1 ? "ReplyTooLarge" : "RepliesTooLarge");
  world.submit(plain(Opcode::ping), 2);
  EXPECT_EQ(world.answers[2].at(0).status, Status::ok);
}

TEST_P(WholeGroup, a_start_without_a_usable_manifest_says_why_in_a_file_and_every_rank_exits_with_1) {
  Lockstep world(GetParam());
  world.files["manifest"] = write_manifest({"the-page", layout::protocol_version, layout::page_bytes, GetParam() + 1});
  world.start();
  EXPECT_EQ(world.channel.state_name(), "starting");
  ASSERT_TRUE(world.files.contains("start-failure"));
  const auto errors = decode_error_list(world.files["start-failure"].bytes());
  ASSERT_EQ(errors.size(), GetParam());
  EXPECT_NE(errors[0].message.find("world"), std::string::npos);
  for (std::uint32_t r = 0; r < GetParam(); ++r) EXPECT_EQ(world.exits.at(r).code, 1);
}

TEST(WholeGroupOfTwo, a_stranger_who_writes_an_unknown_request_state_makes_the_group_terminal_at_once) {
  Lockstep world(2);
  world.start();
  world.poke(request_word, 77);
  EXPECT_EQ(world.load(28), number(GroupState::terminal));
  EXPECT_EQ(world.channel.state_name(), "terminal");
  const auto errors = decode_error_list(world.channel.reason().bytes());
  ASSERT_FALSE(errors.empty());
  EXPECT_NE(errors[0].message.find("held 77"), std::string::npos) << errors[0].message;
  for (std::uint32_t r = 0; r < 2; ++r) EXPECT_EQ(world.exits.at(r), (action::ExitProcess{1, false}));
}

TEST(WholeGroupOfTwo, shutdown_during_a_request_waits_for_it_and_refuses_what_comes_after) {
  Lockstep world(2);
  world.start();
  world.stopped = {1};
  world.submit(per_rank(2), 1);
  world.submit(plain(Opcode::shutdown), 2);
  world.submit(plain(Opcode::ping), 3);
  EXPECT_EQ(world.answers[3].at(0).status, Status::unavailable);
  EXPECT_FALSE(world.answers.contains(2));
}

}  // namespace
}  // namespace whole_group_test
}  // namespace tenter::mailbox::test
