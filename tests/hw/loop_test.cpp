// The loop with simple machines over timers, notes and random bytes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

#include "hw/loop/local_part.hpp"
#include "hw/loop/process.hpp"
#include "hw/posix/descriptor.hpp"
#include "hw/posix/entropy_part.hpp"
#include "hw/posix/timers_part.hpp"
#include "hw/resource.hpp"

namespace tenter::hw {
namespace {

template <class O>
concept TestPorts = Timers<O> && Local<O> && Entropy<O>;
using TestPort = Port<TimersPart, LocalPart, EntropyPart>;
static_assert(TestPorts<TestPort>);

struct Teller {
  std::uint64_t told = 0, fired = 0, random_bytes = 0;
  Time fired_at{};
  template <TestPorts O>
  void on(const event::Started& e, O& out) {
    out.arm(Op{1}, e.now + milliseconds(5));
    out.arm(Op{2}, e.now);  // due at once, but taken back before it can be delivered
    out.cancel(Op{2});
    out.draw_random(Op{3}, 32);
    out.tell(Role{1}, Note{});
  }
  template <TestPorts O>
  void on(const event::Told&, O&) {
    ++told;
  }
  template <TestPorts O>
  void on(const event::RandomBytes& e, O&) {
    random_bytes = e.content.size();
  }
  template <TestPorts O>
  void on(const event::TimerFired& e, O&) {
    if (e.op != Op{1}) ADD_FAILURE() << "a cancelled timer fired: " << number(e.op);
    ++fired;
    fired_at = e.now;
  }
};
struct Answerer {
  bool started = false, told_before_started = false;
  template <TestPorts O>
  void on(const event::Started&, O&) {
    started = true;
  }
  template <TestPorts O>
  void on(const event::Told& e, O& out) {
    told_before_started = !started;
    out.tell(e.from, e.note);
  }
};

TEST(Loop, machines_are_started_in_order_and_notes_and_timers_arrive) {
  Context context;
  TestPort port{{context}, {context}, {context}, {}};
  Process process(context, port, Teller{}, Answerer{});
  const Time before = now();
  process.start();
  ASSERT_TRUE(process.run_until([&] { return process.machine<0>().fired == 1; }, now() + seconds(10)));
  EXPECT_EQ(process.machine<0>().told, 1U);
  EXPECT_EQ(process.machine<0>().random_bytes, 32U);
  EXPECT_GE(process.machine<0>().fired_at, before + milliseconds(5));
  EXPECT_FALSE(process.machine<1>().told_before_started);
  EXPECT_EQ(process.undelivered(), 0U);
}

TEST(Loop, a_nudge_of_another_thread_ends_a_park_without_deadline) {
  Context context;
  TestPort port{{context}, {context}, {context}, {}};
  Process process(context, port);
  std::atomic<bool> done{false};
  std::thread other([&] {
    done = true;
    context.nudge();
  });
  EXPECT_TRUE(process.run_until([&] { return done.load(); }, end_of_time));
  other.join();
}

Context* nudged_by_handler = nullptr;

TEST(Loop, a_signal_handler_may_nudge_a_parked_loop) {
  Context context;
  TestPort port{{context}, {context}, {context}, {}};
  Process process(context, port);
  nudged_by_handler = &context;
  struct sigaction old {
  }, nudging{};
  nudging.sa_handler = [](int) { nudged_by_handler->nudge(); };
  nudging.sa_flags = SA_RESTART;
  ASSERT_EQ(sigaction(SIGUSR2, &nudging, &old), 0);
  const std::uint32_t before = context.nudges.load();
  std::thread other([loop = pthread_self()] { pthread_kill(loop, SIGUSR2); });
  EXPECT_TRUE(process.run_until([&] { return context.nudges.load() != before; }, end_of_time));
  other.join();
  errno = ENOTTY;
  raise(SIGUSR2);
  EXPECT_EQ(errno, ENOTTY);
  sigaction(SIGUSR2, &old, nullptr);
}

// Has something in flight without a wait object: asks to be polled again at once, a given number of times, then tells it.
struct YieldingPart {
  Context& context;
  std::uint32_t left = 1000;
  YieldingPart(Context& c) : context(c) {}
  void perform(const action::DrawRandom&) {}
  void poll() {
    if (left == 0) context.push(Role{0}, event::RandomBytes{});
  }
  void add_waits(WaitSet& waits) {
    if (left == 0) return;
    --left;
    waits.again_in(Duration{0});
  }
};
struct Hearer {
  bool heard = false;
  template <class O>
  void on(const event::RandomBytes&, O&) {
    heard = true;
  }
};

// Voluntary switches: sleeps. A yield is none.
long sleeps_so_far() {
  rusage usage{};
  EXPECT_EQ(getrusage(RUSAGE_THREAD, &usage), 0);
  return usage.ru_nvcsw;
}

TEST(Loop, a_part_that_yields_is_polled_again_and_never_put_to_sleep) {
  Context context;
  using YieldingPort = Port<YieldingPart>;
  YieldingPort port{{context}, {}};
  Process process(context, port, Hearer{});
  const long before = sleeps_so_far();
  EXPECT_TRUE(process.run_until([&] { return process.machine<0>().heard; }, now() + seconds(60)));
  EXPECT_LT(sleeps_so_far() - before, YieldingPart(context).left / 10);  // a page that comes from the disk may be one
}

TEST(Loop, events_that_nobody_takes_are_told_with_their_number) {
  Context context;
  TestPort port{{context}, {context}, {context}, {}};
  Process process(context, port, Answerer{});
  context.push(Role{7}, event::Started{now()});
  process.run_ready();
  testing::internal::CaptureStderr();
  tell_undelivered("this one", process.undelivered());
  tell_undelivered("that one", 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "this one: 1 events named no machine, or one that does not handle them\n");
}

TEST(Loop, a_readable_descriptor_ends_a_park_and_nothing_stays_held) {
  Context context;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  WaitSet waits;
  waits.descriptors.push_back({ends[0], POLLIN, 0});
  const std::uint32_t seen = context.nudges.load();
  Parker(context).park(waits, seen);
  EXPECT_NE(context.nudges.load(), seen);
  close(ends[0]);
  close(ends[1]);
  EXPECT_EQ(Resources::held_text(), "");
}

TEST(Loop, a_closed_descriptor_whose_number_is_taken_by_another_file_is_watched_anew) {
  {
    Context context;
    Parker parker(context);
    for (int round = 0; round < 20; ++round) {
      int ends[2];  // the same numbers every round
      ASSERT_EQ(pipe(ends), 0);
      const Descriptor reader(ends[0]), writer(ends[1]);
      std::thread other([&] { EXPECT_EQ(write(writer.get(), "x", 1), 1); });
      WaitSet waits;
      waits.descriptors.push_back({reader.get(), POLLIN, 0});
      pollfd ready{reader.get(), POLLIN, 0};
      do parker.park(waits, context.nudges.load());  // for ever if it were not watched
      while (::poll(&ready, 1, 0) == 0);
      other.join();
    }
    EXPECT_EQ(Resources::held(Resource::thread), 1) << "one watcher serves all parks";
  }
  EXPECT_EQ(Resources::held_text(), "");
}

struct Sockets {
  int ends[2] = {-1, -1};
  Sockets() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0); }
  ~Sockets() {
    close(ends[0]);
    close(ends[1]);
  }
};

