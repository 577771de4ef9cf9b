// An option whose value may not be the empty string: `--record "$DIR"` with an unset DIR is a mistake, not "none".
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace tenter::cli {

inline CLI::Validator not_empty() {
  return {[](const std::string& value) { return value.empty() ? std::string("is empty") : std::string(); }, ""};
}

}  // namespace tenter::cli
