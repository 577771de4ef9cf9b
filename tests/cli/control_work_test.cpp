// Whether `tenter control run` would notice that a result is wrong, and how results travel from rank 0 to the command.
#include "cli/control_work.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <mutex>

#include "cli/control_results.hpp"
#include "hw/control/builtin_callables.hpp"
#include "tests/cli/command_line.hpp"

namespace tenter::cli {
namespace control_work {
namespace {

Blob done(const ControlTask& task) {
  const auto payload = hw::task_payload(task.callable, task.scalars, task.data.bytes());
  return *hw::run_callable(hw::control_callables(), Blob(std::string_view(task.callable)), *payload);
}
Blob with_byte_changed(const Blob& blob, std::size_t at) {
  std::string text(blob.text());
  text[at] = static_cast<char>(text[at] ^ 1);
  return Blob(std::string_view(text));
}

TEST(ControlWork, pieces_of_a_vector_cover_every_row_once) {
  for (const std::uint64_t rows : {std::uint64_t{1}, vector_piece_rows, vector_piece_rows + 1, 3 * vector_piece_rows}) {
    std::uint64_t covered = 0;
    for (std::uint64_t piece = 0; piece < vector_pieces(rows); ++piece) covered += vector_piece(rows, piece).data.size() / 16;
    EXPECT_EQ(covered, rows);
  }
}

TEST(ControlWork, one_wrong_bit_of_any_row_is_found) {
  const ControlTask task = vector_piece(70'000, 1);
  const Blob sum = done(task);
  ASSERT_EQ(wrong_result(task, sum), "");
  for (const std::size_t at : {std::size_t{0}, sum.size() / 2, sum.size() - 8})
    EXPECT_EQ(wrong_result(task, with_byte_changed(sum, at)).find("row " + std::to_string(at / 8) + ": "), 0u) << at;
  EXPECT_NE(wrong_result(task, Blob(sum.bytes().first(sum.size() - 8))), "");
  EXPECT_NE(wrong_result(task, done(vector_piece(70'000, 0))), "") << "another piece's";
}

TEST(ControlWork, a_wrong_checksum_or_echo_is_found) {
  ControlTask task;
  task.callable = "checksum";
  task.data = Blob("abc");
  EXPECT_EQ(done(task).text(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(wrong_result(task, done(task)), "");
  EXPECT_NE(wrong_result(task, with_byte_changed(done(task), 63)), "");
  task.callable = "echo";
  EXPECT_EQ(wrong_result(task, done(task)), "");
  EXPECT_NE(wrong_result(task, Blob("abd")), "");
}

TEST(ControlWork, a_line_for_all_workers_is_a_task_for_each) {
  const auto tasks = control_tasks("{\"callable\": \"echo\", \"worker\": \"all\"}\n\n{\"callable\": \"echo\"}\n", 3);
  ASSERT_TRUE(tasks.has_value());
  ASSERT_EQ(tasks->size(), 4u);
  for (std::uint32_t worker = 0; worker < 3; ++worker) EXPECT_EQ((*tasks)[worker].to, worker);
  EXPECT_EQ((*tasks)[3].number, 3u);
  EXPECT_FALSE(control_tasks("{\"callable\": \"echo\", \"worker\": 3}\n", 3).has_value());
}

TEST(ControlResults, are_read_as_they_were_written_and_what_is_none_is_refused) {
  const ControlResult result{7, 9, "echo", 2, Status::peer_lost, "why \"so\"\n", "0x00ff", 1'000'000};
  const auto read = read_control_result(write_control_result(result));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->index, 7u);
  EXPECT_EQ(read->number, 9u);
  EXPECT_EQ(read->callable, "echo");
  EXPECT_EQ(read->worker, 2u);
  EXPECT_EQ(read->status, Status::peer_lost);
  EXPECT_EQ(read->error, "why \"so\"\n");
  EXPECT_EQ(read->result, "0x00ff");
  EXPECT_EQ(read->bytes, 1'000'000u);
  for (const char* line : {"", "[]", "{\"index\": 1}", "{\"index\": -1, \"status\": \"fine\"}", "no JSON"})
    EXPECT_FALSE(read_control_result(line).has_value()) << line;
  EXPECT_EQ(read_control_note(write_control_note("it ends")), "it ends");
  EXPECT_FALSE(read_control_result(write_control_note("it ends")).has_value());
}

TEST(ControlResults, a_file_is_followed_line_by_line_to_its_last_whole_line) {
  const TemporaryFolder folder;
  std::ofstream file(folder / "results", std::ios::app);
  std::mutex mutex;
  std::vector<std::string> lines;
  LineFollower follower(folder / "results", [&](std::string_view line) {
    const std::lock_guard lock(mutex);
    lines.emplace_back(line);
  });
  for (const char* piece : {"one\ntw", "o\n", "three\nfo"}) file << piece << std::flush;
  follower.finish();
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two", "three"}));
}

}  // namespace
}  // namespace control_work
}  // namespace tenter::cli
