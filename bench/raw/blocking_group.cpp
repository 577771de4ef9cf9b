#include "bench/raw/blocking_group.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string_view>
#include <vector>

#include "bench/raw/budget.hpp"

namespace tenter::bench {
namespace {

using Word = std::atomic<std::uint32_t>;
constexpr std::uint32_t ranks_max = 64, stop = 0xFFFF'FFFF;
constexpr int payload_bytes = 64;
constexpr std::int64_t patience_ns = 10'000'000'000;

// True when the word became `wanted` or `stop` in time.
bool wait_for(Word& word, std::uint32_t wanted, std::int64_t patience) {
  const std::int64_t end = monotonic_ns() + patience;
  for (;;) {
    const std::uint32_t value = word.load(std::memory_order_acquire);
    if (value == wanted || value == stop) return true;
    const std::int64_t left = end - monotonic_ns();
    if (left <= 0) return false;
    const timespec t{left / 1'000'000'000, left % 1'000'000'000};
    syscall(SYS_futex, &word, FUTEX_WAIT, value, &t, nullptr, 0);
  }
}
void publish(Word& word, std::uint32_t value) {
  word.store(value, std::memory_order_release);
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}
void finish(MPI_Request request) {
  for (int done = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0;) sched_yield();
}

struct alignas(64) Line {
  Word word{0};
};

}  // namespace

struct BlockingGroup::Page {
  Line asked, answered;
  Line rank[ranks_max];  // round that the rank is asked for
  Line pid[ranks_max];
};

namespace {

void serve(BlockingGroup::Page& page) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  page.pid[rank].word.store(static_cast<std::uint32_t>(getpid()));
  std::vector<char> request(payload_bytes), reply(payload_bytes), replies(static_cast<std::size_t>(size) * payload_bytes);
  for (std::uint32_t round = 1;; ++round) {
    Word& bell = rank == 0 ? page.asked.word : page.rank[rank].word;
    while (!wait_for(bell, round, patience_ns)) {
    }
    const std::uint32_t asked = bell.load(std::memory_order_acquire);
    for (int leaf = 1; rank == 0 && leaf < size; ++leaf) publish(page.rank[leaf].word, asked);
    if (asked == stop) return;
    MPI_Request posted = MPI_REQUEST_NULL;
    MPI_Ibcast(request.data(), payload_bytes, MPI_BYTE, 0, MPI_COMM_WORLD, &posted);
    finish(posted);
    MPI_Igather(reply.data(), payload_bytes, MPI_BYTE, replies.data(), payload_bytes, MPI_BYTE, 0, MPI_COMM_WORLD, &posted);
    finish(posted);
    if (rank == 0) publish(page.answered.word, round);
  }
}

void* map(int file) { return mmap(nullptr, sizeof(BlockingGroup::Page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0); }

}  // namespace

bool served_as_raw_rank(int argc, char** argv, int& code) {
  if (argc != 3 || std::string_view(argv[1]) != "raw-rank") return false;
  code = 1;
  const int file = open(argv[2], O_RDWR | O_CLOEXEC);
  void* memory = file < 0 ? MAP_FAILED : map(file);
  if (memory == MAP_FAILED) return std::perror("raw rank: page"), true;
  MPI_Init(nullptr, nullptr);
  serve(*static_cast<BlockingGroup::Page*>(memory));
  MPI_Finalize();
  code = 0;
  return true;
}

std::unique_ptr<BlockingGroup> BlockingGroup::start(std::uint32_t ranks, const std::string& program) {
  const int file = memfd_create("raw-group", MFD_CLOEXEC);
  if (ranks > ranks_max || file < 0 || ftruncate(file, sizeof(Page)) != 0) return std::perror("raw group: memfd"), nullptr;
  void* memory = map(file);
  if (memory == MAP_FAILED) return std::perror("raw group: mmap"), nullptr;
  std::unique_ptr<BlockingGroup> group(new BlockingGroup);
  group->page_ = new (memory) Page;
  const std::string path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file);
  const std::string count = std::to_string(ranks);
  group->launcher_ = fork();
  if (group->launcher_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execlp("mpiexec", "mpiexec", "-n", count.c_str(), program.c_str(), "raw-rank", path.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  const bool served = group->launcher_ > 0 && group->request();  // every rank has the page open then
  close(file);
  if (!served) return std::fprintf(stderr, "raw group: the ranks do not answer\n"), nullptr;
  return group;
}

BlockingGroup::~BlockingGroup() {
  publish(page_->asked.word, stop);
  if (launcher_ > 0) waitpid(launcher_, nullptr, 0);
  munmap(page_, sizeof(Page));
}

std::uint64_t BlockingGroup::pid_of(std::uint32_t rank) const { return page_->pid[rank].word.load(); }

bool BlockingGroup::request() {
  publish(page_->asked.word, ++round_);
  return wait_for(page_->answered.word, round_, patience_ns);
}

}  // namespace tenter::bench
