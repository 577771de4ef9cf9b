// What the kernel says of sched_yield: it depends on the kernel, so only what must hold on every one is tested.
#include "hw/os/yield.hpp"

#include <gtest/gtest.h>
#include <sched.h>

namespace tenter::hw {
namespace {

TEST(Yield, asking_the_kernel_leaves_this_thread_its_cpus_and_the_answer_stands) {
  cpu_set_t before, after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const bool answer = yield_makes_way();
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
  EXPECT_EQ(yield_makes_way(), answer);
}

}  // namespace
}  // namespace tenter::hw
