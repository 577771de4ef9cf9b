// Owner of MPI in this process: initialised once, finalized once, or left without finalize when a collective was abandoned.
//
// Thread level: FUNNELED is asked for and checked. One loop thread a process makes every MPI call (design section 10); a
// process whose helper threads could call MPI passes MPI_THREAD_SERIALIZED.
#pragma once
#include <mpi.h>

#include <cstdint>
#include <string>

#include "core/error.hpp"
#include "core/names.hpp"

namespace tenter::hw {

struct MpiOptions {
  std::uint32_t expected_world = 0;  // ranks the caller was promised; 0: whatever the launcher says
  int thread_level = MPI_THREAD_FUNNELED;
};

// The text of an MPI error code and its class, for people.
std::string mpi_error_text(int code);

// Waits for a request with a yield between tests: for the few start-up collectives, where MPI's own wait would keep the core
// from the ranks it waits for. Returns the MPI error code.
int mpi_wait_yielding(MPI_Request& request);

// What launcher variables (Hydra, PMIx, Open MPI, Slurm) promise as the world's size; 0 when none is set.
std::uint32_t world_promised_by_launcher();

class MpiEnvironment {
 public:
  // Initialises MPI. Errors: unavailable (MPI is initialised already or was finalized), mismatch (the world's size is not
  // the expected one or not the launcher's; a process that should be one of many but is alone in a world of its own),
  // failed (MPI refused, or gives a lower thread level). After an error MPI is finalized again where that is possible.
  static Result<MpiEnvironment> open(const MpiOptions& options);

  MpiEnvironment(MpiEnvironment&& other) noexcept;
  MpiEnvironment& operator=(MpiEnvironment&&) = delete;
  // Orderly end: MPI_Finalize. When a collective was abandoned MPI_Finalize could wait for ever, so it is left out.
  ~MpiEnvironment();

  Rank rank() const { return rank_; }
  std::uint32_t size() const { return size_; }
  int thread_level() const { return thread_level_; }
  const std::string& library() const { return library_; }  // MPI_Get_library_version, first line

  // A posted collective will never complete: from now on the only way out is leave().
  static void abandon();
  static bool abandoned();

  // Ends the process at once, without MPI_Finalize and without destructors. The launcher then ends the other ranks.
  [[noreturn]] static void leave(int code);

 private:
  MpiEnvironment() = default;
  bool owns_ = false;
  Rank rank_{};
  std::uint32_t size_ = 0;
  int thread_level_ = 0;
  std::string library_;
};

}  // namespace tenter::hw
