// Claims about colour and progress. Time is given, so nothing waits.
#include "cli/report/terminal.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace tenter::report {
namespace {

TEST(Color, is_on_for_a_terminal_and_off_for_a_pipe_a_dumb_terminal_and_no_color) {
  const TerminalFacts terminal{true, {}, "xterm", {}};
  EXPECT_TRUE(wants_color(ColorChoice::automatic, terminal));
  EXPECT_FALSE(wants_color(ColorChoice::automatic, {false, {}, "xterm", {}}));
  EXPECT_FALSE(wants_color(ColorChoice::automatic, {true, {}, "dumb", {}}));
  EXPECT_FALSE(wants_color(ColorChoice::automatic, {true, {}, {}, {}})) << "no TERM at all";
  EXPECT_FALSE(wants_color(ColorChoice::automatic, {true, "1", "xterm", {}}));
  EXPECT_TRUE(wants_color(ColorChoice::automatic, {true, "", "xterm", {}})) << "an empty NO_COLOR does not count";
}

TEST(Color, asked_for_on_the_command_line_wins_over_the_environment) {
  EXPECT_TRUE(wants_color(ColorChoice::always, {false, "1", "dumb", {}}));
  EXPECT_FALSE(wants_color(ColorChoice::never, {true, {}, "xterm", "1"}));
}

TEST(Color, can_be_forced_by_the_environment_but_not_against_no_color) {
  EXPECT_TRUE(wants_color(ColorChoice::automatic, {false, {}, "dumb", "1"}));
  EXPECT_FALSE(wants_color(ColorChoice::automatic, {false, {}, "xterm", "0"}));
  EXPECT_FALSE(wants_color(ColorChoice::automatic, {true, "1", "xterm", "1"}));
}

TEST(Color, choices_are_the_three_words_and_nothing_else) {
  EXPECT_EQ(parse_color("auto"), ColorChoice::automatic);
  EXPECT_EQ(parse_color("always"), ColorChoice::always);
  EXPECT_EQ(parse_color("never"), ColorChoice::never);
  EXPECT_EQ(parse_color("yes"), std::nullopt);
}

TEST(Color, leaves_the_word_readable) {
  EXPECT_EQ(colored("PASS", Color::green, false), "PASS");
  EXPECT_EQ(colored("PASS", Color::green, true), "\033[32mPASS\033[0m");
}

class ProgressLine : public testing::Test {
 protected:
  Progress::Instant start_{};
  std::ostringstream out_;
};

TEST_F(ProgressLine, off_a_terminal_is_a_plain_line_every_ten_seconds) {
  Progress progress(out_, false, start_);
  progress.update("early", start_ + Progress::plain_interval - std::chrono::milliseconds(1));
  EXPECT_EQ(out_.str(), "");
  progress.update("10 s", start_ + Progress::plain_interval);
  progress.update("soon after", start_ + Progress::plain_interval + std::chrono::seconds(1));
  progress.update("20 s", start_ + 2 * Progress::plain_interval);
  progress.clear();
  EXPECT_EQ(out_.str(), "10 s\n20 s\n") << "no carriage return, no escape";
}

TEST_F(ProgressLine, on_a_terminal_is_rewritten_in_place_and_gone_at_the_end) {
  {
    Progress progress(out_, true, start_);
    progress.update("1/3", start_);
    progress.update("2/3", start_ + Progress::terminal_interval / 2);
    progress.update("3/3", start_ + Progress::terminal_interval);
  }
  EXPECT_EQ(out_.str(), "\r\033[K1/3\r\033[K3/3\r\033[K");
}

}  // namespace
}  // namespace tenter::report
