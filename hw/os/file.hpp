// Whole reads and writes: bounded, retried after a signal, and every failure is a value.
#pragma once
#include <cstdint>
#include <string>

#include "core/blob.hpp"
#include "core/error.hpp"

namespace tenter::os {

// All that the file holds, or all that comes from the descriptor until its end. Nothing is asked of its size before, so files of
// /proc and pipes are read too. Errors name the file: those of status_of(), a folder among them; invalid when there are more than
// `limit` bytes.
Result<std::string> read_file(const std::string& path, std::uint64_t limit);
Result<std::string> read_to_end(int descriptor, const std::string& name, std::uint64_t limit);

// Writes `head`, then `tail`, whole. A file-size limit (setrlimit(2)) is EFBIG; its signal, which would end the process, is
// taken away.
struct Written {
  std::uint64_t bytes = 0;  // less than all when native != 0
  int native = 0;           // errno; 0: all
};
Written write_all(int descriptor, Bytes head, Bytes tail = {}) noexcept;

// Backs the file's first `bytes` with memory or disk blocks, so that a lack of them is an error now and no signal at a later
// access. 0 or an errno, also under a file-size limit.
int reserve(int descriptor, std::uint64_t bytes) noexcept;

}  // namespace tenter::os
