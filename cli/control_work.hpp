// The work of `tenter control run`: what is to be done, piece by piece, and whether an answer is right.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/mailbox_tasks.hpp"
#include "core/blob.hpp"
#include "core/error.hpp"

namespace tenter::cli {

// Files in the private folder by which the supervisor tells rank 0 what to do, and rank 0 what came of it.
inline constexpr const char* control_work_file = "/work";        // "vector_add ROWS" or "tasks", one line
inline constexpr const char* control_tasks_file = "/tasks";      // the lines of a tasks file
inline constexpr const char* control_results_file = "/results";  // a JSON object a line, see control_results.hpp
inline constexpr std::uint64_t control_tasks_bytes_max = 64 * 1024 * 1024;

inline constexpr std::uint64_t vector_rows_max = std::uint64_t{1} << 30;
inline constexpr std::uint64_t vector_piece_rows = 65'536;  // a TASK carries at most 1 MiB inline

struct ControlTask {
  std::uint64_t number = 0;  // of a line of the tasks, or of a piece of the vectors, from 1
  std::string callable;
  Worker worker = Worker::any;  // one or any
  std::uint32_t to = 0;         // Worker::one
  std::vector<std::uint64_t> scalars;
  Blob data;
  double deadline_seconds = 30;
};

// A line for all workers is a task a worker. Errors: those of read_task_line().
Result<std::vector<ControlTask>> control_tasks(const std::string& text, std::uint32_t workers);
// The pieces of one addition of `rows` rows; made when they are asked for, since all of them may be larger than the memory.
std::uint64_t vector_pieces(std::uint64_t rows);
ControlTask vector_piece(std::uint64_t rows, std::uint64_t piece);

// What is wrong with the result of a task that succeeded, against our own reckoning: echo byte by byte, vector_add element by
// element, checksum by our own SHA-256. Empty: nothing; of other callables nothing is known.
std::string wrong_result(const ControlTask& task, const Blob& result);

}  // namespace tenter::cli
