// The parent dies in the hardest way: the ranks, the page and the folder go all the same.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/group/started_parent.hpp"
#include "tests/group/watching.hpp"

namespace tenter {
namespace {

TEST(ParentDeath, ranks_page_and_folder_are_gone) {
  StartedParent told;
  const pid_t parent = start_parent(told);
  ASSERT_GT(parent, 0) << "the group did not start";
  EXPECT_TRUE(watching::page_exists(told.page));
  EXPECT_GE(watching::members_of(told.folder).size(), 3u) << "launcher and two ranks";
  ASSERT_EQ(kill(parent, SIGKILL), 0);
  EXPECT_EQ(waitpid(parent, nullptr, 0), parent);
  EXPECT_TRUE(watching::comes_true([&] { return watching::members_of(told.folder).empty(); }));
  EXPECT_TRUE(watching::comes_true([&] { return !watching::page_exists(told.page); })) << told.page;
  EXPECT_TRUE(watching::comes_true([&] { return !std::filesystem::exists(told.folder); })) << told.folder;
}

}  // namespace
}  // namespace tenter
