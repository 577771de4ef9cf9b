// Calls of user threads into the loop and their outcomes.
#include "hw/posix/client_part.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "hw/loop/process.hpp"

namespace tenter::hw {
namespace {

using TestPort = Port<ClientPart>;
static_assert(Client<TestPort>);

// Answers a call with its number doubled; kind 1 is never answered, kind 2 is answered twice.
struct Doubler {
  std::uint64_t calls = 0;
  void on(const event::Submitted& e, TestPort& out) {
    ++calls;
    if (e.call.kind == 1) return;
    Note outcome;
    outcome.a = 2 * e.call.a;
    out.complete(e.ticket, outcome);
    outcome.a = -1;
    if (e.call.kind == 2) out.complete(e.ticket, outcome);
  }
};

Note call_of(std::int64_t a, std::uint32_t kind = 0) {
  Note call;
  call.kind = kind;
  call.a = a;
  return call;
}

TEST(Client, a_thread_that_drives_the_loop_gets_its_outcome_once) {
  Context context;
  TestPort port{{context}, {}};
  Process process(context, port, Doubler{});
  const Ticket ticket = port.submit(Role{0}, call_of(21, 2)).value();
  EXPECT_FALSE(port.take(ticket));
  ASSERT_TRUE(process.run_until([&] { return port.done(ticket); }, now() + seconds(20)));
  EXPECT_EQ(port.take(ticket).value().a, 42) << "the second answer won";
  EXPECT_FALSE(port.take(ticket));
  EXPECT_FALSE(port.done(ticket));
  EXPECT_EQ(port.wait(ticket, end_of_time).error().status, Status::not_found);
}

TEST(Client, calls_of_many_threads_are_answered_to_each_its_own) {
  Context context;
  TestPort port{{context}, {}};
  Process process(context, port, Doubler{});
  constexpr std::int64_t threads = 4, rounds = 500;
  std::atomic<std::int64_t> wrong{0}, finished{0};
  std::vector<std::thread> callers;
  for (std::int64_t t = 0; t < threads; ++t) {
    callers.emplace_back([&, t] {
      for (std::int64_t i = 0; i < rounds; ++i) {
        const auto ticket = port.submit(Role{0}, call_of(t * rounds + i));
        const auto outcome = port.wait(ticket.value(), now() + seconds(20));
        if (!outcome || outcome->a != 2 * (t * rounds + i)) ++wrong;
      }
      ++finished;
      context.nudge();
    });
  }
  EXPECT_TRUE(process.run_until([&] { return finished == threads; }, now() + seconds(60)));
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(process.machine<0>().calls, static_cast<std::uint64_t>(threads * rounds));
}

TEST(Client, a_call_that_nobody_answers_times_out_and_can_be_abandoned) {
  Context context;
  TestPort port{{context}, {}};
  Process process(context, port, Doubler{});
  const Ticket ticket = port.submit(Role{0}, call_of(1, 1)).value();
  process.run_ready();
  EXPECT_EQ(port.wait(ticket, now() + milliseconds(1)).error().status, Status::timed_out);
  port.abandon(ticket);
  port.complete(ticket, call_of(5));
  EXPECT_FALSE(port.done(ticket));
  EXPECT_EQ(port.wait(ticket, end_of_time).error().status, Status::not_found);
}

TEST(Client, more_calls_than_the_limit_are_refused_until_one_is_taken) {
  Context context;
  TestPort port{{context, 2}, {}};
  Process process(context, port, Doubler{});
  const Ticket first = port.submit(Role{0}, call_of(1)).value();
  ASSERT_TRUE(port.submit(Role{0}, call_of(2)));
  process.run_ready();
  EXPECT_EQ(port.submit(Role{0}, call_of(3)).error().status, Status::unavailable);
  EXPECT_TRUE(port.take(first));
  EXPECT_TRUE(port.submit(Role{0}, call_of(3)));
}

}  // namespace
}  // namespace tenter::hw
