#include "hw/mpi/doorbell.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>
#include <vector>

#include "hw/os/file.hpp"
#include "hw/posix/descriptor.hpp"

namespace tenter::hw {
namespace {

constexpr std::size_t name_bytes = 64;
constexpr std::size_t text_bytes = 256;

std::string system_text(const std::string& what) { return what + ": " + std::strerror(errno); }

// 128 random bits, so that a page of this name is this page, whatever its pid and descriptor name on another host.
std::string unguessable_name() {
  std::array<unsigned char, 16> random{};
  if (getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) return {};
  std::string name = "tenter-doorbell-";
  for (const unsigned char byte : random) {
    name += "0123456789abcdef"[byte >> 4];
    name += "0123456789abcdef"[byte & 15];
  }
  return name;
}

// "" or the reason of the first rank that has one; every rank gets the same answer. Blocking, collective.
std::string first_reason(const std::string& own, int size) {
  std::array<char, text_bytes> mine{};
  own.copy(mine.data(), text_bytes - 1);
  std::vector<char> all(text_bytes * static_cast<std::size_t>(size));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(mine.data(), text_bytes, MPI_CHAR, all.data(), text_bytes, MPI_CHAR, MPI_COMM_WORLD, &request);
  mpi_wait_yielding(request);
  for (int r = 0; r < size; ++r) {
    const char* text = all.data() + static_cast<std::size_t>(r) * text_bytes;
    if (*text != '\0') return "doorbell, rank " + std::to_string(r) + ": " + text;
  }
  return {};
}

}  // namespace

// The page has no name in any folder, so no death leaves it behind: the ranks open it as rank 0's descriptor (proc(5),
// memfd_create(2)).
struct Doorbell::Place {
  std::array<char, name_bytes> name{};  // empty: rank 0 has none
  std::uint64_t pid = 0;
  int descriptor = -1;
};

std::string Doorbell::map_page(int file, std::uint32_t size, void** page) {
  const std::size_t bytes = sizeof(Line) * size;
  struct stat found {};
  if (fstat(file, &found) != 0) return system_text("looking at the page");
  if (found.st_uid != geteuid())
    return "the page belongs to user " + std::to_string(found.st_uid) + ", not to " + std::to_string(geteuid());
  if ((found.st_mode & 0777) != 0600) return "the page's mode is not 0600";
  if (static_cast<std::size_t>(found.st_size) != bytes)
    return "the page has " + std::to_string(found.st_size) + " bytes, not " + std::to_string(bytes);
  *page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return *page == MAP_FAILED ? system_text("mapping the page") : std::string();
}

// "" or why not. Backed whole, so that a lack of memory is an error here and not a bus error later.
std::string Doorbell::create_page(const std::string& name, std::uint32_t size, int* file, void** page) {
  if (name.empty()) return system_text("drawing a name");
  *file = memfd_create(name.c_str(), MFD_CLOEXEC);
  if (*file < 0) return system_text("creating the page");
  const std::size_t bytes = sizeof(Line) * size;
  if (fchmod(*file, 0600) != 0) return system_text("making the page private");
  if (const int failure = os::reserve(*file, bytes); failure != 0) {
    errno = failure;
    return system_text("backing the page with " + std::to_string(bytes) + " bytes");
  }
  return map_page(*file, size, page);
}

std::string Doorbell::open_page(const Place& place, std::uint32_t size, void** page) {
  const std::string path = "/proc/" + std::to_string(place.pid) + "/fd/" + std::to_string(place.descriptor);
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (file.get() < 0) return system_text("opening rank 0's page (ranks on another host are not served)");
  std::array<char, 256> target{};
  const std::string link = "/proc/self/fd/" + std::to_string(file.get());
  const ssize_t length = readlink(link.c_str(), target.data(), target.size() - 1);
  if (length < 0 || std::string(target.data()).find(std::string("memfd:") + place.name.data()) == std::string::npos)
    return "what " + path + " names is not rank 0's page (ranks on another host are not served)";
  return map_page(file.get(), size, page);
}

Result<Doorbell> Doorbell::open(const MpiEnvironment& environment) {
  const int size = static_cast<int>(environment.size());
  const int rank = static_cast<int>(number(environment.rank()));
  Place place;
  void* page = MAP_FAILED;
  std::string reason;
  int created = -1;
  if (rank == 0) {
    const std::string name = unguessable_name();
    reason = create_page(name, environment.size(), &created, &page);
    name.copy(place.name.data(), name_bytes - 1);
    place.pid = static_cast<std::uint64_t>(getpid());
    place.descriptor = created;
  }
  const Descriptor held(created);  // until every rank has opened it
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&place, sizeof place, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
  mpi_wait_yielding(request);
  std::string outcome = first_reason(reason, size);
  if (outcome.empty()) {
    if (rank != 0) reason = open_page(place, environment.size(), &page);
    outcome = first_reason(reason, size);
  }
  if (!outcome.empty()) {
    if (page != MAP_FAILED) munmap(page, sizeof(Line) * environment.size());
    return error(Status::failed, outcome);
  }
  return Doorbell(static_cast<Line*>(page), environment.size(), environment.rank());
}

Doorbell::Doorbell(Doorbell&& other) noexcept
    : lines_(std::exchange(other.lines_, nullptr)),
      size_(other.size_),
      self_(other.self_),
      wakes_(other.wakes_),
      mapping_(std::move(other.mapping_)) {}

Doorbell::~Doorbell() {
  if (lines_ != nullptr) munmap(static_cast<void*>(lines_), sizeof(Line) * size_);
}

void Doorbell::ring(Rank rank, Awaited on_behalf_of) {
  Line& line = lines_[number(rank)];
  // Raised before `awaited` is read, both sequentially consistent: either we see the sleeper, or it sees the new value and
  // the kernel refuses its sleep.
  line.word.fetch_add(1, std::memory_order_seq_cst);
  const std::uint64_t awaited = line.awaited.load(std::memory_order_seq_cst);
  if (awaited == 0 || (awaited == Awaited::nothing().bits && on_behalf_of.bits != Awaited::any().bits)) return;
  const bool both_named = awaited != Awaited::any().bits && on_behalf_of.bits != Awaited::any().bits;
  if (both_named && (awaited >> 48) == (on_behalf_of.bits >> 48) && awaited > on_behalf_of.bits) return;
  ++wakes_;
  syscall(SYS_futex, &line.word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void Doorbell::ring_others(Awaited on_behalf_of) {
  for (std::uint32_t r = 0; r < size_; ++r)
    if (r != number(self_)) ring(Rank{r}, on_behalf_of);
}

}  // namespace tenter::hw
