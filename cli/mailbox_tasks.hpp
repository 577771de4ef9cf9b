// The lines of a tasks file (docs/formats.md): {"callable", "worker": n|"any"|"all", "scalars": [], "data": text | "file": path,
// "deadline_s"}.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "hw/group/group.hpp"

namespace tenter::cli {

enum class Worker : std::uint8_t { one, any, all };

struct TaskLine {
  std::size_t line = 0;  // 1-based
  std::string callable;
  Worker worker = Worker::any;
  std::uint32_t rank = 0;  // Worker::one
  hw::Task task;
  double deadline_seconds = 30;
};

// Integers are carried as 64-bit two's complement, other numbers as the bits of a float64. Errors name line and key: invalid
// (not JSON, an unknown key, a wrong type, a rank that is not below `ranks`), not_found and the others of a file that cannot be
// read.
Result<TaskLine> read_task_line(std::string_view text, std::size_t line, std::uint32_t ranks);

// All lines of a file ("-": standard input) that are not blank; the first error ends it. Errors name the file: it cannot be read,
// is a folder, has more than 64 MiB or holds no task.
Result<std::vector<TaskLine>> read_tasks(const std::string& file, std::uint32_t ranks);

}  // namespace tenter::cli
