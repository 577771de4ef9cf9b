// A publishing job of one rank as a process of its own, and this process as its reader, on the real directory and provider. The
// job lives as long as the pair.
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/raw/budget.hpp"
#include "hw/store/store_reader.hpp"

namespace tenter::bench {

struct StoreWork {
  std::string variable;     // one of store_variables()
  std::uint64_t rows = 1;   // of one get
  bool scattered = false;   // rows here and there, in an order of their own; else adjoining ones
  bool one_by_one = false;  // adjoining rows, each asked for by itself in one batch
  std::vector<std::uint32_t>* round_ns = nullptr;
};

class StorePair {
 public:
  // Null when the job does not publish; the cause was printed. program: this binary, whose `publish` argument is publish_rows().
  static std::unique_ptr<StorePair> start(const std::string& provider);
  ~StorePair();
  StorePair(const StorePair&) = delete;
  StorePair& operator=(const StorePair&) = delete;

  // One round is one get. 0 rounds when it failed or gave a wrong byte; the cause was printed.
  Elapsed slice(const StoreWork& work, Budget budget);
  bool get(const StoreWork& work);
  std::int64_t publisher_cpu_ns() const;
  pid_t publisher() const { return publisher_; }

 private:
  StorePair() = default;
  bool join();

  std::string provider_, folder_;
  pid_t publisher_ = -1;
  std::unique_ptr<hw::StoreReader> reader_;
  std::vector<std::byte> bytes_;
  std::vector<store::RowRange> ranges_;
  std::uint64_t next_ = 0;
};

// The job's process: publishes into the folder until it is killed. Its exit code.
int publish_rows(const std::string& folder, const std::string& provider);

// Bytes of a row of the variable: rows-64 has rows of 64 B, and so on; and how many rows it has.
std::uint64_t row_bytes_of(const std::string& variable);
std::uint64_t row_count_of(const std::string& variable);

}  // namespace tenter::bench
