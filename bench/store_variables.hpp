// What the store's benchmarks publish, and what one round of theirs gets.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/raw/budget.hpp"
#include "hw/store/store_publisher.hpp"

namespace tenter::bench {

constexpr Duration store_patience = seconds(20);
constexpr std::uint64_t store_variable_bytes = std::uint64_t{16} << 20;
constexpr std::array<const char*, 4> store_variables = {"rows-64", "rows-4096", "rows-1048576", "rows-16777216"};

// Bytes of a row of the variable: rows-64 has rows of 64 B, and so on; and how many rows it has.
inline std::uint64_t row_bytes_of(const std::string& variable) { return std::stoull(variable.substr(variable.find('-') + 1)); }
inline std::uint64_t row_count_of(const std::string& variable) { return store_variable_bytes / row_bytes_of(variable); }
inline std::byte byte_of(std::uint64_t row) { return static_cast<std::byte>(row * 7 + 1); }

inline bool store_failed(const char* what, const std::string& why) {
  std::fprintf(stderr, "store: %s: %s\n", what, why.c_str());
  return false;
}

// Collective: every variable, its rows on the rank that `owns`. False when one was not published; the cause was printed.
inline bool add_store_variables(hw::StorePublisher& store, bool owns) {
  for (const char* variable : store_variables) {
    const std::uint64_t row_bytes = row_bytes_of(variable), rows = owns ? row_count_of(variable) : 0;
    std::vector<std::byte> bytes(rows * row_bytes);
    for (std::uint64_t at = 0; at < bytes.size(); ++at) bytes[at] = byte_of(at / row_bytes);
    if (auto added = store.add({variable, store::DType::uint8, {row_bytes}, rows, bytes}); !added)
      return store_failed("publisher", added.error().what);
  }
  return true;
}

struct StoreWork {
  std::string variable;     // one of store_variables
  std::uint64_t rows = 1;   // of one get
  bool scattered = false;   // rows here and there, in an order of their own; else adjoining ones
  bool one_by_one = false;  // adjoining rows, each asked for by itself in one batch
};

// The gets of one reader, each at other rows than the one before.
class StoreGets {
 public:
  // get(variable, ranges, into): a store's. False when it failed or gave a wrong byte; the cause was printed.
  template <class Get>
  bool one(const StoreWork& work, Get&& get) {
    const std::uint64_t row_bytes = row_bytes_of(work.variable), count = row_count_of(work.variable);
    bytes_.resize(work.rows * row_bytes);
    ranges_.clear();
    if (next_ + work.rows > count) next_ = 0;
    if (!work.scattered && !work.one_by_one) {
      ranges_.push_back({next_, work.rows});
    } else {
      for (std::uint64_t row = next_; row < next_ + work.rows; ++row)
        ranges_.push_back({work.scattered ? row * 1'009 % count : row, 1});  // 1009 is prime: every row once
    }
    next_ += work.rows;
    if (auto got = get(work.variable, ranges_, bytes_); !got) return store_failed("get", got.error().what);
    const std::uint64_t last = ranges_.back().first + ranges_.back().rows - 1;
    if (bytes_.front() != byte_of(ranges_.front().first) || bytes_.back() != byte_of(last))
      return store_failed("get", "a wrong byte");
    return true;
  }

 private:
  std::vector<std::byte> bytes_;
  std::vector<store::RowRange> ranges_;
  std::uint64_t next_ = 0;
};

}  // namespace tenter::bench
