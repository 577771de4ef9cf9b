#include "hw/mpi/environment.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tenter::hw {
namespace {

std::atomic<bool> abandoned_collective{false};

const char* level_text(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE:
      return "SINGLE";
    case MPI_THREAD_FUNNELED:
      return "FUNNELED";
    case MPI_THREAD_SERIALIZED:
      return "SERIALIZED";
    case MPI_THREAD_MULTIPLE:
      return "MULTIPLE";
    default:
      return "unknown";
  }
}

std::string library_text() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  if (MPI_Get_library_version(text.data(), &length) != MPI_SUCCESS) return "unknown MPI library";
  std::string line(text.data(), static_cast<std::size_t>(length));
  line.resize(std::min(line.find('\n'), line.size()));
  for (char& c : line)
    if (c == '\t') c = ' ';
  return line;
}

}  // namespace

std::string mpi_error_text(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  int error_class = 0;
  MPI_Error_class(code, &error_class);
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) length = 0;
  return "MPI error class " + std::to_string(error_class) + ": " + std::string(text.data(), static_cast<std::size_t>(length));
}

int mpi_wait_yielding(MPI_Request& request) {
  for (int done = 0;;) {
    const int code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || done != 0) return code;
    sched_yield();
  }
}

std::uint32_t world_promised_by_launcher() {
  for (const char* variable : {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS"}) {
    const char* text = std::getenv(variable);
    if (text == nullptr) continue;
    // An allocation alone does not make this process a task of it: srun sets the task's own number too.
    if (std::strcmp(variable, "SLURM_NTASKS") == 0 && std::getenv("SLURM_PROCID") == nullptr) continue;
    std::uint32_t size = 0;
    const auto [end, failure] = std::from_chars(text, text + std::strlen(text), size);
    if (failure == std::errc{} && *end == '\0' && size > 0) return size;
  }
  return 0;
}

Result<MpiEnvironment> MpiEnvironment::open(const MpiOptions& options) {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized != 0) return error(Status::unavailable, "MPI start: MPI was already initialised in this process");
  // Read before MPI_Init: some launchers' variables are taken away by it.
  const std::uint32_t promised = world_promised_by_launcher();

  MpiEnvironment environment;
  if (const int code = MPI_Init_thread(nullptr, nullptr, options.thread_level, &environment.thread_level_); code != MPI_SUCCESS)
    return error(Status::failed, "MPI start: MPI_Init_thread: " + mpi_error_text(code), code);
  environment.owns_ = true;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  environment.rank_ = Rank{static_cast<std::uint32_t>(rank)};
  environment.size_ = static_cast<std::uint32_t>(size);
  environment.library_ = library_text();

  const std::string who = "MPI start, rank " + std::to_string(rank) + " (" + environment.library_ + "): ";
  if (environment.thread_level_ < options.thread_level)
    return error(Status::failed, who + "thread level " + level_text(options.thread_level) + " was asked for, " +
                                     level_text(environment.thread_level_) + " is what the library gives");
  if (promised != 0 && promised != environment.size_)
    return error(Status::mismatch, who + "the launcher started " + std::to_string(promised) +
                                       " ranks, but this process sees a world of " + std::to_string(size) +
                                       "; launcher and library are probably of different MPI installations");
  if (options.expected_world != 0 && options.expected_world != environment.size_)
    return error(Status::mismatch, who + "a world of " + std::to_string(options.expected_world) +
                                       " ranks was expected, this one has " + std::to_string(size) +
                                       (promised == 0 ? "; no launcher variable is set: start it with mpiexec -n " +
                                                            std::to_string(options.expected_world)
                                                      : std::string()));
  return environment;
}

MpiEnvironment::MpiEnvironment(MpiEnvironment&& other) noexcept
    : owns_(std::exchange(other.owns_, false)),
      rank_(other.rank_),
      size_(other.size_),
      thread_level_(other.thread_level_),
      library_(std::move(other.library_)) {}

MpiEnvironment::~MpiEnvironment() {
  if (owns_ && !abandoned()) MPI_Finalize();
}

void MpiEnvironment::abandon() { abandoned_collective.store(true, std::memory_order_relaxed); }
bool MpiEnvironment::abandoned() { return abandoned_collective.load(std::memory_order_relaxed); }
void MpiEnvironment::leave(int code) { _exit(code); }

}  // namespace tenter::hw
