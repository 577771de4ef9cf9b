#include "cli/control_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "core/control/supervisor_values.hpp"
#include "core/wire.hpp"
#include "hw/group/sha256.hpp"

namespace tenter::cli {
namespace {

double value_at(Bytes bytes, std::size_t index) {
  const auto bits = wire::load<std::uint64_t>(bytes.data() + index * 8);
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

void put_value(MutableBytes to, std::size_t index, double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  wire::store(to.data() + index * 8, bits);
}

// Different in every row, and exact in a float64.
double left_of(std::uint64_t row) { return static_cast<double>(row) * 0.5; }
double right_of(std::uint64_t row) { return static_cast<double>(row % 1'000'003) * 3.0 + 1.0; }

std::string wrong_sum(Bytes data, Bytes sum) {
  const std::size_t rows = data.size() / 16;
  if (sum.size() != rows * 8) return fmt::format("{} bytes for {} rows", sum.size(), rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const double expected = value_at(data, i) + value_at(data, rows + i), got = value_at(sum, i);
    if (std::memcmp(&expected, &got, sizeof got) != 0 && !(expected != expected && got != got))
      return fmt::format("row {}: {} where {} is right", i, got, expected);
  }
  return {};
}

}  // namespace

Result<std::vector<ControlTask>> control_tasks(const std::string& text, std::uint32_t workers) {
  std::vector<ControlTask> tasks;
  std::istringstream lines(text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    auto read = read_task_line(line, number, workers);
    if (!read) return tl::unexpected(read.error());
    ControlTask task{number,          read->callable,        read->worker, read->rank, read->task.scalars,
                     read->task.data, read->deadline_seconds};
    if (task.worker != Worker::all) {
      tasks.push_back(std::move(task));
      continue;
    }
    task.worker = Worker::one;
    for (task.to = 0; task.to < workers; ++task.to) tasks.push_back(task);
  }
  return tasks;
}

std::uint64_t vector_pieces(std::uint64_t rows) { return (rows + vector_piece_rows - 1) / vector_piece_rows; }

ControlTask vector_piece(std::uint64_t rows, std::uint64_t piece) {
  const std::uint64_t first = piece * vector_piece_rows, count = std::min(vector_piece_rows, rows - first);
  ControlTask task;
  task.number = piece + 1;
  task.callable = "vector_add";
  task.data = Blob(count * 16, [&](MutableBytes to) {
    for (std::uint64_t i = 0; i < count; ++i) {
      put_value(to, i, left_of(first + i));
      put_value(to, count + i, right_of(first + i));
    }
  });
  return task;
}

std::string wrong_result(const ControlTask& task, const Blob& result) {
  if (task.callable == "vector_add") return wrong_sum(task.data.bytes(), result.bytes());
  if (task.callable == "echo") return result == task.data ? "" : "it is not what was sent";
  if (task.callable != "checksum") return {};
  const auto digest = hw::sha256_of(task.data.bytes());
  if (!digest) return "our own checksum failed: " + digest.error().what;
  const std::string expected = control::hex_text(*digest);
  return result.text() == expected ? "" : "our own is " + expected;
}

}  // namespace tenter::cli
