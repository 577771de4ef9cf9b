// The parent of a cell as a child of the test: its lines, its end, and everything that belongs to it, found by a mark in the
// environment that all of them inherit.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "core/names.hpp"
#include "hw/posix/descriptor.hpp"

namespace tenter::kill_matrix {

inline constexpr const char* mark_variable = "TENTER_KILL_TEST_MARK";  // the base folder of the cell

class ParentProcess {
 public:
  ParentProcess(const std::string& base, const std::string& plan, bool pause);
  ParentProcess(const ParentProcess&) = delete;
  ParentProcess& operator=(const ParentProcess&) = delete;
  ~ParentProcess();  // kills what is left of it

  ProcessId id() const { return {static_cast<std::uint64_t>(pid_), start_time_}; }
  // The next line; nothing at the end of its output or at the deadline.
  std::optional<std::string> line(Time deadline);
  void go_on();
  // Waits for its end; false when it lives at the deadline.
  bool wait_for_end(Time deadline);
  bool ended() const { return reaped_; }

 private:
  pid_t pid_ = -1;
  std::uint64_t start_time_ = 0;
  bool reaped_ = false;
  std::string base_, rest_;
  hw::Descriptor output_, input_;
};

// Processes, zombies left out, whose environment has the mark, as "pid (name)".
std::vector<std::string> marked(const std::string& base);
std::vector<ProcessId> marked_processes(const std::string& base);

}  // namespace tenter::kill_matrix
