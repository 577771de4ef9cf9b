// The guardian by itself: what it is, what it holds, and what its own death does to the parent (nothing).
#include "hw/group/guardian.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "hw/group/group.hpp"
#include "tests/group/watching.hpp"

namespace tenter {
namespace {

namespace fs = std::filesystem;

struct Folder {
  std::string path = "/tmp/tenter-guardian-XXXXXX";
  Folder() {
    if (mkdtemp(path.data()) == nullptr) ADD_FAILURE() << "no folder " << path;
  }
  ~Folder() {
    std::error_code failure;
    fs::remove_all(path, failure);
  }
};

const std::vector<std::string> member{hw::this_program(), "member"};

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

fs::path process_folder(const hw::Guardian& guardian) { return "/proc/" + std::to_string(guardian.pid()); }

char letter(pid_t pid) {
  const auto stat = hw::stat_of(static_cast<std::uint64_t>(pid));
  return stat ? stat->state : 'X';
}

// SIGPIPE has its default action here, which ends this process.
TEST(Guardian, a_guardian_that_was_killed_takes_nobody_with_it) {
  ASSERT_NE(signal(SIGPIPE, SIG_DFL), SIG_IGN) << "another test hides the signal";
  const Folder folder;
  auto guardian = hw::Guardian::start(folder.path, member);
  ASSERT_TRUE(guardian) << guardian.error().what;
  ASSERT_EQ(kill(guardian->pid(), SIGKILL), 0);
  ASSERT_TRUE(watching::comes_true([&] { return letter(guardian->pid()) == 'Z'; }));
  guardian->dismiss();
  EXPECT_TRUE(fs::exists(folder.path));
}

TEST(Guardian, a_group_whose_guardian_was_killed_works_and_ends_in_order) {
  hw::GroupSpec spec;
  spec.ranks = 2;
  spec.member = member;
  auto group = hw::Group::start(spec);
  ASSERT_TRUE(group) << group.error().what;
  const std::string own = std::to_string(getpid());
  std::ifstream children("/proc/" + own + "/task/" + own + "/children");
  pid_t guardian = 0;
  for (pid_t child = 0; children >> child;)
    if (content_of("/proc/" + std::to_string(child) + "/comm") == "tenter-guardian\n") guardian = child;
  ASSERT_GT(guardian, 0);
  ASSERT_EQ(kill(guardian, SIGKILL), 0);
  ASSERT_TRUE(watching::comes_true([&] { return letter(guardian) == 'Z'; }));
  EXPECT_TRUE((*group)->ping(seconds(10)));
  const auto closed = (*group)->shutdown(seconds(10));
  EXPECT_TRUE(closed) << closed.error().what;
  group->reset();  // dismisses
}

TEST(Guardian, a_guardian_that_is_stopped_does_not_hold_its_parent) {
  const Folder folder;
  pid_t pid = 0;
  {
    auto guardian = hw::Guardian::start(folder.path, member);
    ASSERT_TRUE(guardian) << guardian.error().what;
    pid = guardian->pid();
    ASSERT_EQ(kill(pid, SIGSTOP), 0);
    ASSERT_TRUE(watching::comes_true([&] { return letter(pid) == 'T'; }));
    guardian->dismiss();
  }
  EXPECT_EQ(letter(pid), 'X') << "it is still there";
}

// A copy of this process, made by fork alone, would have this process's environment and could do no more than a signal handler.
TEST(Guardian, it_is_a_program_of_its_own_and_holds_nothing_of_ours) {
  const Folder folder;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);  // not close-on-exec, as other libraries make them
  auto guardian = hw::Guardian::start(folder.path, member);
  ASSERT_TRUE(guardian) << guardian.error().what;
  const std::string told = std::string(hw::guardian_variable) + "=" + folder.path;
  EXPECT_NE(content_of(process_folder(*guardian) / "environ").find(told + '\0'), std::string::npos);
  EXPECT_EQ(content_of(process_folder(*guardian) / "cmdline"), member[0] + '\0' + member[1] + '\0');
  std::size_t held = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(process_folder(*guardian) / "fd")) {
    const std::string number = entry.path().filename().string(), target = fs::read_symlink(entry.path()).string();
    if (number == "3")
      EXPECT_TRUE(target.starts_with("socket:")) << target;
    else
      EXPECT_EQ(target, "/dev/null") << number;
    ++held;
  }
  EXPECT_EQ(held, 4u);
  EXPECT_EQ(getsid(guardian->pid()), guardian->pid());
  close(ends[0]);
  close(ends[1]);
  guardian->dismiss();
}

TEST(Guardian, without_a_dismissal_the_folder_goes_with_its_line) {
  const Folder folder;
  std::ofstream(folder.path + "/left") << "x";
  { ASSERT_TRUE(hw::Guardian::start(folder.path, member)); }
  EXPECT_FALSE(fs::exists(folder.path));
}

TEST(Guardian, a_program_that_is_no_member_or_is_not_there_is_named) {
  const Folder folder;
  const auto other = hw::Guardian::start(folder.path, {"true"});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().status, Status::invalid);
  EXPECT_NE(other.error().what.find("guardian (true): it ended and did not guard"), std::string::npos) << other.error().what;
  const auto none = hw::Guardian::start(folder.path, {"/nowhere/member"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().status, Status::not_found);
  EXPECT_NE(none.error().what.find("/nowhere/member"), std::string::npos) << none.error().what;
  EXPECT_TRUE(fs::exists(folder.path)) << "nobody was told to clean up";
}

}  // namespace
}  // namespace tenter
