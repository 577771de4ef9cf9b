// Parent and guardian die together, so nobody cleans up: the page stays, everybody tells whose it was, nobody uses it again.
// MB-28.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "hw/group/group.hpp"
#include "hw/group/orphans.hpp"
#include "tests/group/private_memory.hpp"
#include "tests/group/started_parent.hpp"
#include "tests/group/watching.hpp"

namespace tenter {
namespace {

using watching::comes_true;

struct Ran {
  int code = -1;
  std::string said;  // standard output and standard error
};
Ran run_tenter(const std::string& arguments) {
  Ran ran;
  FILE* output = popen((std::string("'") + TENTER_COMMAND "' " + arguments + " 2>&1").c_str(), "r");
  if (output == nullptr) return ran;
  std::array<char, 512> piece{};
  while (std::fgets(piece.data(), piece.size(), output) != nullptr) ran.said += piece.data();
  const int status = pclose(output);
  if (WIFEXITED(status)) ran.code = WEXITSTATUS(status);
  return ran;
}

std::string line_with(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(word);
  if (at == std::string::npos) return "";
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

std::string content_of(const std::string& page) {
  std::ifstream file("/dev/shm/" + page, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A group whose parent and guardian were killed together; its page and its folder go with this object at the latest.
class Orphan {
 public:
  Orphan() : parent_(start_parent(told_)) {
    if (parent_ <= 0) return;
    const std::optional<pid_t> guardian = child_named(parent_, "tenter-guardian");
    if (!guardian) return;
    // Stopped first, so that neither sees the other die.
    for (const pid_t one : {*guardian, parent_}) kill(one, SIGSTOP);
    stopped_ = comes_true([&] { return letter(*guardian) == 'T' && letter(parent_) == 'T'; });
    for (const pid_t one : {*guardian, parent_}) kill(one, SIGKILL);
    waitpid(parent_, nullptr, 0);
    gone_ = comes_true([&] { return watching::members_of(folder()).empty(); });
  }
  Orphan(const Orphan&) = delete;
  Orphan& operator=(const Orphan&) = delete;
  ~Orphan() {
    std::error_code failure;
    if (!page().empty()) std::filesystem::remove("/dev/shm/" + page(), failure);
    if (!folder().empty()) std::filesystem::remove_all(folder(), failure);
  }
  bool good() const { return parent_ > 0 && stopped_ && gone_; }
  pid_t parent() const { return parent_; }
  std::string page() const { return told_.page; }
  std::string folder() const { return told_.folder; }
  std::optional<hw::FoundGroup> found() const {
    for (const hw::FoundGroup& group : hw::find_groups())
      if (group.manifest.page == page()) return group;
    return std::nullopt;
  }

 private:
  static char letter(pid_t pid) {
    const auto stat = hw::stat_of(static_cast<std::uint64_t>(pid));
    return stat ? stat->state : 'X';
  }
  StartedParent told_;
  pid_t parent_ = -1;
  bool stopped_ = false, gone_ = false;
};

TEST(Orphan, the_ranks_leave_and_the_page_is_reported_with_its_owner_and_its_age) {
  const Orphan orphan;
  ASSERT_TRUE(orphan.good()) << "parent, guardian or a rank is still there";
  ASSERT_TRUE(watching::page_exists(orphan.page()));
  const auto found = orphan.found();
  ASSERT_TRUE(found) << orphan.folder();
  EXPECT_TRUE(found->orphaned);
  EXPECT_EQ(found->folder, orphan.folder());
  const std::string owner = "orphaned: owner pid " + std::to_string(orphan.parent());
  EXPECT_NE(found->text().find(owner), std::string::npos) << found->text();
  EXPECT_NE(found->text().find(" s old"), std::string::npos) << found->text();

  const Ran inspected = run_tenter("mailbox inspect " + orphan.page());
  EXPECT_EQ(inspected.code, 0) << inspected.said;
  EXPECT_NE(inspected.said.find(owner), std::string::npos) << inspected.said;
  EXPECT_NE(inspected.said.find("mapped by nobody"), std::string::npos) << inspected.said;

  const Ran listed = run_tenter("mailbox clean");
  EXPECT_EQ(listed.code, 0) << listed.said;
  const std::string line = line_with(listed.said, orphan.page());
  EXPECT_NE(line.find("left over; " + owner), std::string::npos) << listed.said;
  EXPECT_TRUE(watching::page_exists(orphan.page())) << "without --yes it only tells";
}

TEST(Orphan, the_next_start_tells_of_it_works_and_leaves_it_as_it_was) {
  const Orphan orphan;
  ASSERT_TRUE(orphan.good());
  const std::string before = content_of(orphan.page());
  ASSERT_EQ(before.size(), mailbox::layout::page_bytes);
  const Ran next = run_tenter("mailbox map checksum --ranks 2 '" + hw::this_program() + "'");
  EXPECT_EQ(next.code, 0) << next.said;
  EXPECT_NE(line_with(next.said, hw::this_program()).find("  "), std::string::npos) << "a checksum and the file: " << next.said;
  EXPECT_NE(line_with(next.said, orphan.page()).find("is orphaned: owner pid " + std::to_string(orphan.parent())),
            std::string::npos)
      << next.said;
  EXPECT_TRUE(content_of(orphan.page()) == before) << "the page of the dead group was written";
  EXPECT_TRUE(orphan.found()) << "its manifest was removed";
}

// Where nobody else's pages are: --yes removes all that are left over.
TEST(Orphan, clean_with_yes_removes_page_and_folder_of_an_orphan_and_no_page_of_a_living_group) {
  const std::string why_not = run_with_private_memory("256m", [] {
    StartedParent living;
    const pid_t parent = start_parent(living);
    if (parent <= 0) return std::string("the living group did not start");
    const Orphan orphan;
    if (!orphan.good()) return std::string("the orphan is not one");
    const Ran cleaned = run_tenter("mailbox clean --yes");
    std::string wrong;
    if (cleaned.code != 0) wrong += "exit code " + std::to_string(cleaned.code) + "; ";
    if (line_with(cleaned.said, orphan.page()).find("removed; orphaned: owner pid") == std::string::npos) wrong += "not told; ";
    if (watching::page_exists(orphan.page())) wrong += "the page is still there; ";
    if (std::filesystem::exists(orphan.folder())) wrong += "the folder is still there; ";
    if (!watching::page_exists(living.page)) wrong += "the page of the living group is gone; ";
    if (line_with(cleaned.said, living.page).find("in use; owner pid") == std::string::npos)
      wrong += "the living one is not told; ";
    kill(parent, SIGKILL);
    waitpid(parent, nullptr, 0);
    if (!comes_true([&] { return !watching::page_exists(living.page); })) wrong += "the living group left its page; ";
    return wrong.empty() ? wrong : wrong + cleaned.said;
  });
  if (why_not == no_private_memory) GTEST_SKIP() << "a private /dev/shm needs the right to mount";
  EXPECT_EQ(why_not, "");
}

}  // namespace
}  // namespace tenter
