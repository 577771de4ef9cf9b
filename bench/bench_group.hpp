// A real group for a benchmark program: the ranks are the program itself, called with "member".
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "bench/slices.hpp"
#include "hw/group/group.hpp"

namespace tenter::bench {

struct GroupOptions {
  std::uint32_t ranks = 4;
  bool recorded = false;  // into a folder of its own, which goes with the group
  std::size_t payload_bytes = 64;
  std::uint64_t warm_up = 16;  // rounds of a slice before its clock starts
};

// Requests of one task a rank (echo), one after the other by the calling thread.
class BenchGroup {
 public:
  // nullptr after a message on standard error.
  static std::unique_ptr<BenchGroup> start(const GroupOptions& options);
  BenchGroup(const BenchGroup&) = delete;
  BenchGroup& operator=(const BenchGroup&) = delete;
  ~BenchGroup();

  bool request();
  Elapsed slice(Budget budget, std::vector<std::uint32_t>& round_ns);
  const std::vector<ProcessId>& ranks() const { return ranks_; }
  hw::Group& group() { return *group_; }

 private:
  BenchGroup() = default;
  GroupOptions options_;
  std::string folder_;
  std::vector<hw::Task> tasks_;
  std::vector<ProcessId> ranks_;
  std::unique_ptr<hw::Group> group_;
};

// Serves as a rank when `argv` asks for it, and says so; main returns `code` then.
bool served_as_member(int argc, char** argv, int& code);

}  // namespace tenter::bench
