// Result documents: written where they were asked for, or an error.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.hpp"
#include "tests/cli/ticker.hpp"

namespace tenter {
namespace {

TEST(Results, a_file_that_cannot_be_written_is_an_error_though_all_passed) {
  const TemporaryFolder folder;
  for (const char* option : {"--json", "--junit"}) {
    Registry registry;
    add_ticker(registry);
    const Ran ran = run_command(registry, {"sim", "run", "ticker", "--count", "2", option, folder / "none/r"});
    EXPECT_EQ(ran.code, 70) << option << ran.output;
    EXPECT_NE(ran.errors.find("the result is not written: " + (folder / "none/r")), std::string::npos) << ran.errors;
  }
  const Ran build = run_command(Registry{}, {"info", "build", "--json", folder / "none/r"});
  EXPECT_EQ(build.code, 70);
}

TEST(Results, a_file_that_cannot_be_written_does_not_hide_a_violation) {
  const TemporaryFolder folder;
  Registry registry;
  add_ticker(registry).always("never", [](const sim::View&) { return false; });
  const Ran ran = run_command(
      registry, {"sim", "run", "ticker", "--count", "2", "--no-shrink", "--json", folder / "none/r", "--out", folder / "runs"});
  EXPECT_EQ(ran.code, 1) << ran.output;
  EXPECT_NE(ran.errors.find("the result is not written"), std::string::npos) << ran.errors;
}

TEST(Results, a_closed_standard_error_is_no_reason_to_abort) {
  Registry registry;
  add_ticker(registry);
  const auto with_closed_errors = [&registry] {
    close(STDERR_FILENO);
    char words[][8] = {"tenter", "sim", "run", "nobody"};
    char* arguments[] = {words[0], words[1], words[2], words[3], nullptr};
    _exit(main(4, arguments, registry));
  };
  EXPECT_EXIT(with_closed_errors(), testing::ExitedWithCode(64), "");
}

TEST(Info, every_topic_is_written_as_json_when_asked_for) {
  Registry registry;
  add_ticker(registry).always("never early", [](const sim::View&) { return true; });
  for (const char* topic : {"protocols", "properties", "faults", "build"}) {
    const Ran ran = run_command(registry, {"info", topic, "--json", "-"});
    EXPECT_EQ(ran.code, 0) << topic;
    const auto json = nlohmann::json::parse(ran.output, nullptr, false);
    ASSERT_FALSE(json.is_discarded()) << topic << ": " << ran.output;
    EXPECT_EQ(json["schema"], std::string("tenter.") + topic + "/1");
    if (std::string(topic) == "protocols") {
      EXPECT_EQ(json["protocols"][0]["scenarios"][0], "one");
    }
    if (std::string(topic) == "properties") {
      EXPECT_EQ(json["properties"][0]["property"], "never early");
    }
    if (std::string(topic) == "faults") {
      EXPECT_GT(json["faults"].size(), 3u);
    }
  }
}

TEST(Options, what_would_do_nothing_is_refused) {
  Registry registry;
  add_ticker(registry);
  EXPECT_EQ(run_command(registry, {"sim", "run", "ticker", "-v"}).code, 64);
}

TEST(Results, a_usage_error_of_a_users_own_binary_begins_with_its_name_and_shows_control_bytes) {
  std::string words[] = {"/somewhere/lease", "sim", "run", "no\x1b[31mne"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  testing::internal::CaptureStderr();
  EXPECT_EQ(main(4, arguments.data(), Registry{}), 64);
  const std::string errors = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(errors.starts_with("lease: no protocol called 'no\\x1b[31mne'")) << errors;
}

TEST(Results, numbers_that_no_machine_has_room_for_are_usage_errors) {
  Registry registry;
  add_ticker(registry);
  const std::vector<std::string> cases[] = {{"sim", "run", "ticker", "--count", "18446744073709551615"},
                                            {"sim", "run", "ticker", "--seeds", "1..18446744073709551615"},
                                            {"sim", "run", "ticker", "--jobs", "4000000000"},
                                            {"sim", "mutants", "ticker", "--seeds", "18446744073709551615"},
                                            {"sim", "replay", "none", "--timeline", "18446744073709551615"}};
  for (const std::vector<std::string>& words : cases) {
    const Ran ran = run_command(registry, words);
    EXPECT_EQ(ran.code, 64) << words[3] << ran.errors;
    EXPECT_NE(ran.errors, "") << words[3];
  }
}

}  // namespace
}  // namespace tenter
