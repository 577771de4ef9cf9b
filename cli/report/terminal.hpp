// Terminal manners (clig.dev, no-color.org): when to colour, and a progress line that suits where it goes.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace tenter::report {

enum class ColorChoice : std::uint8_t { automatic, always, never };

// "auto", "always", "never"; nothing for any other text.
std::optional<ColorChoice> parse_color(std::string_view text);

// What the colour rule looks at: whether the stream is a terminal, and the environment.
struct TerminalFacts {
  bool is_terminal = false;
  std::optional<std::string> no_color;        // NO_COLOR: set and not empty = no colour
  std::optional<std::string> term;            // TERM: "dumb" = no colour
  std::optional<std::string> clicolor_force;  // CLICOLOR_FORCE: set, not empty, not "0" = colour without a terminal
};
TerminalFacts facts_of_descriptor(int descriptor);  // 1 or 2

// --color wins over NO_COLOR, which wins over CLICOLOR_FORCE, which wins over TERM and the terminal.
bool wants_color(ColorChoice choice, const TerminalFacts& facts);

enum class Color : std::uint8_t { red, green, yellow, bold };
// `text` in colour, or as it is. The word carries the meaning (PASS, FAIL), the colour only repeats it.
std::string colored(std::string_view text, Color color, bool enabled);

// One line that shows how far a long command is. On a terminal it is rewritten in place, at most ten times a second; elsewhere it
// is printed as a plain line every ten seconds. Give it standard error: results go to standard output.
class Progress {
 public:
  using Instant = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds terminal_interval{100};
  static constexpr std::chrono::seconds plain_interval{10};

  Progress(std::ostream& to, bool is_terminal, Instant start) : to_(to), is_terminal_(is_terminal), last_(start) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::string_view line, Instant now);
  void clear();  // before anything else is printed to the same terminal

 private:
  std::ostream& to_;
  bool is_terminal_;
  Instant last_;
  bool shown_ = false;
};

}  // namespace tenter::report
