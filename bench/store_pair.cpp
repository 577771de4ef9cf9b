#include "bench/store_pair.hpp"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "bench/process_figures.hpp"
#include "hw/mpi/doorbell.hpp"
#include "hw/mpi/environment.hpp"
#include "hw/part.hpp"
#include "hw/store/store_publisher.hpp"

namespace tenter::bench {

int publish_rows(const std::string& folder, const std::string& provider) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  auto environment = hw::MpiEnvironment::open({1, MPI_THREAD_FUNNELED});
  if (!environment) return store_failed("publisher", environment.error().what), 70;
  auto doorbell = hw::Doorbell::open(*environment);
  if (!doorbell) return store_failed("publisher", doorbell.error().what), 70;
  hw::StorePublisherOptions options;
  options.directory = folder;
  options.provider = provider;
  auto store = hw::StorePublisher::open(options, *environment, *doorbell);
  if (!store) return store_failed("publisher", store.error().what), 70;
  if (!add_store_variables(**store, true)) return 70;
  (*store)->serve([] { return false; });
  return 0;
}

std::unique_ptr<StorePair> StorePair::start(const std::string& provider) {
  std::unique_ptr<StorePair> made(new StorePair);
  made->provider_ = provider;
  std::string pattern = (std::filesystem::temp_directory_path() / "store-bench-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) return store_failed("folder", pattern), nullptr;
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
  if (!reader) return store_failed("reader", reader.error().what);
  reader_ = std::move(*reader);
  for (const char* variable : store_variables)
    if (auto joined = reader_->join(variable, store_patience); !joined) return store_failed("join", joined.error().what);
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
  return gets_.one(work, [&](const std::string& variable, const auto& ranges, MutableBytes into) {
    return reader_->get(variable, ranges, into, store_patience);
  });
}

Elapsed StorePair::slice(const StoreWork& work, Budget budget, std::vector<std::uint32_t>* round_ns) {
  if (!get(work)) return {};  // the publisher is awake now
  return run_rounds(budget, round_ns, [&] { return get(work); });
}

std::int64_t StorePair::publisher_cpu_ns() const { return cpu_ns_of(static_cast<std::uint64_t>(publisher_)); }

}  // namespace tenter::bench
