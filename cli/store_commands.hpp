// `tenter store …`, without the parsing of the command line (spec A5).
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace CLI {
class App;
}

namespace tenter::cli {

void add_store_commands(CLI::App& app, Context& context, std::function<int()>& chosen);

namespace store_exit {
inline constexpr int ok = 0, differs = 1, failed = 4;  // differs: --verify found other bytes
}

struct StoreServeOptions {
  std::string directory, provider = "tcp;ofi_rxm", domain, job = "tenter";
  std::uint32_t ranks = 0;  // 0: as many as the launcher starts
  double close_seconds = 30;
  std::vector<std::string> variables;  // NAME=FILE.npy
};
int store_serve(const Context& context, const StoreServeOptions& options);

struct StoreInfoOptions {
  std::string directory;
};
int store_info(const Context& context, const StoreInfoOptions& options);

struct StoreGetOptions {
  std::string directory, variable, provider, domain, rows, out, verify;
  std::uint32_t cores = 0;
  double seconds = 10;
};
int store_get(const Context& context, const StoreGetOptions& options);

}  // namespace tenter::cli
