// A publishing job of one rank as a process of its own, and this process as its reader, on the real directory and provider. The
// job lives as long as the pair.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/raw/budget.hpp"
#include "bench/store_variables.hpp"
#include "hw/store/store_reader.hpp"

namespace tenter::bench {

class StorePair {
 public:
  // Null when the job does not publish; the cause was printed. program: this binary, whose `publish` argument is publish_rows().
  static std::unique_ptr<StorePair> start(const std::string& provider);
  ~StorePair();
  StorePair(const StorePair&) = delete;
  StorePair& operator=(const StorePair&) = delete;

  // One round is one get. 0 rounds when it failed or gave a wrong byte; the cause was printed.
  Elapsed slice(const StoreWork& work, Budget budget, std::vector<std::uint32_t>* round_ns = nullptr);
  bool get(const StoreWork& work);
  std::int64_t publisher_cpu_ns() const;
  pid_t publisher() const { return publisher_; }

 private:
  StorePair() = default;
  bool join();

  std::string provider_, folder_;
  pid_t publisher_ = -1;
  std::unique_ptr<hw::StoreReader> reader_;
  StoreGets gets_;
};

// The job's process: publishes into the folder until it is killed. Its exit code.
int publish_rows(const std::string& folder, const std::string& provider);

}  // namespace tenter::bench
