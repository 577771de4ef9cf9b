// What the commands that read a store share: exit codes, joining, rows wanted, and the comparison with a .npy file.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/npy.hpp"
#include "cli/store_commands.hpp"
#include "core/store/plan.hpp"
#include "hw/store/store_reader.hpp"

namespace tenter::cli {

// docs/exit-codes.md: of a call that ended with this status.
int store_exit_of(Status status);
// Tells the error on standard error; its exit code.
int store_failed(const Error& failure);

// Of a user's name or number; nothing for an empty text. invalid: there is no such user.
Result<std::optional<std::uint32_t>> user_number(const std::string& user);

inline Duration duration_of_seconds(double seconds) { return Duration{static_cast<std::int64_t>(seconds * 1e9)}; }
std::uint64_t total_rows(const store::Record& record);

// A variable of another job that this process has joined.
struct JoinedVariable {
  std::unique_ptr<hw::StoreReader> reader;
  store::Record record;
  std::string name;
  Duration patience{};
  std::uint64_t row_bytes = 0;
};

// Waits for the record, takes its provider unless one was asked for, and joins; all within the target's seconds. The code of a
// failure, which was told.
std::optional<JoinedVariable> join_variable(const StoreTarget& target, int& code);
// Gives the lease back and ends the recording; what fails is told and changes no code.
void leave_variable(JoinedVariable& joined);

// FIRST:END within `rows`; an empty text is all of them.
std::optional<store::RowRange> row_range_of(const std::string& text, std::uint64_t rows);
// Rows wanted, in order: a .npy file of one-dimensional integers, else a text file with a row number or FIRST:END a line, #
// begins a comment. invalid, with file and line or index; not_found.
Result<std::vector<store::RowRange>> read_batch_file(const std::string& path, std::uint64_t rows);

// A .npy file of all rows of a variable, to compare with what was read.
class ExpectedRows {
 public:
  // Errors: of read_npy_header; mismatch: another dtype, row shape or number of rows than the variable's.
  static Result<ExpectedRows> open(const std::string& path, const store::Record& record);
  // The first row of `ranges` whose bytes, back to back in `bytes`, are other ones; nothing: all are equal.
  Result<std::optional<std::uint64_t>> first_difference(const std::vector<store::RowRange>& ranges, Bytes bytes) const;

 private:
  explicit ExpectedRows(NpyRows file) : file_(std::move(file)) {}
  NpyRows file_;
};

}  // namespace tenter::cli
