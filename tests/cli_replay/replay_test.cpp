// `tenter sim replay DIR` as a user calls it, with a machine of a user's registry.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/main.hpp"
#include "core/recording/value.hpp"
#include "core/traced.hpp"
#include "hw/record/recorder.hpp"

namespace tenter {
namespace {

struct EchoConfig {
  std::uint32_t offset = 0;
  TENTER_DESCRIBE(echo_config, offset)
};
class Echo {
 public:
  explicit Echo(EchoConfig config) : config_(config) {}
  template <SharedPage O>
  void on(const event::WordChanged& e, O& out) {
    out.publish(e.word, e.value + config_.offset);
  }
  std::string_view state_name() const { return "ready"; }
  TENTER_DESCRIBE(echo, config_)

 private:
  EchoConfig config_;
};

struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tenter-replay-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no folder " << name;
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

// A recording of a machine that was configured with `actual` while the header says `told`.
void record(const Folder& folder, const std::string& process, std::uint32_t told, std::uint32_t actual) {
  const recording::LogHeader header{"echo", process, Rank{0}, {{"echo", recording::encode_value(EchoConfig{told})}}};
  auto recorder = hw::Recorder::open(folder.path.string(), header);
  ASSERT_TRUE(recorder) << recorder.error().what;
  Echo machine(EchoConfig{actual});
  Outbox world;
  Traced<Outbox> traced(world);
  for (std::uint32_t value = 0; value < 100; ++value) {
    const event::WordChanged event{Time{value}, Op{1}, Word{64}, value};
    machine.on(event, traced);
    (*recorder)->append(Role{0}, event, traced.take_digest());
  }
  ASSERT_TRUE((*recorder)->finish());
}

struct Outcome {
  int code = 0;
  std::string output, errors;
};
Outcome replay(const Folder& folder, bool with_role = true) {
  Registry registry;
  if (with_role) {
    registry.role<Echo>([](Bytes bytes) { return Echo(recording::decode_value<EchoConfig>(bytes).value()); });
  }
  std::string words[] = {"tenter", "sim", "replay", folder.path.string()};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.code = main(4, arguments, registry);
  outcome.output = testing::internal::GetCapturedStdout();
  outcome.errors = testing::internal::GetCapturedStderr();
  return outcome;
}

TEST(ReplayRecordings, a_recording_of_the_same_machine_passes_with_one_line_a_process) {
  const Folder folder;
  record(folder, "rank-0", 5, 5);
  record(folder, "rank-1", 7, 7);
  const Outcome outcome = replay(folder);
  EXPECT_EQ(outcome.code, 0) << outcome.output << outcome.errors;
  EXPECT_NE(outcome.output.find("rank-0  100 events  every digest equal\n"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("rank-1  100 events  every digest equal\n"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("PASS"), std::string::npos) << outcome.output;
}

TEST(ReplayRecordings, a_difference_names_process_step_and_event_and_exits_with_8) {
  const Folder folder;
  record(folder, "rank-0", 5, 5);
  record(folder, "rank-1", 7, 8);
  const Outcome outcome = replay(folder);
  EXPECT_EQ(outcome.code, 8) << outcome.output << outcome.errors;
  EXPECT_NE(outcome.output.find("rank-1  DIFFERS at step 0"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("word_changed(now=0, op=1, word=64, value=0)"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("publish(word=64, value=7)"), std::string::npos) << outcome.output;
  EXPECT_EQ(outcome.output.find("PASS"), std::string::npos) << outcome.output;
}

TEST(ReplayRecordings, a_machine_that_the_command_does_not_have_is_named) {
  const Folder folder;
  record(folder, "rank-0", 5, 5);
  const Outcome outcome = replay(folder, false);
  EXPECT_EQ(outcome.code, 64);
  EXPECT_NE(outcome.errors.find("\"echo\""), std::string::npos) << outcome.errors;
}

TEST(ReplayRecordings, a_process_whose_log_is_missing_is_named) {
  const Folder folder;
  record(folder, "rank-0", 5, 5);
  record(folder, "rank-1", 7, 7);
  std::filesystem::remove(folder.path / "rank-1.log");
  const Outcome outcome = replay(folder);
  EXPECT_EQ(outcome.code, 64);
  EXPECT_NE(outcome.errors.find("rank-1.blobs: the log beside it is missing"), std::string::npos) << outcome.errors;
}

TEST(ReplayRecordings, a_file_that_is_no_recording_is_named) {
  const Folder folder;
  std::ofstream(folder.path / "rank-9.log") << "something else";
  std::ofstream(folder.path / "rank-9.blobs") << "";
  const Outcome outcome = replay(folder);
  EXPECT_EQ(outcome.code, 64);
  EXPECT_NE(outcome.errors.find("rank-9.log"), std::string::npos) << outcome.errors;
}

TEST(ReplayRecordings, a_log_that_is_no_file_or_larger_than_memory_should_hold_is_refused_by_name) {
  const Folder folder;
  std::filesystem::create_directory(folder.path / "rank-0.log");
  const Outcome directory = replay(folder);
  EXPECT_EQ(directory.code, 64);
  EXPECT_NE(directory.errors.find("rank-0.log: it is no regular file"), std::string::npos) << directory.errors;
  std::filesystem::remove(folder.path / "rank-0.log");
  std::ofstream(folder.path / "rank-0.log") << "x";
  std::filesystem::resize_file(folder.path / "rank-0.log", (std::uintmax_t{1} << 30) + 1);  // sparse
  const Outcome large = replay(folder);
  EXPECT_EQ(large.code, 64);
  EXPECT_NE(large.errors.find("1073741825 bytes, the limit is 1073741824"), std::string::npos) << large.errors;
}

}  // namespace
}  // namespace tenter
