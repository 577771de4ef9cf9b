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

struct StoreServeOptions {
  std::string method = "file";  // file, fabric or window
  std::string directory, provider = "tcp;ofi_rxm", domain, job = "tenter";
  std::string record;                 // directory for recordings; empty: none
  std::vector<std::uint32_t> shares;  // by rank, of the rows; empty: equal ones
  std::uint32_t ranks = 0;            // 0: as many as the launcher starts
  double close_seconds = 30, get_seconds = 30;
  bool verify = false;                 // every rank reads all rows of all variables and compares
  std::vector<std::string> variables;  // NAME=FILE.npy
};
int store_serve(const Context& context, const StoreServeOptions& options);

struct StoreInfoOptions {
  std::string directory;
  std::string owner;  // as StoreTarget
  double wait = 9;    // seconds for the heartbeats; one that moves ends the wait for it
};
int store_info(const Context& context, const StoreInfoOptions& options);

// A variable of another job.
struct StoreTarget {
  std::string directory, variable;
  std::string provider, domain;  // empty: what the record names
  std::string owner;             // another user, name or number, whose directory and records are allowed too; empty: none
  std::string record;            // directory for a recording; empty: none
  std::uint32_t cores = 0;       // ranks that the job must have; 0: any number
  double seconds = 10;           // for the join, and again for every read
};

struct StoreGetOptions {
  StoreTarget target;
  std::string rows, batch, out, verify;
};
int store_get(const Context& context, const StoreGetOptions& options);

struct StoreReadOptions {
  StoreTarget target;
  std::uint64_t epochs = 1, batch_size = 64;
  std::uint32_t prefetch = 2;  // batches under way
  bool shuffle = false;
  std::string seed = "1", verify;
};
int store_read(const Context& context, const StoreReadOptions& options);

}  // namespace tenter::cli
