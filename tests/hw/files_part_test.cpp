// Files on a real temporary folder.
#include "hw/posix/files_part.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>

#include "hw/loop/process.hpp"

namespace tenter::hw {
namespace {

class Files : public testing::Test {
 protected:
  Files() {
    std::string pattern = testing::TempDir() + "files-XXXXXX";
    root_ = mkdtemp(pattern.data());
    files_.emplace(context_, root_);
  }
  ~Files() override {
    files_.reset();
    EXPECT_EQ(Resources::held_text(), "");
    std::filesystem::remove_all(root_);
  }
  template <class E>
  E next() {
    files_->poll();
    if (context_.inbox.empty()) throw std::runtime_error("no event");
    E e = std::get<E>(context_.inbox.front().event);
    (void)context_.inbox.take_front();
    return e;
  }
  event::FileDone read(const char* path, std::uint64_t limit = 100) {
    files_->perform(action::ReadFile{Op{9}, Blob(std::string_view(path)), limit});
    return next<event::FileDone>();
  }
  event::FileDone publish(const char* path, const char* content) {
    files_->perform(action::PublishFile{Op{8}, Blob(std::string_view(path)), Blob(std::string_view(content))});
    return next<event::FileDone>();
  }
  Context context_;
  std::string root_;
  std::optional<FilesPart> files_;
};

TEST_F(Files, a_published_file_is_private_replaceable_and_reads_back) {
  EXPECT_EQ(publish("a", "old").status, Status::ok);
  EXPECT_EQ(publish("a", "new").status, Status::ok);
  EXPECT_EQ(read("a").content.text(), "new");
  struct stat found {};
  ASSERT_EQ(stat((root_ + "/a").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
  EXPECT_EQ(read("a", 2).status, Status::invalid);
  EXPECT_EQ(read("b").status, Status::not_found);
}

TEST_F(Files, what_is_no_regular_file_or_leaves_the_root_is_refused_without_blocking) {
  ASSERT_EQ(mkfifo((root_ + "/pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("/etc", root_ + "/link");
  for (const char* path : {"pipe", "link", "link/hostname", "../x", "/etc/hostname", "", "a/../b", "."}) {
    const auto done = read(path);
    EXPECT_TRUE(done.status == Status::invalid || done.status == Status::not_found) << path << " " << to_string(done.status);
    EXPECT_NE(done.status, Status::ok) << path;
  }
}

// SIGXFSZ has its default action, which ends the process.
TEST_F(Files, a_full_quota_is_an_error_and_the_old_content_stays) {
  EXPECT_EQ(publish("a", "old").status, Status::ok);
  ASSERT_EQ(std::signal(SIGXFSZ, SIG_DFL), SIG_DFL);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto done = publish("a", std::string(5000, 'x').c_str());
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(done.status, Status::no_space) << done.content.text();
  EXPECT_EQ(read("a").content.text(), "old");
  for (const auto& entry : std::filesystem::directory_iterator(root_)) EXPECT_EQ(entry.path().filename(), "a") << "a temporary";
}

TEST_F(Files, a_list_is_sorted_without_temporaries_and_a_watch_fires_once) {
  files_->perform(action::MakeDirectory{Op{1}, Blob(std::string_view("d"))});
  EXPECT_EQ(next<event::FileDone>().status, Status::ok);
  files_->perform(action::MakeDirectory{Op{1}, Blob(std::string_view("d"))});
  EXPECT_EQ(next<event::FileDone>().status, Status::exists);
  files_->perform(action::WatchFiles{Op{2}, Blob(std::string_view("d"))});
  EXPECT_EQ(publish("d/b", "1").status, Status::ok);
  EXPECT_EQ(next<event::FilesChanged>().op, Op{2});
  EXPECT_EQ(publish("d/a", "1").status, Status::ok);
  files_->poll();
  EXPECT_TRUE(context_.inbox.empty());
  std::filesystem::copy_file(root_ + "/d/a", root_ + "/d/.tmp-1-1");
  files_->perform(action::ListFiles{Op{3}, Blob(std::string_view("d"))});
  EXPECT_EQ(next<event::FilesListed>().names, (Parts{Blob(std::string_view("a")), Blob(std::string_view("b"))}));
  files_->perform(action::RemoveDirectory{Op{4}, Blob(std::string_view("d"))});
  EXPECT_EQ(next<event::FileDone>().status, Status::ok);
  EXPECT_FALSE(std::filesystem::exists(root_ + "/d"));
}

}  // namespace
}  // namespace tenter::hw
