// The doorbell and the waits, in every rank of one mpiexec.
#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>
#include <string>

#include "tests/conformance/collective.hpp"
#include "tests/mpi/mpi_world.hpp"

namespace tenter::hw {
namespace {

CollectiveLimits without_a_safety_net() {
  CollectiveLimits limits;
  limits.wait.net_first = limits.wait.net_most = seconds(600);
  return limits;
}

TEST(Doorbell, a_ring_between_reading_the_word_and_sleeping_on_it_refuses_the_sleep) {
  MpiWorld world;
  std::atomic<std::uint32_t>& word = world.doorbell().word();
  const std::uint32_t seen = word.load(std::memory_order_acquire);
  world.doorbell().about_to_sleep(Doorbell::Awaited::of(0, 5));
  world.doorbell().ring(world.self(), Doorbell::Awaited::of(0, 5));
  const timespec give_up{30, 0};
  EXPECT_EQ(syscall(SYS_futex, &word, FUTEX_WAIT, seen, &give_up, nullptr, 0), -1);
  EXPECT_EQ(errno, EAGAIN) << "the ring did not raise the word";
  world.doorbell().awake();
  world.hold();
}

TEST(Doorbell, a_ring_wakes_only_whom_it_can_help) {
  MpiWorld world;
  Doorbell& doorbell = world.doorbell();
  const auto wakes = [&](Doorbell::Awaited asleep, Doorbell::Awaited rung) {
    doorbell.about_to_sleep(asleep);
    const std::uint64_t before = doorbell.wakes();
    doorbell.ring(world.self(), rung);
    doorbell.awake();
    return doorbell.wakes() - before;
  };
  using Awaited = Doorbell::Awaited;
  world.hold();
  EXPECT_EQ(wakes(Awaited::of(0, 5), Awaited::of(0, 5)), 1u);
  EXPECT_EQ(wakes(Awaited::of(0, 5), Awaited::of(0, 6)), 1u) << "it may hold the ringer back";
  EXPECT_EQ(wakes(Awaited::of(0, 5), Awaited::of(0, 4)), 0u) << "it has done number 4";
  EXPECT_EQ(wakes(Awaited::of(0, 5), Awaited::of(1, 4)), 1u) << "another communicator: nothing is known";
  EXPECT_EQ(wakes(Awaited::any(), Awaited::of(1, 4)), 1u);
  EXPECT_EQ(wakes(Awaited::nothing(), Awaited::of(1, 4)), 0u) << "it has no collective in flight";
  EXPECT_EQ(wakes(Awaited::nothing(), Awaited::any()), 1u);
  world.hold();
}

TEST(Doorbell, the_page_has_no_name_once_every_rank_mapped_it) {
  MpiWorld world;
  world.hold();
  std::ifstream maps("/proc/self/maps");
  int pages = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find("tenter-doorbell-") == std::string::npos) continue;
    ++pages;
    EXPECT_NE(line.find("(deleted)"), std::string::npos) << line;
  }
  EXPECT_EQ(pages, 1);
}

TEST(CollectiveWaits, no_ring_is_missing_when_there_is_no_safety_net) {
  MpiWorld world(without_a_safety_net());
  const Rank self = world.self();
  std::size_t expected = 0;
  for (std::uint32_t round = 0; round < 200; ++round) {
    // Some rounds late, so that the others sleep before they are rung; some too long for the first block.
    if (round % 20 == 0 && Rank{round / 20 % world.size()} == self) world.settle();
    const Blob payload = conformance::pattern(0, round, round % 7 == 0 ? 50'000 : 64);
    world.perform(self, action::Bcast{Op{1}, world_communicator, Rank{0}, self == Rank{0} ? payload : Blob()});
    world.perform(self, action::Gather{Op{2}, world_communicator, Rank{0}, payload});
    expected += 2;
    ASSERT_TRUE(world.run(expected)) << "round " << round << ": " << world.part().in_flight_text();
    ASSERT_TRUE(world.events(self)[expected - 2].content == payload);
  }
  EXPECT_EQ(world.part().counters().safety_net_wakes, 0u);
  EXPECT_EQ(world.part().in_flight(), 0u);
}

TEST(CollectiveWaits, the_owner_of_an_operation_gets_its_event) {
  Context context;
  auto doorbell = Doorbell::open(*MpiWorld::environment);
  ASSERT_TRUE(doorbell.has_value()) << doorbell.error().what;
  CollectivePart part(context, *MpiWorld::environment, *doorbell);
  context.current = Role{3};
  part.perform(action::Barrier{Op{8}, world_communicator});
  context.current = Role{1};
  EXPECT_EQ(part.in_flight(), 1u);
  EXPECT_NE(part.in_flight_text().find("barrier number 0"), std::string::npos) << part.in_flight_text();
  const Time deadline = now() + seconds(60);
  while (context.inbox.empty() && number(now()) < number(deadline)) {
    part.poll();
    sched_yield();
  }
  ASSERT_EQ(context.inbox.size(), 1u);
  EXPECT_EQ(context.inbox.front().to, Role{3});
  EXPECT_EQ(std::get<event::CollectiveDone>(context.inbox.front().event).op, Op{8});
}

TEST(MpiEnvironment, is_opened_once_and_says_what_it_found) {
  const MpiEnvironment& environment = *MpiWorld::environment;
  EXPECT_FALSE(environment.library().empty());
  EXPECT_GE(environment.thread_level(), MPI_THREAD_FUNNELED);
  EXPECT_LT(number(environment.rank()), environment.size());
  const auto again = MpiEnvironment::open({});
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().status, Status::unavailable);
}

}  // namespace
}  // namespace tenter::hw
