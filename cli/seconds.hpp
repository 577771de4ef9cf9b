// Seconds of a wait, as options take them.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace tenter::cli {

// A check for CLI::Option: finite and positive; a week is longer than any wait. Not CLI::Range, which lets NaN pass.
inline std::string bad_seconds(const std::string& text) {
  double value = 0;
  if (CLI::detail::lexical_cast(text, value) && value >= 0.001 && value <= 604'800) return {};
  return "\"" + text + "\" is no number of seconds from 0.001 to 604800";
}

}  // namespace tenter::cli
