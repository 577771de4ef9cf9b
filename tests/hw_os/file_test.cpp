#include "hw/os/file.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "hw/os/status.hpp"

namespace tenter::os {
namespace {

struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tenter-os-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no folder " << name;
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

// No file of this process may be longer, and the signal that tells so has its default action: it ends the process.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) {
    EXPECT_EQ(signal(SIGXFSZ, SIG_DFL), SIG_DFL);
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit small{bytes, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  }
  ~SizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

TEST(File, a_write_over_the_size_limit_is_an_error_and_no_signal) {
  const Folder folder;
  FILE* file = fopen((folder.path / "f").c_str(), "w");
  ASSERT_NE(file, nullptr);
  const std::string text(3000, 'x');
  Written written;
  {
    const SizeLimit limit(4096);
    written = write_all(fileno(file), bytes_of(text), bytes_of(text));
  }
  fclose(file);
  EXPECT_EQ(written.native, EFBIG);
  EXPECT_EQ(written.bytes, 4096u);
  EXPECT_EQ(status_of(written.native), Status::no_space);
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGXFSZ), 0);
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGXFSZ), 0) << "the mask is as it was";
}

TEST(File, a_reservation_over_the_size_limit_is_an_error_and_no_signal) {
  const int memory = memfd_create("reserved", MFD_CLOEXEC);
  ASSERT_GE(memory, 0);
  {
    const SizeLimit limit(4096);
    EXPECT_EQ(reserve(memory, 8192), EFBIG);
  }
  EXPECT_EQ(reserve(memory, 8192), 0);
  close(memory);
}

TEST(File, head_and_tail_are_written_one_after_the_other) {
  const Folder folder;
  FILE* file = fopen((folder.path / "f").c_str(), "w");
  ASSERT_NE(file, nullptr);
  const Written written = write_all(fileno(file), bytes_of("head, "), bytes_of("tail"));
  fclose(file);
  EXPECT_EQ(written.native, 0);
  EXPECT_EQ(written.bytes, 10u);
  EXPECT_EQ(read_file((folder.path / "f").string(), 10).value(), "head, tail");
}

TEST(File, a_read_is_whole_up_to_its_limit_and_refused_above_it) {
  const Folder folder;
  const std::string path = (folder.path / "f").string(), text(100'000, 'y');
  std::ofstream(path) << text;
  EXPECT_EQ(read_file(path, 100'000).value(), text);
  const auto refused = read_file(path, 99'999);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status, Status::invalid);
  EXPECT_EQ(refused.error().what, path + ": more than 99999 bytes");
  EXPECT_EQ(read_file("/dev/zero", 1 << 20).error().status, Status::invalid) << "it has no end";
}

TEST(File, what_cannot_be_read_is_named_with_its_cause) {
  const Folder folder;
  const auto absent = read_file((folder.path / "none").string(), 10);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().status, Status::not_found);
  EXPECT_EQ(absent.error().what, (folder.path / "none").string() + ": No such file or directory");
  const auto directory = read_file(folder.path.string(), 10);
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().status, Status::invalid);
  EXPECT_EQ(directory.error().native, EISDIR);
}

TEST(File, a_file_of_proc_whose_size_is_said_to_be_zero_is_read) {
  ASSERT_EQ(std::filesystem::file_size("/proc/self/status"), 0u);
  const auto status = read_file("/proc/self/status", 1 << 16);
  ASSERT_TRUE(status) << status.error().what;
  EXPECT_NE(status->find("os_test"), std::string::npos);
}

}  // namespace
}  // namespace tenter::os
