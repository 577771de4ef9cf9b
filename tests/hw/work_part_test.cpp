// User callables on their own threads and inline.
#include "hw/posix/work_part.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/loop/process.hpp"

namespace tenter::hw {
namespace {

using TestPort = Port<WorkPart>;
static_assert(tenter::Work<TestPort>);

struct Recorder {
  std::vector<event::Executed> executed;
  void on(const event::Executed& e, TestPort&) { executed.push_back(e); }
};

Blob text(std::string_view characters) { return Blob(characters); }

Result<Blob> call(const Blob& callable, const Blob& argument) {
  if (callable.text() == "throw") throw std::runtime_error("it broke");
  if (callable.text() == "throw a number") throw 5;
  if (callable.text() != "echo") return error(Status::not_found, "no such callable");
  return argument;
}

class WorkOnThreads : public testing::TestWithParam<std::size_t> {};

TEST_P(WorkOnThreads, replies_errors_and_exceptions_are_told) {
  {
    Context context;
    TestPort port{{context, call, GetParam()}, {}};
    Process process(context, port, Recorder{});
    port.execute(Op{0}, text("echo"), text("hello"));
    port.execute(Op{1}, text("nobody"), {});
    port.execute(Op{2}, text("throw"), {});
    port.execute(Op{3}, text("throw a number"), {});
    EXPECT_EQ(Resources::held(Resource::thread), static_cast<std::int64_t>(GetParam()));
    ASSERT_TRUE(process.run_until([&] { return process.machine<0>().executed.size() == 4; }, now() + seconds(20)));
    std::vector<event::Executed> by_op(4);
    for (const auto& e : process.machine<0>().executed) by_op.at(number(e.op)) = e;
    EXPECT_EQ(by_op[0].status, Status::ok);
    EXPECT_EQ(by_op[0].reply.text(), "hello");
    EXPECT_EQ(by_op[1].status, Status::not_found);
    EXPECT_EQ(by_op[1].reply.text(), "no such callable");
    EXPECT_EQ(by_op[2].status, Status::failed);
    EXPECT_EQ(by_op[2].reply.text(), "callable \"throw\": it broke");
    EXPECT_EQ(by_op[3].status, Status::failed);
    EXPECT_NE(by_op[3].reply.text().find("throw a number"), std::string_view::npos);
  }
  EXPECT_EQ(Resources::held_text(), "");
}
INSTANTIATE_TEST_SUITE_P(threads, WorkOnThreads, testing::Values(0, 1, 3));

TEST(WorkTest, one_thread_answers_in_order) {
  Context context;
  TestPort port{{context, call}, {}};
  Process process(context, port, Recorder{});
  for (std::uint64_t i = 0; i < 200; ++i) port.execute(Op{i}, text("echo"), text(std::to_string(i)));
  const auto& executed = process.machine<0>().executed;
  ASSERT_TRUE(process.run_until([&] { return executed.size() == 200; }, now() + seconds(20)));
  for (std::uint64_t i = 0; i < 200; ++i) EXPECT_EQ(executed[i].op, Op{i});
}

TEST(WorkTest, the_loop_goes_on_while_a_callable_runs) {
  Context context;
  std::promise<void> release;
  auto wait = [&](const Blob&, const Blob&) -> Result<Blob> {
    release.get_future().wait();
    return Blob();
  };
  TestPort port{{context, wait}, {}};
  Process process(context, port, Recorder{});
  port.execute(Op{1}, {}, {});
  process.run_ready();  // returns, though the callable waits for what comes next
  EXPECT_TRUE(process.machine<0>().executed.empty());
  release.set_value();
  EXPECT_TRUE(process.run_until([&] { return process.machine<0>().executed.size() == 1; }, now() + seconds(20)));
}

TEST(WorkTest, a_prompt_callable_is_answered_at_once_and_never_before_one_that_was_asked_for_earlier) {
  Context context;
  std::promise<void> release;
  auto wait_or_echo = [&](const Blob& callable, const Blob& argument) -> Result<Blob> {
    if (callable.text() == "wait") release.get_future().wait();
    return argument;
  };
  TestPort port{{context, wait_or_echo, 1, [](const Blob& callable) { return callable.text() == "echo"; }}, {}};
  Process process(context, port, Recorder{});
  const auto& executed = process.machine<0>().executed;
  port.execute(Op{1}, text("echo"), text("a"));
  process.run_ready();
  ASSERT_EQ(executed.size(), 1u);
  EXPECT_EQ(executed[0].reply.text(), "a");
  port.execute(Op{2}, text("wait"), {});
  port.execute(Op{3}, text("echo"), {});
  process.run_ready();
  EXPECT_EQ(executed.size(), 1u) << "it overtook the one before it";
  release.set_value();
  ASSERT_TRUE(process.run_until([&] { return executed.size() == 3; }, now() + seconds(20)));
  EXPECT_EQ(executed[1].op, Op{2});
  EXPECT_EQ(executed[2].op, Op{3});
  port.execute(Op{4}, text("echo"), {});
  process.run_ready();
  EXPECT_EQ(executed.size(), 4u);
}

TEST(WorkTest, destruction_waits_for_the_running_callable_and_drops_the_others) {
  std::atomic<int> begun{0}, ended{0};
  std::promise<void> running;
  auto slow = [&](const Blob&, const Blob&) -> Result<Blob> {
    if (++begun == 1) running.set_value();
    ++ended;
    return Blob();
  };
  {
    Context context;
    WorkPart part(context, slow);
    for (int i = 0; i < 3; ++i) part.perform(action::Execute{Op{1}, {}, {}});
    running.get_future().wait();
  }
  EXPECT_EQ(begun, ended) << "a callable was cut off";
  EXPECT_EQ(Resources::held_text(), "");
}

}  // namespace
}  // namespace tenter::hw
