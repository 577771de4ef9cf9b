// The parent dies in the hardest way: the ranks, the page and the folder go all the same.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hw/group/group.hpp"
#include "tests/group/watching.hpp"

namespace tenter {
namespace {

struct Told {
  char page[128] = {};
  char folder[256] = {};
};

// A process that starts a group, tells its names and waits for its own end.
pid_t start_parent(Told& told) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  const pid_t parent = fork();
  if (parent == 0) {
    close(ends[0]);
    hw::GroupSpec spec;
    spec.ranks = 2;
    spec.member = {hw::this_program(), "member"};
    auto group = hw::Group::start(spec);
    if (!group) _exit(1);
    Told mine;
    (*group)->page().copy(mine.page, sizeof mine.page - 1);
    (*group)->folder().copy(mine.folder, sizeof mine.folder - 1);
    if (write(ends[1], &mine, sizeof mine) != sizeof mine) _exit(1);
    while (true) pause();
  }
  close(ends[1]);
  const bool whole = read(ends[0], &told, sizeof told) == sizeof told;
  close(ends[0]);
  return whole ? parent : -1;
}

TEST(ParentDeath, ranks_page_and_folder_are_gone) {
  Told told;
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
