// What a rank can be asked to do: functions by name, found by the SHA-256 of the name, as a TASK frame carries it (spec B2).
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/blob.hpp"
#include "core/error.hpp"
#include "hw/group/sha256.hpp"

namespace tenter::hw {

// Called one at a time, on a work thread of the rank unless it was added to run on the loop. The argument is task_argument()'s
// (core/mailbox/frame.hpp); read_argument() takes it apart. An error is the task's own: the group lives on. It must not call MPI.
using Callable = std::function<Result<Blob>(const Blob& argument)>;

struct TaskArgument {
  std::vector<std::uint64_t> scalars;
  Bytes data;  // valid as long as the argument
};
// invalid: cut short.
Result<TaskArgument> read_argument(const Blob& argument);

// loop: for what takes microseconds; while it runs the rank does nothing else, but no thread has to be woken for it.
enum class RunsOn : std::uint8_t { work_thread, loop };

class Callables {
 public:
  // A name that is there already is replaced. "control/N" answers the control of that number, with its command bytes.
  Callables& add(std::string_view name, Callable callable, RunsOn runs_on = RunsOn::work_thread);
  // `callable`: 32 bytes of digest, or "control/N". not_found names what was asked for and what there is. An exception of
  // the callable becomes its error.
  Result<Blob> run(const Blob& callable, const Blob& argument) const;
  bool runs_on_loop(const Blob& callable) const;
  std::vector<std::string> names() const;

 private:
  struct Entry {
    std::string name;
    Callable callable;
    RunsOn runs_on{};
  };
  std::map<std::string, Entry, std::less<>> by_key_;
};

// What `run` finds a name by.
Blob callable_key(std::string_view name);

// The checksum callable's commands, bits of the first byte of its data; several may be in one call, done in this order.
inline constexpr std::uint8_t checksum_begin = 1, checksum_update = 2, checksum_finish = 4;

// echo (data back), checksum (SHA-256 of a stream, state on the rank: one stream a rank; finish answers 32 bytes), sleep_ms
// (scalar 0), fail (with its data as the message), vector_add (data: two vectors of float64, one after the other; answers
// their sum).
Callables builtin_callables();

}  // namespace tenter::hw
