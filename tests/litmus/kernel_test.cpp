// The page kernel under every interleaving, every drain and every stale load of the three memory models, with parks that never
// time out; and kernels with one bug each, which must be found.
#include <gtest/gtest.h>

#include "tests/litmus/kernel_world.hpp"

namespace tenter::litmus {
namespace {

constexpr std::array<MemoryMode, 3> modes{MemoryMode::sc, MemoryMode::tso, MemoryMode::ra};

Actor actor(std::vector<KernelStep> script) { return {std::move(script)}; }

void expect_right(KernelWorld world, const char* what) {
  for (const MemoryMode mode : modes) {
    Rate rate(what);
    const Verdict verdict = world.explore(mode);
    rate.add(verdict.executions);
    EXPECT_EQ(verdict.problem, "") << sim::to_string(mode) << " after " << verdict.executions << " executions";
  }
}

void expect_found(const KernelWorld& world, const std::string& problem) {
  for (const MemoryMode mode : modes) {
    const Verdict verdict = world.explore(mode);
    EXPECT_EQ(verdict.problem, problem) << sim::to_string(mode) << " after " << verdict.executions << " executions";
  }
}

KernelWorld publisher_and_watchers(KernelStep publish, std::vector<KernelStep> watches) {
  KernelWorld world;
  world.actors.push_back(actor({WriteBytes{payload, 64, 7}, publish}));
  for (const KernelStep& watch : watches) world.actors.push_back(actor({watch, ReadBytes{payload, 64, 7}}));
  return world;
}

const KernelStep publish = page::Publish(state_word, 1);
const KernelStep watch = page::Watch(state_word, 0);
const KernelStep spinning_watch = page::Watch(state_word, 0, 1);

TEST(PageKernel, a_watcher_never_sleeps_through_a_publish_and_sees_the_payload) {
  expect_right(publisher_and_watchers(publish, {watch}), "publish, 1 watch");
  expect_right(publisher_and_watchers(publish, {spinning_watch}), "publish, 1 spinning watch");
}

TEST(PageKernel, two_watchers_are_both_woken) {
  expect_right(publisher_and_watchers(publish, {watch, watch}), "publish, 2 watches");
}

TEST(PageKernel, a_return_without_a_reason_is_not_believed) {
  KernelWorld world = publisher_and_watchers(publish, {watch});
  world.spurious_wakes = true;
  expect_right(world, "publish, 1 watch, spurious wakes");
}

// The mailbox round trip: request and response payloads in turn, both sides park.
TEST(PageKernel, two_sides_take_turns_without_a_race) {
  KernelWorld world;
  world.actors.push_back(actor({WriteBytes{payload, 8, 1}, page::Publish(state_word, 1), page::Watch(state_word, 1),
                                page::Watch(state_word, 2), ReadBytes{payload, 8, 3}}));
  world.actors.push_back(actor({page::Watch(state_word, 0), ReadBytes{payload, 8, 1}, page::PublishIf(state_word, 1, 2, false),
                                WriteBytes{payload, 8, 3}, page::PublishIf(state_word, 2, 3, true)}));
  expect_right(world, "request and response");
}

// Rank 0 completes while the parent gives up: exactly one compare-exchange stores, and the watcher is woken by it.
TEST(PageKernel, of_two_who_end_a_request_exactly_one_wins) {
  KernelWorld world;
  world.actors.push_back(actor({page::PublishIf(state_word, 0, 3, true)}));
  world.actors.push_back(actor({page::PublishIf(state_word, 0, 4, true)}));
  world.actors.push_back(actor({page::Watch(state_word, 0)}));
  world.oracle = [](const std::vector<Actor>& actors, const sim::PageMemory& page) -> std::string {
    const auto& done = std::get<page::PublishIf>(actors[0].script[0]);
    const auto& failed = std::get<page::PublishIf>(actors[1].script[0]);
    const auto& watched = std::get<page::Watch>(actors[2].script[0]);
    if (done.stored() == failed.stored()) return "both or neither stored";
    if ((done.stored() ? failed : done).seen() != (done.stored() ? 3u : 4u)) return "the loser saw something else";
    if (watched.value() != page.peek_word(state_word)) return "the watcher saw something else";
    return "";
  };
  expect_right(world, "publish_if against publish_if");
}

// Case B49: one side checks "terminal", then parks on the state; the other sets both and wakes. Whoever wakes knows both.
TEST(PageKernel, closing_meets_two_who_are_about_to_park) {
  KernelWorld world;
  world.actors.push_back(actor({page::PublishQuiet(group_word, 2), page::Publish(state_word, 4)}));
  for (int waiter = 0; waiter < 2; ++waiter)
    world.actors.push_back(actor({page::Watch(state_word, 0), page::Watch(group_word, 0)}));
  expect_right(world, "closing and two waiters");
}

TEST(PageKernel, planted_a_relaxed_publish_is_found) {
  KernelWorld world = publisher_and_watchers(publish, {watch});
  world.orders.publish = Order::relaxed;
  expect_found(world, "race");
}

TEST(PageKernel, planted_a_relaxed_watch_is_found) {
  KernelWorld world = publisher_and_watchers(publish, {watch});
  world.orders.watch = Order::relaxed;
  expect_found(world, "race");
}

TEST(PageKernel, planted_a_swap_without_release_is_found) {
  KernelWorld world = publisher_and_watchers(page::PublishIf(state_word, 0, 1, true), {watch});
  expect_right(world, "publish_if, 1 watch");
  world.orders.swap = Order::acquire;
  expect_found(world, "race");
}

TEST(PageKernel, planted_a_swap_without_acquire_is_found) {
  // The one who accepts by compare-exchange reads what was published before.
  KernelWorld world;
  world.actors.push_back(actor({WriteBytes{payload, 8, 7}, publish}));
  world.actors.push_back(actor({page::PublishIf(state_word, 1, 2, true), IfStored{}, ReadBytes{payload, 8, 7}}));
  expect_right(world, "accept by publish_if");
  world.orders.swap = Order::release;
  expect_found(world, "race");
}

TEST(PageKernel, planted_a_failed_swap_that_learns_nothing_is_found) {
  KernelWorld world;
  world.actors.push_back(actor({WriteBytes{payload, 8, 7}, publish}));
  world.actors.push_back(actor({page::PublishIf(state_word, 0, 2, true), IfSeen{1}, ReadBytes{payload, 8, 7}}));
  expect_right(world, "refused publish_if");
  world.orders.swap_failed = Order::relaxed;
  expect_found(world, "race");
}

TEST(PageKernel, planted_a_payload_written_after_the_publish_is_found) {
  KernelWorld world;
  world.actors.push_back(actor({publish, WriteBytes{payload, 8, 7}}));
  world.actors.push_back(actor({watch, ReadBytes{payload, 8, 7}}));
  for (const MemoryMode mode : modes) {
    const std::string problem = world.explore(mode).problem;
    EXPECT_TRUE(problem == "race" || problem == "wrong bytes") << problem << " in " << sim::to_string(mode);
  }
}

TEST(PageKernel, planted_a_wake_before_the_store_is_found) {
  expect_found(publisher_and_watchers(WakeThenStore{state_word, 1}, {watch}), "lost wake");
}

TEST(PageKernel, planted_a_publish_without_a_wake_is_found) {
  expect_found(publisher_and_watchers(page::PublishQuiet(state_word, 1), {watch}), "lost wake");
  expect_found(publisher_and_watchers(page::PublishIf(state_word, 0, 1, false), {watch}), "lost wake");
}

TEST(PageKernel, planted_a_private_wake_is_found) {
  expect_found(publisher_and_watchers(PrivatePublish{state_word, 1}, {watch}), "lost wake");
}

TEST(PageKernel, planted_a_private_wait_is_found) {
  expect_found(publisher_and_watchers(publish, {PrivateWatch{state_word, 0}}), "lost wake");
}

TEST(PageKernel, planted_a_wake_of_one_is_found_with_two_watchers_only) {
  expect_found(publisher_and_watchers(WakeOne{state_word, 1}, {watch, watch}), "lost wake");
  expect_right(publisher_and_watchers(WakeOne{state_word, 1}, {watch}), "wake of one, 1 watch");
}

TEST(PageKernel, planted_a_watch_that_believes_the_wait_is_found) {
  KernelWorld world = publisher_and_watchers(publish, {BelievingWatch{state_word, 0}});
  world.spurious_wakes = true;
  for (const MemoryMode mode : modes) EXPECT_EQ(world.explore(mode).problem, "woke for nothing") << sim::to_string(mode);
}

TEST(PageKernel, planted_a_park_against_a_value_loaded_anew_is_found) {
  expect_found(publisher_and_watchers(publish, {WatchAgainstStale{state_word, 0}}), "lost wake");
}

// A futex call saved by a count of waiters needs a fence between store and load (store buffering): right in sc, wrong elsewhere.
TEST(PageKernel, planted_a_wake_skipped_by_a_waiter_count_is_found_where_stores_are_buffered) {
  KernelWorld world =
      publisher_and_watchers(CountedPublish{state_word, waiter_count, 1}, {CountedWatch{state_word, waiter_count, 0}});
  EXPECT_EQ(world.explore(MemoryMode::sc).problem, "");
  EXPECT_EQ(world.explore(MemoryMode::tso).problem, "lost wake");
  EXPECT_EQ(world.explore(MemoryMode::ra).problem, "lost wake");
}

TEST(PageKernel, every_weakened_order_is_named_and_differs_from_the_right_ones) {
  EXPECT_EQ(page::weakened_orders[0].orders, page::Orders{});
  for (std::size_t i = 1; i < page::weakened_orders.size(); ++i) {
    EXPECT_NE(page::weakened_orders[i].orders, page::Orders{}) << page::weakened_orders[i].name;
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(page::weakened_orders[i].orders, page::weakened_orders[j].orders);
  }
}

}  // namespace
}  // namespace tenter::litmus
