// `tenter control run --record`: what every rank was told, and that its machine answers it again as it did.
#include <algorithm>
#include <fstream>

#include "tests/control_hw/running.hpp"

namespace tenter::running {
namespace {

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(RecordedControl, every_rank_answers_its_recording_with_equal_digests) {
  Job job;
  ASSERT_EQ(job.run("-n 3 --record " + (job / "log") + " vector_add --rows 200001"), 0) << job.errors();
  ASSERT_EQ(job.run(job / "log", "sim replay"), 0) << job.errors() << job.out();
  EXPECT_EQ(count_of(job.out(), "every digest equal"), 3u) << job.out();
  EXPECT_EQ(job.out().find("the log has no end"), std::string::npos) << job.out();
  EXPECT_NE(job.out().find("PASS  3 processes"), std::string::npos) << job.out();
  job.expect_nothing_left();
}

TEST(RecordedControl, tasks_that_fail_or_come_too_late_are_replayed_too) {
  Job job;
  const std::string tasks = job.write("tasks", R"({"callable": "echo", "data": "hello", "worker": "all"}
{"callable": "fail", "data": "as it was told"}
{"callable": "nobody knows it"}
{"callable": "sleep", "scalars": [1000], "deadline_s": 0.2, "worker": 0}
)");
  EXPECT_EQ(job.run("-n 3 --record " + (job / "log") + " --tasks " + tasks), 1) << job.errors();
  ASSERT_EQ(job.run(job / "log", "sim replay"), 0) << job.errors() << job.out();
  EXPECT_EQ(count_of(job.out(), "every digest equal"), 3u) << job.out();
}

TEST(RecordedControl, a_recording_that_was_changed_is_found) {
  Job job;
  ASSERT_EQ(job.run("-n 2 --record " + (job / "log") + " vector_add --rows 1000"), 0) << job.errors();
  {
    std::fstream log(job / "log/rank-1.log", std::ios::in | std::ios::out | std::ios::binary);
    constexpr std::streamoff before_the_end = 20;  // in one of the last events, after the header
    log.seekg(-before_the_end, std::ios::end);
    const std::streamoff place = log.tellg();
    const int byte = log.get();
    log.seekp(place);
    log.put(static_cast<char>(byte ^ 1));
  }
  EXPECT_EQ(job.run(job / "log", "sim replay"), 8) << job.out();
  EXPECT_NE(job.out().find("rank-1"), std::string::npos) << job.out();
}

TEST(RecordedControl, no_recording_holds_the_token_and_tcp_is_refused_for_it) {
  Job job;
  EXPECT_EQ(job.run("-n 2 --transport tcp --record " + (job / "log") + " vector_add --rows 10"), 64);
  EXPECT_NE(job.errors().find("the token of the start would be in the recording"), std::string::npos) << job.errors();
  EXPECT_FALSE(fs::exists(job / "log"));
}

TEST(RecordedControl, a_directory_that_others_may_enter_is_refused_before_a_process_is_started) {
  Job job;
  fs::create_directory(job / "log");
  fs::permissions(job / "log", fs::perms::all);
  EXPECT_EQ(job.run("-n 2 --record " + (job / "log") + " vector_add --rows 10"), 4) << job.errors();
  EXPECT_NE(job.errors().find(job / "log"), std::string::npos) << job.errors();
  job.expect_nothing_left();
}

}  // namespace
}  // namespace tenter::running
