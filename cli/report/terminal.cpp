#include "cli/report/terminal.hpp"

#include <unistd.h>

#include <cstdlib>

namespace tenter::report {

namespace {

std::optional<std::string> environment_value(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

bool is_set(const std::optional<std::string>& value) { return value.has_value() && !value->empty(); }

const char* code_of(Color color) {
  switch (color) {
    case Color::red:
      return "31";
    case Color::green:
      return "32";
    case Color::yellow:
      return "33";
    case Color::bold:
      return "1";
  }
  return "0";
}

}  // namespace

std::optional<ColorChoice> parse_color(std::string_view text) {
  if (text == "auto") return ColorChoice::automatic;
  if (text == "always") return ColorChoice::always;
  if (text == "never") return ColorChoice::never;
  return std::nullopt;
}

TerminalFacts facts_of_descriptor(int descriptor) {
  return {isatty(descriptor) == 1, environment_value("NO_COLOR"), environment_value("TERM"), environment_value("CLICOLOR_FORCE")};
}

bool wants_color(ColorChoice choice, const TerminalFacts& facts) {
  if (choice != ColorChoice::automatic) return choice == ColorChoice::always;
  if (is_set(facts.no_color)) return false;
  if (is_set(facts.clicolor_force) && *facts.clicolor_force != "0") return true;
  return facts.is_terminal && facts.term.value_or("dumb") != "dumb";
}

std::string colored(std::string_view text, Color color, bool enabled) {
  if (!enabled) return std::string(text);
  return std::string("\033[") + code_of(color) + "m" + std::string(text) + "\033[0m";
}

void Progress::update(std::string_view line, Instant now) {
  const bool first_on_terminal = is_terminal_ && !shown_;
  if (!first_on_terminal &&
      now - last_ < (is_terminal_ ? std::chrono::milliseconds(terminal_interval) : std::chrono::milliseconds(plain_interval)))
    return;
  last_ = now;
  if (is_terminal_) {
    to_ << "\r\033[K" << line << std::flush;
    shown_ = true;
  } else {
    to_ << line << '\n' << std::flush;
  }
}

void Progress::clear() {
  if (!shown_) return;
  to_ << "\r\033[K" << std::flush;
  shown_ = false;
}

}  // namespace tenter::report
