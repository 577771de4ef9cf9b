// The mailbox commands as processes of their own: signals, a full standard output, files that only look like pages, owners of
// another PID namespace.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "hw/group/private_folder.hpp"
#include "tests/group/private_memory.hpp"
#include "tests/group/watching.hpp"

namespace tenter {
namespace {

namespace fs = std::filesystem;
using watching::comes_true;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Folder {
 public:
  Folder() {
    if (mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << "no folder " << path_;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code failure;
    fs::remove_all(path_, failure);
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_ = "/tmp/tenter-command-XXXXXX";
};

// sh(1) becomes the command; its pid.
pid_t start_command(const std::string& line) {
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", ("exec " + line).c_str(), nullptr);
    _exit(127);
  }
  return child;
}

int end_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int run_line(const std::string& line) { return end_of(start_command(line)); }

const std::string tenter_command = std::string("'") + TENTER_COMMAND + "'";

class Interrupted : public testing::TestWithParam<int> {};

TEST_P(Interrupted, a_run_ends_with_its_summary_and_130_though_its_task_has_long_to_go) {
  const Folder folder;
  std::ofstream(folder / "tasks") << R"({"callable": "echo", "data": "x"})"
                                  << "\n"
                                  << R"({"callable": "sleep_ms", "scalars": [600000], "deadline_s": 1000})"
                                  << "\n";
  const pid_t run = start_command(tenter_command + " mailbox run -n 2 --tasks " + folder / "tasks" + " --json " +
                                  folder / "json" + " >" + folder / "out" + " 2>" + folder / "errors");
  ASSERT_TRUE(comes_true([&] { return content_of(folder / "out").find("echo rank 0: ok: x") != std::string::npos; }));
  ASSERT_EQ(kill(run, GetParam()), 0);
  EXPECT_EQ(end_of(run), 130);
  EXPECT_NE(content_of(folder / "json").find(R"("verdict": "unknown")"), std::string::npos) << content_of(folder / "json");
  EXPECT_NE(content_of(folder / "errors").find("interrupted after"), std::string::npos) << content_of(folder / "errors");
  EXPECT_NE(content_of(folder / "out").find("echo rank 0: ok: x"), std::string::npos) << content_of(folder / "out");
}

INSTANTIATE_TEST_SUITE_P(Signal, Interrupted, testing::Values(SIGINT, SIGTERM, SIGHUP),
                         [](const testing::TestParamInfo<int>& one) { return "of_number_" + std::to_string(one.param); });

// A standard input that never ends keeps the ranks at work; what they have not answered is not printed.
TEST(Command, an_interrupted_map_says_how_far_it_came_and_ends_with_130) {
  std::signal(SIGPIPE, SIG_IGN);
  const Folder folder;
  ASSERT_EQ(mkfifo((folder / "endless").c_str(), 0600), 0);
  std::ofstream(folder / "file") << "x";
  const pid_t map = start_command(tenter_command + " mailbox map checksum --ranks 2 " + folder / "file" + " " +
                                  folder / "endless" + " >" + folder / "out" + " 2>" + folder / "errors");
  std::ofstream endless(folder / "endless");  // waits for the reader
  std::thread writer([&] {
    const std::string part(1 << 20, 'x');
    while (endless.write(part.data(), static_cast<std::streamsize>(part.size()))) {
    }
  });
  EXPECT_TRUE(comes_true([&] { return !content_of(folder / "out").empty(); }));
  EXPECT_EQ(kill(map, SIGTERM), 0);
  EXPECT_EQ(end_of(map), 130);
  writer.join();  // nobody reads any more
  EXPECT_NE(content_of(folder / "errors").find("interrupted after 1 of 2 files"), std::string::npos)
      << content_of(folder / "errors");
}

TEST(Command, a_map_that_waits_for_a_pipe_is_interrupted_too) {
  const Folder folder;
  ASSERT_EQ(mkfifo((folder / "silent").c_str(), 0600), 0);
  std::ofstream(folder / "file") << "x";
  const pid_t map = start_command(tenter_command + " mailbox map checksum --ranks 2 " + folder / "silent" + " >" +
                                  folder / "out" + " 2>" + folder / "errors");
  const int writer = open((folder / "silent").c_str(), O_WRONLY);  // waits for the reader
  EXPECT_EQ(kill(map, SIGINT), 0);
  EXPECT_EQ(end_of(map), 130);
  close(writer);
}

TEST(Command, an_interrupted_hw_run_ends_its_group_in_order_with_130) {
  const Folder folder;
  const pid_t run = start_command(tenter_command + " hw run mailbox -n 2 --requests 4000000000 --json " + folder / "json" + " >" +
                                  folder / "out" + " 2>" + folder / "errors");
  EXPECT_TRUE(comes_true([&] { return !content_of(folder / "errors").empty(); }));
  EXPECT_EQ(kill(run, SIGINT), 0);
  EXPECT_EQ(end_of(run), 130);
  EXPECT_NE(content_of(folder / "json").find(R"("verdict": "unknown")"), std::string::npos) << content_of(folder / "json");
}

// Libraries that are loaded with it take the signals for themselves before main().
TEST(Command, a_command_that_has_nothing_to_end_in_order_dies_of_the_signal) {
  const Folder folder;
  ASSERT_EQ(mkfifo((folder / "tape").c_str(), 0600), 0);
  const pid_t replay = start_command(tenter_command + " sim replay " + folder / "tape" + " >" + folder / "out 2>&1");
  const std::ofstream waits_for_its_reader(folder / "tape");
  EXPECT_EQ(kill(replay, SIGTERM), 0);
  EXPECT_EQ(end_of(replay), -SIGTERM) << content_of(folder / "out");
}

TEST(Command, a_checksum_of_what_has_no_end_is_refused_and_the_other_files_are_done) {
  const Folder folder;
  std::ofstream(folder / "file") << "x";
  EXPECT_EQ(run_line(tenter_command + " mailbox map checksum /dev/zero " + folder / "file" + " >" + folder / "out 2>" +
                     folder / "errors"),
            1);
  EXPECT_NE(content_of(folder / "errors").find("/dev/zero: a device has no end"), std::string::npos);
  EXPECT_NE(content_of(folder / "out").find(folder / "file"), std::string::npos);
}

TEST(Command, a_standard_output_that_is_full_is_no_success) {
  const Folder folder;
  EXPECT_EQ(run_line(tenter_command + " info protocols >/dev/full 2>" + folder / "errors"), 70);
  EXPECT_NE(content_of(folder / "errors").find("No space left on device"), std::string::npos) << content_of(folder / "errors");
}

TEST(Command, a_standard_error_that_is_full_changes_neither_the_work_nor_the_code) {
  const Folder folder;
  std::ofstream(folder / "tasks") << R"({"callable": "echo", "data": "x"})"
                                  << "\n";
  EXPECT_EQ(run_line(tenter_command + " mailbox run -n 2 --tasks " + folder / "tasks" + " >" + folder / "out 2>/dev/full"), 0);
  EXPECT_NE(content_of(folder / "out").find("echo rank 0: ok: x"), std::string::npos);
  EXPECT_EQ(run_line(tenter_command + " sim run nosuch 2>/dev/full"), 64);
  EXPECT_EQ(run_line(tenter_command + " sim bogus 2>/dev/full"), 64);
}

TEST(Command, a_recording_without_a_directory_is_a_usage_error) {
  EXPECT_EQ(run_line(tenter_command + " mailbox map checksum --record '' /dev/null 2>/dev/null"), 64);
}

TEST(Command, a_page_that_is_not_there_or_is_no_file_is_a_usage_error) {
  EXPECT_EQ(run_line(tenter_command + " mailbox inspect tenter-mailbox-none 2>/dev/null"), 64);
  EXPECT_EQ(run_line(tenter_command + " mailbox inspect . 2>/dev/null"), 64);
}

TEST(Command, a_page_that_is_truncated_is_named_by_who_dies_of_it_and_nothing_is_left) {
  const Folder folder;
  std::ofstream(folder / "tasks") << R"({"callable": "sleep_ms", "scalars": [600000], "deadline_s": 1000})"
                                  << "\n";
  const pid_t run = start_command("timeout -s KILL 60 " + tenter_command + " mailbox run -n 2 --tasks " + folder / "tasks" +
                                  " 2>" + folder / "errors");
  const auto page = [&] {
    const std::string errors = content_of(folder / "errors"), before = "is ready, page ";
    const std::size_t at = errors.find(before), end = errors.find('\n', at);
    return end == std::string::npos ? "" : errors.substr(at + before.size(), end - at - before.size());
  };
  ASSERT_TRUE(comes_true([&] { return !page().empty(); }));
  const std::string name = page();
  fs::resize_file("/dev/shm/" + name, 0);
  EXPECT_NE(end_of(run), 0);
  const std::string errors = content_of(folder / "errors");
  EXPECT_NE(errors.find("bus error at 0x"), std::string::npos) << errors;
  EXPECT_NE(errors.find("was page /dev/shm/" + name + " truncated"), std::string::npos) << errors;
  EXPECT_TRUE(comes_true([&] { return !watching::page_exists(name); }));
}

TEST(Command, clean_removes_nothing_that_only_has_the_name_of_a_page) {
  const std::string why_not = run_with_private_memory("64m", [] {
    std::ofstream("/dev/shm/tenter-mailbox-notes") << "mine";
    fs::create_directory("/dev/shm/tenter-mailbox-folder");
    const int code = run_line(tenter_command + " mailbox clean --yes --without-manifest >/dev/null");
    std::string wrong = code == 0 ? "" : "exit code " + std::to_string(code) + "; ";
    if (!watching::page_exists("tenter-mailbox-notes")) wrong += "the file is gone; ";
    if (!watching::page_exists("tenter-mailbox-folder")) wrong += "the folder is gone; ";
    return wrong;
  });
  if (why_not == no_private_memory) GTEST_SKIP() << "a private /dev/shm needs the right to mount";
  EXPECT_EQ(why_not, "");
}

TEST(Command, clean_keeps_the_page_of_a_group_that_lives_in_another_pid_namespace) {
  if (run_line("unshare -p -f --mount-proc true 2>/dev/null") != 0) GTEST_SKIP() << "a PID namespace needs the right to make it";
  const std::string why_not = run_with_private_memory("256m", [] {
    const Folder folder;
    std::ofstream(folder / "tasks") << R"({"callable": "sleep_ms", "scalars": [600000], "deadline_s": 1000})"
                                    << "\n";
    const std::string there = "env -u XDG_RUNTIME_DIR TMPDIR=" + folder / "" + " ";
    const pid_t run = start_command(there + "unshare -p -f --kill-child --mount-proc " + tenter_command +
                                    " mailbox run -n 1 --tasks " + folder / "tasks" + " >/dev/null 2>" + folder / "errors");
    std::string wrong;
    if (!comes_true([&] { return content_of(folder / "errors").find("is ready, page ") != std::string::npos; }))
      wrong += "the group did not start; ";
    const auto pages = [] {
      std::size_t count = 0;
      for (const auto& entry : fs::directory_iterator("/dev/shm"))
        count += entry.path().filename().string().starts_with("tenter-mailbox-") ? 1 : 0;
      return count;
    };
    // Somebody who sees none of its processes: in a namespace of his own.
    const int code =
        run_line(there + "unshare -p -f --mount-proc " + tenter_command + " mailbox clean --yes >" + folder / "cleaned");
    if (code != 0) wrong += "exit code " + std::to_string(code) + "; ";
    if (pages() != 1) wrong += "the page is gone; ";
    if (content_of(folder / "cleaned").find("in another PID namespace") == std::string::npos)
      wrong += "not told: " + content_of(folder / "cleaned");
    kill(run, SIGKILL);
    waitpid(run, nullptr, 0);
    return wrong;
  });
  if (why_not == no_private_memory) GTEST_SKIP() << "a private /dev/shm needs the right to mount";
  EXPECT_EQ(why_not, "");
}

}  // namespace
}  // namespace tenter
