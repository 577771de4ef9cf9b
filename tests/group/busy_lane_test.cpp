// A call that has to wait for the lane, on real ranks: its wait counts against its own deadline, and nobody else's. Spec C4;
// MP10, G5.
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "hw/group/group.hpp"
#include "tests/group/watching.hpp"

namespace tenter {
namespace {

TEST(BusyLane, a_short_call_fails_alone_at_its_own_deadline_and_the_long_one_is_answered) {
  hw::GroupSpec spec;
  spec.ranks = 2;
  spec.member = {hw::this_program(), "member"};
  auto group = hw::Group::start(spec);
  ASSERT_TRUE(group) << group.error().what;
  std::optional<Status> of_the_long_one;
  std::thread caller([&] {
    const auto slept = (*group)->submit(1, "sleep_ms", {{4'000}, {}}, seconds(60));
    of_the_long_one = slept ? Status::ok : slept.error().status;
  });
  std::optional<Error> told;  // a ping that comes before the long call succeeds
  EXPECT_TRUE(watching::comes_true([&] {
    const auto ping = (*group)->ping(seconds(1));
    if (!ping) told = ping.error();
    return told.has_value();
  }));
  caller.join();
  ASSERT_TRUE(told);
  EXPECT_EQ(told->status, Status::timed_out) << told->what;
  EXPECT_EQ(of_the_long_one, Status::ok);
  EXPECT_FALSE((*group)->ended());
  EXPECT_TRUE((*group)->ping(seconds(30)));
}

}  // namespace
}  // namespace tenter
