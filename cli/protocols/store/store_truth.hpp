// What the rows of a simulated store are: each a function of the job's run, the variable, the row and its version, so that bytes
// of another run, another row, another moment, or of two moments at once are recognised, whoever gives them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/store/calls.hpp"
#include "core/store/row_format.hpp"
#include "core/store/shard_map.hpp"

namespace tenter::protocols {

struct StoreVariable {
  std::string name;
  store::DType dtype{};
  std::vector<std::uint64_t> row_shape;
  bool versioned = false;
  std::vector<std::uint64_t> rows;  // by rank

  store::RowFormat format() const { return *store::row_format_of(dtype, row_shape, versioned); }
  store::ShardMap map() const { return store::ShardMap(rows); }
};

// Versions count from 1 in each run. `stored`: the newest that may be in memory; `acknowledged`: the newest whose call has ended.
struct RowHistory {
  std::uint32_t stored = 0, acknowledged = 0;
};

enum class Wrong : std::uint8_t { nothing, bytes, generation, torn, stale };
// The property that such bytes break.
const char* property_of(Wrong wrong);

class StoreTruth {
 public:
  explicit StoreTruth(std::vector<StoreVariable> variables) : variables_(std::move(variables)) {}

  const std::vector<StoreVariable>& variables() const { return variables_; }
  Blob row(std::uint32_t run, std::size_t variable, std::uint64_t row, std::uint32_t version) const;
  Blob rows(std::uint32_t run, std::size_t variable, std::uint64_t first, std::uint64_t count, std::uint32_t version) const;

  void begin_run();  // of the job; runs count from 0
  void added(std::size_t variable);
  std::uint32_t stored(std::size_t variable, std::uint64_t row);  // a new version of it
  void acknowledged(std::size_t variable, std::uint64_t row, std::uint32_t version);
  std::vector<std::uint32_t> acknowledged_now(std::uint32_t run, std::size_t variable) const;  // by row
  std::uint32_t runs() const { return static_cast<std::uint32_t>(histories_.size()); }

  // `bytes` of these rows, read from `run`, when `oldest` were acknowledged before the read began. `where` names the first row
  // that is wrong.
  Wrong judge(std::uint32_t run, std::size_t variable, const std::vector<store::RowRange>& ranges, Bytes bytes,
              const std::vector<std::uint32_t>& oldest, std::string& where) const;

 private:
  Wrong judge_row(std::uint32_t run, std::size_t variable, std::uint64_t row, Bytes bytes, std::uint32_t oldest) const;
  bool is_of(std::uint32_t run, std::size_t variable, std::uint64_t row, Bytes bytes, std::uint32_t from, std::uint32_t to,
             bool whole) const;

  std::vector<StoreVariable> variables_;
  std::vector<std::vector<std::vector<RowHistory>>> histories_;  // by run, variable, row
};

}  // namespace tenter::protocols