TEST(Loop, what_was_asked_twice_of_one_descriptor_is_all_watched) {
  const Sockets sockets;
  Context context;
  Parker parker(context);
  WaitSet waits;
  waits.descriptors = {{sockets.ends[0], POLLIN, 0}, {sockets.ends[0], POLLOUT, 0}};  // it can be written at once
  const std::uint32_t seen = context.nudges.load();
  parker.park(waits, seen);  // for ever, if only the first were watched
  EXPECT_NE(context.nudges.load(), seen);
}

TEST(Loop, a_set_that_cannot_be_watched_whole_leaves_nothing_watched) {
  const Sockets sockets;
  const Descriptor file(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));  // epoll refuses files (epoll_ctl(2), EPERM)
  Context context;
  Parker parker(context);
  WaitSet waits;
  waits.descriptors = {{sockets.ends[0], POLLIN, 0}, {file.get(), POLLIN, 0}};
  std::uint32_t seen = context.nudges.load();
  parker.park(waits, seen);
  ASSERT_NE(context.nudges.load(), seen) << "the loop must not sleep on it";
  ASSERT_EQ(write(sockets.ends[1], "x", 1), 1);
  waits.descriptors.clear();
  seen = context.nudges.load();
  waits.until(now() + milliseconds(200));
  while (now() < waits.deadline && context.nudges.load() == seen) parker.park(waits, seen);
  EXPECT_EQ(context.nudges.load(), seen) << "the first descriptor is still watched";
}

}  // namespace
}  // namespace tenter::hw
