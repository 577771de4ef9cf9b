// `tenter hw run` and the hidden `tenter hw member`: a protocol of the registry on hardware.
#pragma once
#include <functional>
#include <string>

#include "cli/command.hpp"

namespace CLI {
class App;
}

namespace tenter::cli {

void add_hw(CLI::App& app, Context& context, std::function<int()>& chosen);

struct HwRunOptions {
  std::string protocol, scenario;
  std::uint32_t ranks = 4;
  std::uint64_t requests = 1000;
  std::string seed = "1";
  std::string patience = "60s";
  std::string launcher = "mpiexec";
  std::string record;  // directory; empty: none
};
int hw_run(const Context& context, const HwRunOptions& options);
int hw_member(const Context& context, const std::string& protocol);

}  // namespace tenter::cli
