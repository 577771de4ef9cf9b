// The raw peer of a group's request after idle: a caller and MPI ranks that sleep on futexes of one page, and one MPI_Ibcast and
// MPI_Igather of 64 bytes a request, tested with a yield between (as in mpi_dispatch.hpp). No ports, no events, no checks.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

namespace tenter::bench {

class BlockingGroup {
 public:
  // Starts `mpiexec -n ranks program raw-rank PAGE`; nullptr after a message on standard error.
  static std::unique_ptr<BlockingGroup> start(std::uint32_t ranks, const std::string& program);
  BlockingGroup(const BlockingGroup&) = delete;
  BlockingGroup& operator=(const BlockingGroup&) = delete;
  ~BlockingGroup();

  bool request();  // returns when rank 0 has every rank's answer; false: not within 10 s

  std::uint64_t pid_of(std::uint32_t rank) const;

  struct Page;

 private:
  BlockingGroup() = default;
  Page* page_ = nullptr;
  std::uint32_t round_ = 0;
  pid_t launcher_ = -1;
};

// Serves as a rank when `argv` asks for it, and says so; main returns `code` then.
bool served_as_raw_rank(int argc, char** argv, int& code);

}  // namespace tenter::bench
