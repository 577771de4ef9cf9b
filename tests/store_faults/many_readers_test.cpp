// A thousand readers join 64 publisher ranks, and what that costs the directory.
#include <gtest/gtest.h>

#include "cli/protocols/store/directory_monitor.hpp"
#include "cli/protocols/store/protocol.hpp"
#include "sim/run.hpp"

namespace tenter {
namespace {

// Per reader: three operations a look of its joins (at most two variables, three tries), a lease written each second, three
// times a lease announced and taken away. Per core job: heartbeats each two seconds; per variable a list, a look, a write, a
// check and a removal; at the close, at most four times a second, a list and a read of each lease there is.
std::uint64_t bound_of(std::uint64_t readers, Duration run) {
  const auto seconds_of_run = static_cast<std::uint64_t>(number(run) / 1'000'000'000 + 1);
  const std::uint64_t reader = protocols::operations_of_a_look * protocols::looks_within(run) * 2 + seconds_of_run + 6;
  const std::uint64_t core = seconds_of_run + 2 * 5 + 6 + 4 * seconds_of_run * (1 + readers);
  return readers * reader + core;
}

TEST(StoreManyReaders, a_thousand_join_64_ranks_and_the_directory_is_asked_no_more_often_than_they_and_time_explain) {
  Registry registry;
  protocols::add_store(registry);
  const sim::Protocol& protocol = *registry.find("store");
  const sim::Subject subject{&protocol, protocol.find_scenario("many_readers"), {}};
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    Duration run{};
    const sim::Outcome outcome = sim::run_seed(subject, seed, [&](const sim::World& world) { run = world.now() - Time{0}; });
    ASSERT_FALSE(outcome.finding) << outcome.finding->property << ": " << outcome.finding->text;
    ASSERT_TRUE(outcome.decided);
    EXPECT_GE(outcome.file_operations, 2'000u);  // each has looked at a record and written a lease
    EXPECT_LE(outcome.file_operations, bound_of(1'000, run));
    std::printf("seed %llu: %llu directory operations in %lld ms of simulated time, at most %llu\n",
                static_cast<unsigned long long>(seed), static_cast<unsigned long long>(outcome.file_operations),
                static_cast<long long>(number(run) / 1'000'000), static_cast<unsigned long long>(bound_of(1'000, run)));
  }
}

}  // namespace
}  // namespace tenter
