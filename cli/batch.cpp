#include "cli/batch.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>

#include "cli/worker_process.hpp"

namespace tenter::cli {
namespace {

// What a worker sends for one seed; the pipe stays on this machine and between the same binary.
struct Record {
  std::uint64_t offset = 0, digest = 0, steps = 0, file_operations = 0;
  std::uint8_t verdict = 0;
  bool doubled = false;
  std::uint8_t unused[6]{};
  std::uint64_t seen[4]{};  // by property, bit by bit
};
constexpr std::size_t properties_max = 256;

struct Worker {
  WorkerProcess process;
  std::uint64_t next = 0;  // offset of the next result it will send
  bool open = true;        // there may be more results
  std::vector<std::byte> partial;
};

void write_all(int to, const std::byte* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(to, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);  // the parent is gone
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

Record record_of(std::uint64_t offset, const sim::SeedResult& result) {
  Record record;
  record.offset = offset;
  record.digest = result.digest;
  record.steps = result.steps;
  record.file_operations = result.file_operations;
  record.verdict = result.verdict;
  record.doubled = result.doubled;
  for (std::size_t i = 0; i < result.seen.size() && i < properties_max; ++i)
    if (result.seen[i]) record.seen[i / 64] |= std::uint64_t{1} << (i % 64);
  return record;
}

void work(const sim::Subject& subject, const BatchOptions& options, unsigned index, WorkerProcess::Task& task, int to) {
  std::vector<Record> buffer;
  const auto send = [&] {
    write_all(to, reinterpret_cast<const std::byte*>(buffer.data()), buffer.size() * sizeof(Record));
    buffer.clear();
  };
  auto last = std::chrono::steady_clock::now();
  for (std::uint64_t offset = index; offset < options.count; offset += options.workers) {
    task = offset;
    const sim::SeedResult result = sim::run_batch_seed(subject, options.first_seed + offset);
    buffer.push_back(record_of(offset, result));
    const auto now = std::chrono::steady_clock::now();
    if (buffer.size() < 256 && result.verdict == 0 && now - last < std::chrono::milliseconds(50)) continue;
    last = now;
    send();
  }
  send();
}

class Batch {
 public:
  Batch(const sim::Subject& subject, const BatchOptions& options)
      : subject_(subject), options_(options), results_(options.count) {}

  BatchResult run(const std::function<bool(const BatchProgress&)>& progress) {
    const auto start = std::chrono::steady_clock::now();
    auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
    for (unsigned i = 0; i < options_.workers; ++i) spawn(i);
    bool going = true;
    while (going && open_workers() > 0 && !decided()) {
      receive();
      going = progress(progress_) && (options_.seconds_max <= 0 || elapsed() < options_.seconds_max);
    }
    if (lost_ && (options_.keep_going || first_failed_ > lost_->from)) throw std::runtime_error(lost_->why);
    BatchResult result = summary();
    result.interrupted = !going && open_workers() > 0;
    result.wall_seconds = elapsed();
    return result;
  }

 private:
  void spawn(unsigned index) {
    workers_.push_back(
        {WorkerProcess([this, index](WorkerProcess::Task& task, int to) { work(subject_, options_, index, task, to); }),
         index,
         true,
         {}});
  }

  std::size_t open_workers() const {
    return static_cast<std::size_t>(std::count_if(workers_.begin(), workers_.end(), [](const Worker& w) { return w.open; }));
  }

  // Stop at the first failure only when every seed before it has been run: the answer does not depend on the workers' pace.
  bool decided() const {
    if (options_.keep_going) return lost_.has_value();
    const std::uint64_t last = lost_ ? std::min(first_failed_, lost_->from) : first_failed_;
    if (last == ~std::uint64_t{0}) return false;
    return std::all_of(workers_.begin(), workers_.end(), [&](const Worker& w) { return !w.open || w.next > last; });
  }

  void receive() {
    std::vector<pollfd> waits;
    for (const Worker& worker : workers_) waits.push_back({worker.open ? worker.process.results() : -1, POLLIN, 0});
    if (::poll(waits.data(), waits.size(), 100) <= 0) return;
    for (std::size_t i = 0; i < workers_.size(); ++i)
      if (waits[i].revents != 0) read_from(workers_[i]);
  }

  void read_from(Worker& worker) {
    std::byte chunk[sizeof(Record) * 128];
    const ssize_t got = ::read(worker.process.results(), chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) return close(worker);
    worker.partial.insert(worker.partial.end(), chunk, chunk + got);
    std::size_t at = 0;
    for (; worker.partial.size() - at >= sizeof(Record); at += sizeof(Record)) {
      Record record;
      std::memcpy(&record, worker.partial.data() + at, sizeof record);
      accept(record);
      worker.next = record.offset + options_.workers;
    }
    worker.partial.erase(worker.partial.begin(), worker.partial.begin() + static_cast<std::ptrdiff_t>(at));
  }

  void close(Worker& worker) {
    worker.open = false;
    const auto bad = worker.process.end();
    if (!bad || (lost_ && lost_->from < worker.next)) return;
    lost_ = Lost{worker.next, fmt::format("seed {:#x}: {}", options_.first_seed + bad->task, bad->cause)};
  }

  void accept(const Record& record) {
    results_[record.offset] = record;
    done_.resize(options_.count);
    done_[record.offset] = true;
    ++progress_.done;
    progress_.events += record.steps;
    if (record.verdict == 2) ++progress_.unknown;
    if (record.verdict != 1 && record.verdict != 3) return;
    ++progress_.failed;
    first_failed_ = std::min(first_failed_, record.offset);
  }

  BatchResult summary() const {
    BatchResult result;
    Digest digest;
    result.seen.resize(subject_.protocol->properties().size());
    for (std::uint64_t offset = 0; offset < done_.size(); ++offset) {
      if (!done_[offset]) continue;
      if (!options_.keep_going && offset > first_failed_) break;
      const Record& record = results_[offset];
      const std::uint64_t seed = options_.first_seed + offset;
      ++result.seeds;
      result.events += record.steps;
      result.file_operations += record.file_operations;
      result.file_operations_most = std::max(result.file_operations_most, record.file_operations);
      digest.add(record.digest);
      if (record.doubled) ++result.doubled;
      if (record.verdict == 1) result.failed.push_back(seed);
      if (record.verdict == 2) result.unknown_seeds.push_back(seed);
      if (record.verdict == 3) result.mismatched.push_back(seed);
      for (std::size_t i = 0; i < result.seen.size() && i < properties_max; ++i)
        if (record.seen[i / 64] >> (i % 64) & 1) ++result.seen[i];
    }
    result.unknown = result.unknown_seeds.size();
    result.digest = digest.value();
    return result;
  }

  const sim::Subject& subject_;
  const BatchOptions& options_;
  std::vector<Record> results_;
  std::vector<bool> done_;
  std::vector<Worker> workers_;
  BatchProgress progress_;
  std::uint64_t first_failed_ = ~std::uint64_t{0};
  // Of a worker that ended badly: from this offset on its results are missing. A failure before it is still the answer.
  struct Lost {
    std::uint64_t from = 0;
    std::string why;
  };
  std::optional<Lost> lost_;
};

}  // namespace

BatchResult run_batch(const sim::Subject& subject, const BatchOptions& options,
                      const std::function<bool(const BatchProgress&)>& progress) {
  return Batch(subject, options).run(progress);
}

}  // namespace tenter::cli
