// The tasks of `tenter mailbox run`, up to where a group would be started.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/cli/command_line.hpp"

namespace tenter {
namespace {

Ran run_tasks(const std::string& file) { return run_command(Registry{}, {"mailbox", "run", "--tasks", file}); }

TEST(MailboxTasks, a_folder_in_place_of_the_file_is_named_and_refused) {
  const TemporaryFolder folder;
  const Ran ran = run_tasks(folder.text());
  EXPECT_EQ(ran.code, 64);
  EXPECT_EQ(ran.errors, "tenter: tasks " + folder.text() + ": Is a directory\n");
}

TEST(MailboxTasks, a_file_without_a_task_is_named_and_refused) {
  const TemporaryFolder folder;
  for (const char* content : {"", "\n  \n\t\r\n"}) {
    std::ofstream(folder / "tasks") << content;
    const Ran ran = run_tasks(folder / "tasks");
    EXPECT_EQ(ran.code, 64);
    EXPECT_EQ(ran.errors, "tenter: tasks " + (folder / "tasks") + ": it holds no task\n");
  }
}

TEST(MailboxTasks, a_file_that_is_not_there_is_named) {
  const TemporaryFolder folder;
  const Ran ran = run_tasks(folder / "none");
  EXPECT_EQ(ran.code, 64);
  EXPECT_EQ(ran.errors, "tenter: tasks " + (folder / "none") + ": No such file or directory\n");
}

TEST(MailboxTasks, data_without_an_end_or_from_a_folder_is_refused_with_its_line) {
  const TemporaryFolder folder;
  const std::pair<std::string, std::string> cases[] = {{"/dev/zero", "/dev/zero: more than 1048576 bytes"},
                                                       {folder.text(), folder.text() + ": Is a directory"}};
  for (const auto& [data, cause] : cases) {
    std::ofstream(folder / "tasks") << R"({"callable": "echo", "file": ")" << data << "\"}\n";
    const Ran ran = run_tasks(folder / "tasks");
    EXPECT_EQ(ran.code, 64);
    EXPECT_EQ(ran.errors, "tenter: tasks line 1, file: " + cause + "\n");
  }
}

TEST(MailboxTasks, what_no_task_can_carry_is_refused_with_its_line_before_anything_starts) {
  const TemporaryFolder folder;
  std::string scalars = "1";
  for (int i = 0; i < 4096; ++i) scalars += ",1";
  const std::string data(1024 * 1024 + 1, 'x');
  const std::pair<std::string, std::string> cases[] = {
      {R"("worker": 0, "worker": 1)", "worker: it is there twice"},
      {R"("scalars": [1], "scalars": [2])", "scalars: it is there twice"},
      {R"("scalars": [18446744073709551616])", "line: 18446744073709551616 is no integer of 64 bits"},
      {R"("scalars": [-9223372036854775809])", "line: -9223372036854775809 is no integer of 64 bits"},
      {R"("deadline_s": 1e-300)", "deadline_s: "},
      {"\"scalars\": [" + scalars + "]", "scalars: 4097 are more than 4096"},
      {"\"data\": \"" + data + "\"", "data: 1048577 bytes are more than 1048576"}};
  for (const auto& [rest, cause] : cases) {
    std::ofstream(folder / "tasks") << "{\"callable\": \"echo\"}\n{\"callable\": \"echo\", " << rest << "}\n";
    const Ran ran = run_tasks(folder / "tasks");
    EXPECT_EQ(ran.code, 64) << cause;
    EXPECT_NE(ran.errors.find("tasks line 2, " + cause), std::string::npos) << ran.errors.substr(0, 300);
  }
}

}  // namespace
}  // namespace tenter
