#include "hw/posix/host_part.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace tenter::hw {
namespace {

TEST(Host, a_process_is_named_by_pid_and_start_time_and_a_missing_one_has_none) {
  Context context;
  HostPart host(context);
  host.perform(action::DescribeHost{Op{4}});
  ASSERT_EQ(context.inbox.size(), 1U);
  const auto& described = std::get<event::HostDescribed>(context.inbox.front().event);
  EXPECT_EQ(described.op, Op{4});
  EXPECT_EQ(described.self.pid, static_cast<std::uint64_t>(getpid()));
  EXPECT_GE(described.self.start_time, start_time_of(static_cast<std::uint64_t>(getppid())));
  EXPECT_GT(described.self.start_time, 0U);
  EXPECT_EQ(described.user, geteuid());
  EXPECT_FALSE(described.host.empty());
  EXPECT_EQ(start_time_of(4'000'000'000U), 0U);
}

}  // namespace
}  // namespace tenter::hw
