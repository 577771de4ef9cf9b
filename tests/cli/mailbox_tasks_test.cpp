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

}  // namespace
}  // namespace tenter
