// Claims about files that are whole or absent.
#include "cli/report/atomic_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace tenter::report {
namespace {

class AtomicFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "tenter-report-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::string content_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }
  std::filesystem::path folder_;
};

TEST_F(AtomicFile, leaves_a_fifo_a_fifo_and_writes_into_it) {
  const std::string path = folder_ / "fifo";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  const auto written = write_file_atomically(path, "result");
  EXPECT_TRUE(written) << written.error().what;
  char text[16];
  EXPECT_EQ(read(reader, text, sizeof text), 6);
  close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(path));
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFile, follows_a_link_to_the_file_that_it_names) {
  std::ofstream(folder_ / "target") << "old";
  std::filesystem::create_symlink("target", folder_ / "link");
  ASSERT_TRUE(write_file_atomically(folder_ / "link", "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
  EXPECT_EQ(content_of(folder_ / "target"), "new");
}

TEST_F(AtomicFile, tells_a_device_that_takes_nothing_and_leaves_it_a_device) {
  const auto refused = write_file_atomically("/dev/full", "result");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status, Status::no_space);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(AtomicFile, replaces_an_older_file_whole_and_is_private) {
  const std::string path = folder_ / "result.json";
  ASSERT_TRUE(write_file_atomically(path, std::string(100'000, 'x')).has_value());
  ASSERT_TRUE(write_file_atomically(path, "short").has_value());
  EXPECT_EQ(content_of(path), "short");
  struct stat facts {};
  ASSERT_EQ(stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
  EXPECT_EQ(files(), 1u) << "no temporary is left";
}

TEST_F(AtomicFile, steps_over_a_temporary_that_a_crashed_process_of_our_number_left) {
  const std::string path = folder_ / "result.json";
  std::ofstream(path + "." + std::to_string(getpid()) + ".0.tmp") << "not ours";
  ASSERT_TRUE(write_file_atomically(path, "new").has_value());
  EXPECT_EQ(content_of(path), "new");
  EXPECT_EQ(files(), 2u);
}

TEST_F(AtomicFile, in_a_folder_that_does_not_exist_is_an_error_that_names_the_path) {
  const std::string path = folder_ / "missing" / "result.json";
  const auto result = write_file_atomically(path, "x");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().status, Status::not_found);
  EXPECT_EQ(result.error().native, ENOENT);
  EXPECT_NE(result.error().what.find(path), std::string::npos);
}

TEST_F(AtomicFile, never_replaces_a_folder_and_leaves_no_temporary) {
  const std::filesystem::path target = folder_ / "result.json";
  std::filesystem::create_directories(target / "a folder of that name");
  const auto result = write_file_atomically(target.string(), "x");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().native, EISDIR);
  EXPECT_TRUE(std::filesystem::is_directory(target));
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFile, on_a_full_disk_keeps_the_old_content_and_no_temporary) {
  const std::string path = folder_ / "result.json";
  ASSERT_TRUE(write_file_atomically(path, "old").has_value());
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_EQ(signal(SIGXFSZ, SIG_DFL), SIG_DFL);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto result = write_file_atomically(path, std::string(5000, 'x'));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().status, Status::no_space);
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace tenter::report
