#include "bench/store_pair.hpp"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "bench/process_figures.hpp"
#include "hw/mpi/doorbell.hpp"
#include "hw/mpi/environment.hpp"
#include "hw/part.hpp"
#include "hw/store/store_publisher.hpp"

namespace tenter::bench {
namespace {

constexpr std::array<const char*, 4> variables = {"rows-64", "rows-4096", "rows-1048576", "rows-16777216"};
constexpr std::uint64_t variable_bytes = std::uint64_t{16} << 20;
constexpr Duration patience = seconds(20);

std::byte byte_of(std::uint64_t row) { return static_cast<std::byte>(row * 7 + 1); }

bool failed(const char* what, const std::string& why) {
  std::fprintf(stderr, "store: %s: %s\n", what, why.c_str());
  return false;
}

}  // namespace

std::uint64_t row_bytes_of(const std::string& variable) { return std::stoull(variable.substr(variable.find('-') + 1)); }
std::uint64_t row_count_of(const std::string& variable) { return variable_bytes / row_bytes_of(variable); }

int publish_rows(const std::string& folder, const std::string& provider) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  auto environment = hw::MpiEnvironment::open({1, MPI_THREAD_FUNNELED});
  if (!environment) return failed("publisher", environment.error().what), 70;
  auto doorbell = hw::Doorbell::open(*environment);
  if (!doorbell) return failed("publisher", doorbell.error().what), 70;
  hw::StorePublisherOptions options;
  options.directory = folder;
  options.provider = provider;
  auto store = hw::StorePublisher::open(options, *environment, *doorbell);
  if (!store) return failed("publisher", store.error().what), 70;
  for (const char* variable : variables) {
    const std::uint64_t row_bytes = row_bytes_of(variable), rows = row_count_of(variable);
    std::vector<std::byte> bytes(rows * row_bytes);
    for (std::uint64_t at = 0; at < bytes.size(); ++at) bytes[at] = byte_of(at / row_bytes);
    if (auto added = (*store)->add({variable, store::DType::uint8, {row_bytes}, rows, bytes}); !added)
      return failed("publisher", added.error().what), 70;
  }
  (*store)->serve([] { return false; });
  return 0;
}

std::unique_ptr<StorePair> StorePair::start(const std::string& provider) {
  std::unique_ptr<StorePair> made(new StorePair);
  made->provider_ = provider;
  std::string pattern = (std::filesystem::temp_directory_path() / "store-bench-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) return failed("folder", pattern), nullptr;
  made->folder_ = pattern;
  made->publisher_ = fork();
  if (made->publisher_ == 0) {
    execl("/proc/self/exe", "store_bench", "publish", pattern.c_str(), provider.c_str(), nullptr);
    _exit(70);
  }
  return made->publisher_ > 0 && made->join() ? std::move(made) : nullptr;
}

bool StorePair::join() {
  hw::StoreReaderOptions options;
  options.directory = folder_;
  options.provider = provider_;
  auto reader = hw::StoreReader::open(options);
  if (!reader) return failed("reader", reader.error().what);
  reader_ = std::move(*reader);
  for (const char* variable : variables)
    if (auto joined = reader_->join(variable, patience); !joined) return failed("join", joined.error().what);
  return true;
}

StorePair::~StorePair() {
  reader_.reset();
  if (publisher_ > 0) {
    ::kill(publisher_, SIGKILL);
    waitpid(publisher_, nullptr, 0);
  }
  std::error_code left;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, left);
}

bool StorePair::get(const StoreWork& work) {
  const std::uint64_t row_bytes = row_bytes_of(work.variable), count = row_count_of(work.variable);
  bytes_.resize(work.rows * row_bytes);
  ranges_.clear();
  if (!work.scattered && !work.one_by_one) {
    if (next_ + work.rows > count) next_ = 0;
    ranges_.push_back({next_, work.rows});
    next_ += work.rows;
  } else {
    if (next_ + work.rows > count) next_ = 0;
    for (std::uint64_t i = 0; i < work.rows; ++i) {
      const std::uint64_t row = next_++;
      ranges_.push_back({work.scattered ? row * 1'009 % count : row, 1});  // 1009 is prime: every row once
    }
  }
  if (auto got = reader_->get(work.variable, ranges_, bytes_, patience); !got) return failed("get", got.error().what);
  const std::uint64_t last = ranges_.back().first + ranges_.back().rows - 1;
  if (bytes_.front() != byte_of(ranges_.front().first) || bytes_.back() != byte_of(last)) return failed("get", "a wrong byte");
  return true;
}

Elapsed StorePair::slice(const StoreWork& work, Budget budget) {
  if (!get(work)) return {};  // the publisher is awake now
  return run_rounds(budget, work.round_ns, [&] { return get(work); });
}

std::int64_t StorePair::publisher_cpu_ns() const { return cpu_ns_of(static_cast<std::uint64_t>(publisher_)); }

}  // namespace tenter::bench
