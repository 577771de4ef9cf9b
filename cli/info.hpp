// `tenter info`: what this binary holds.
#pragma once
#include <functional>

#include "cli/command.hpp"

namespace CLI {
class App;
}

namespace tenter::cli {

void add_info(CLI::App& app, Context& context, std::function<int()>& chosen);

}  // namespace tenter::cli
