// `tenter store read`: reads a variable as a training's loader does: epochs of batches, shuffled, some batches ahead.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <sstream>

#include "cli/report/json_writer.hpp"
#include "cli/store_rows.hpp"
#include "cli/tell.hpp"

namespace tenter::cli {
namespace {

constexpr Duration between_lines = seconds(1);

// One order of the rows a seed and epoch, the same on every machine (Fisher and Yates, numbers by splitmix64).
class RowOrder {
 public:
  RowOrder(std::uint64_t rows, bool shuffles, std::uint64_t seed) : shuffles_(shuffles), seed_(seed), rows_(rows) {}
  std::uint64_t rows() const { return rows_; }
  void begin(std::uint64_t epoch) {
    if (!shuffles_) return;
    order_.resize(rows_);
    std::iota(order_.begin(), order_.end(), std::uint64_t{0});
    state_ = seed_ ^ (epoch * 0x9E37'79B9'7F4A'7C15u);
    for (std::uint64_t left = rows_; left > 1; --left) std::swap(order_[left - 1], order_[below(left)]);
  }
  // Rows [at, + count) of the epoch.
  std::vector<store::RowRange> batch(std::uint64_t at, std::uint64_t count) const {
    if (!shuffles_) return {{at, count}};
    std::vector<store::RowRange> ranges;
    for (std::uint64_t i = 0; i < count; ++i) ranges.push_back({order_[at + i], 1});
    return ranges;
  }

 private:
  // Even to within rows / 2^64.
  std::uint64_t below(std::uint64_t limit) {
    std::uint64_t z = (state_ += 0x9E37'79B9'7F4A'7C15u);
    z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9u;
    z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EBu;
    return (z ^ (z >> 31)) % limit;
  }
  bool shuffles_;
  std::uint64_t seed_, rows_, state_ = 0;
  std::vector<std::uint64_t> order_;
};

struct Batch {
  std::vector<store::RowRange> ranges;
  std::vector<std::byte> bytes;
  hw::PendingGet get;
  Time begun{};
};

struct Figures {
  std::uint64_t epochs = 0, batches = 0, rows = 0, bytes = 0;
  std::vector<double> latencies_us;  // from the call to its answer, with the batches ahead of it
  std::optional<std::uint64_t> different;
  double seconds = 0;
};

class Loader {
 public:
  Loader(const Context& context, const StoreReadOptions& options, JoinedVariable& joined, std::uint64_t seed,
         const ExpectedRows* expected)
      : context_(context),
        options_(options),
        joined_(joined),
        expected_(expected),
        order_(total_rows(joined.record), options.shuffle, seed) {}

  // Stops at the first error or different row. Whatever happens, no get is under way afterwards.
  Result<void> run() {
    const Time begin = line_ = hw::now();
    auto done = epochs();
    while (!ahead_.empty()) {  // the memory is the store's until its get has ended
      (void)joined_.reader->end_get(ahead_.front().get);
      ahead_.pop_front();
    }
    figures.seconds = static_cast<double>(number(hw::now() - begin)) / 1e9;
    return done;
  }
  Figures figures;

 private:
  Result<void> epochs() {
    for (; figures.epochs < options_.epochs; ++figures.epochs) {
      order_.begin(figures.epochs);
      std::uint64_t next = 0;
      while (next < order_.rows() || !ahead_.empty()) {
        if (interrupted()) return error(Status::cancelled, "interrupted");
        while (next < order_.rows() && ahead_.size() < options_.prefetch) {
          const std::uint64_t count = std::min(options_.batch_size, order_.rows() - next);
          if (auto begun = begin_batch(next, count); !begun) return begun;
          next += count;
        }
        if (auto ended = end_batch(); !ended) return ended;
        if (figures.different) return {};
        tell_progress();
      }
    }
    return {};
  }

  Result<void> begin_batch(std::uint64_t at, std::uint64_t count) {
    Batch batch;
    if (!spare_.empty()) {
      batch = std::move(spare_.back());
      spare_.pop_back();
    }
    batch.ranges = order_.batch(at, count);
    batch.bytes.resize(count * joined_.row_bytes);
    batch.begun = hw::now();
    const auto get = joined_.reader->begin_get(joined_.name, batch.ranges, batch.bytes, joined_.patience);
    if (!get) return tl::unexpected(get.error());
    batch.get = *get;
    ahead_.push_back(std::move(batch));
    return {};
  }

  Result<void> end_batch() {
    Batch batch = std::move(ahead_.front());
    ahead_.pop_front();
    if (auto got = joined_.reader->end_get(batch.get); !got) return got;
    figures.latencies_us.push_back(static_cast<double>(number(hw::now() - batch.begun)) / 1e3);
    ++figures.batches;
    figures.rows += batch.bytes.size() / joined_.row_bytes;
    figures.bytes += batch.bytes.size();
    if (expected_ != nullptr) {
      auto difference = expected_->first_difference(batch.ranges, batch.bytes);
      if (!difference) return tl::unexpected(difference.error());
      figures.different = *difference;
    }
    spare_.push_back(std::move(batch));
    return {};
  }

  void tell_progress() {
    const Time at = hw::now();
    if (context_.common.quiet || at - line_ < between_lines) return;
    const double took = static_cast<double>(number(at - line_)) / 1e9;
    tell("epoch {} of {}: {} rows, {:.0f} rows/s, {:.1f} MB/s\n", figures.epochs + 1, options_.epochs, figures.rows,
         static_cast<double>(figures.rows - line_rows_) / took,
         static_cast<double>((figures.rows - line_rows_) * joined_.row_bytes) / took / 1e6);
    line_ = at;
    line_rows_ = figures.rows;
  }

  const Context& context_;
  const StoreReadOptions& options_;
  JoinedVariable& joined_;
  const ExpectedRows* expected_;
  RowOrder order_;
  std::deque<Batch> ahead_;
  std::vector<Batch> spare_;  // their memory is used again
  Time line_{};
  std::uint64_t line_rows_ = 0;
};

double quantile(std::vector<double>& values, double which) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(which * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

void print_result(const Context& context, const StoreReadOptions& options, const JoinedVariable& joined, Figures& figures,
                  const std::string& trouble) {
  const double took = std::max(figures.seconds, 1e-9), half = quantile(figures.latencies_us, 0.5),
               late = quantile(figures.latencies_us, 0.99);
  const auto rate = [&](std::uint64_t count) { return static_cast<double>(count) / took; };
  const std::string compared = options.verify.empty() ? std::string()
                               : figures.different    ? fmt::format(", DIFFERENT from row {} on", *figures.different)
                               : trouble.empty()      ? ", every byte equal"
                                                      : ", equal so far";
  if (!context.common.quiet && context.human_output())
    fmt::print(
        "{}: {} epochs, {} batches, {} rows, {} bytes in {:.3f} s: {:.0f} rows/s, {:.1f} MB/s; a batch {:.0f} us, p99 {:.0f} "
        "us{}\n",
        shown_text(joined.name), figures.epochs, figures.batches, figures.rows, figures.bytes, figures.seconds,
        rate(figures.rows), rate(figures.bytes) / 1e6, half, late, compared);
  if (context.common.json.empty()) return;
  std::ostringstream text;
  {
    report::JsonWriter json(text);
    json.begin_object().member("schema", "tenter.store_read/1").member("variable", joined.name);
    json.member("verdict", figures.different ? "fail" : interrupted() ? "unknown" : trouble.empty() ? "pass" : "fail");
    json.member("provider", joined.record.provider).member("generation", to_string(joined.record.generation));
    json.member("epochs", figures.epochs).member("batches", figures.batches).member("rows", figures.rows);
    json.member("bytes", figures.bytes).member("wall_s", figures.seconds).member("rows_per_s", rate(figures.rows));
    json.member("bytes_per_s", rate(figures.bytes)).member("batch_us_p50", half).member("batch_us_p99", late);
    json.member("verified", !options.verify.empty()).member("error", trouble);
    if (figures.different) json.member("first_different_row", *figures.different);
    json.end_object();
  }
  write_result_text(context, text.str() + "\n", "");
}

int read_joined(const Context& context, JoinedVariable& joined, const StoreReadOptions& options, std::uint64_t seed) {
  std::optional<ExpectedRows> expected;
  if (!options.verify.empty()) {
    auto opened = ExpectedRows::open(options.verify, joined.record);
    if (!opened && opened.error().status == Status::mismatch) return (void)store_failed(opened.error()), exit_code::violated;
    if (!opened) return usage_error(opened.error().what);
    expected = std::move(*opened);
  }
  Loader loader(context, options, joined, seed, expected ? &*expected : nullptr);
  const auto done = loader.run();
  print_result(context, options, joined, loader.figures, done ? std::string() : done.error().what);
  if (!done) return store_failed(done.error());
  return loader.figures.different ? exit_code::violated : exit_code::pass;
}

}  // namespace

int store_read(const Context& context, const StoreReadOptions& options) {
  std::uint64_t seed = 0;
  if (!parse_seed(options.seed, seed)) return usage_error(fmt::format("--seed {}: no number, decimal or 0x…", options.seed));
  watch_interrupt();
  int code = exit_code::pass;
  auto joined = join_variable(options.target, code);
  if (!joined) return code;
  code = read_joined(context, *joined, options, seed);
  leave_variable(*joined);
  return code;
}

}  // namespace tenter::cli
