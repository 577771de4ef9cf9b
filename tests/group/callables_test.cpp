// Built-in callables, called as a rank calls them.
#include "hw/group/callables.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <thread>

#include "core/wire.hpp"
#include "hw/part.hpp"

namespace tenter::hw {
namespace {

Blob one_scalar(std::uint64_t value) {
  return Blob(12, [&](MutableBytes to) {
    wire::store(to.data(), std::uint32_t{1});
    wire::store(to.data() + 4, value);
  });
}

TEST(Callables, a_sleep_is_as_long_as_asked_though_signals_come) {
  struct sigaction old {
  }, interrupting{};
  interrupting.sa_handler = [](int) {};  // without SA_RESTART: a call that waits returns
  ASSERT_EQ(sigaction(SIGUSR1, &interrupting, &old), 0);
  std::atomic<bool> done{false};
  std::thread sender([&, sleeper = pthread_self()] {
    while (!done) {
      pthread_kill(sleeper, SIGUSR1);
      sched_yield();
    }
  });
  const Time begin = now();
  const auto result = builtin_callables().run(callable_key("sleep_ms"), one_scalar(50));
  const Duration took = now() - begin;
  done = true;
  sender.join();
  sigaction(SIGUSR1, &old, nullptr);
  EXPECT_TRUE(result);
  EXPECT_GE(number(took), number(milliseconds(50)));
}

TEST(Callables, a_sleep_of_nothing_ends) { EXPECT_TRUE(builtin_callables().run(callable_key("sleep_ms"), one_scalar(0))); }

}  // namespace
}  // namespace tenter::hw
