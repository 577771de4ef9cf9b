// A group on a machine whose shared memory is full. Spec B9; MB-27.
#include <gtest/gtest.h>

#include <filesystem>

#include "hw/group/group.hpp"
#include "hw/resource.hpp"
#include "tests/group/private_memory.hpp"

namespace tenter {
namespace {

TEST(FullMemory, is_an_error_of_the_start_that_says_so_and_no_signal_and_leaves_nothing) {
  const std::string wrong = run_with_private_memory("8m", [] {  // the page alone has 32
    hw::GroupSpec spec;
    spec.ranks = 2;
    spec.member = {hw::this_program(), "member"};
    const auto group = hw::Group::start(spec);
    if (group) return std::string("the group started");
    std::string found;
    if (group.error().status != Status::no_space || group.error().what.find("reserving") == std::string::npos)
      found += "told otherwise: " + group.error().what + "; ";
    if (!std::filesystem::is_empty("/dev/shm")) found += "something is left in /dev/shm; ";
    if (!hw::Resources::held_text().empty()) found += "still held: " + hw::Resources::held_text();
    return found;
  });
  if (wrong == no_private_memory) GTEST_SKIP() << "a private /dev/shm needs the right to mount";
  EXPECT_EQ(wrong, "");
}

}  // namespace
}  // namespace tenter
