// `tenter store get`: rows of a variable of another job, once.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cli/report/json_writer.hpp"
#include "cli/store_rows.hpp"

namespace tenter::cli {
namespace {

constexpr std::uint64_t chunk_bytes = std::uint64_t{64} << 20;  // of one get

// The next ranges of together at most `limit` rows, at least one; a range that is larger is cut.
std::vector<store::RowRange> take_rows(std::vector<store::RowRange>& left, std::uint64_t limit) {
  std::vector<store::RowRange> taken;
  while (!left.empty() && limit != 0) {
    store::RowRange& next = left.back();
    const std::uint64_t rows = std::min(limit, next.rows);
    taken.push_back({next.first, rows});
    limit -= rows;
    next.first += rows;
    next.rows -= rows;
    if (next.rows == 0) left.pop_back();
  }
  return taken;
}

struct Got {
  std::uint64_t rows = 0, bytes = 0;
  std::optional<std::uint64_t> different;  // the first row that is
};

// In pieces of a bounded size, each written and compared as it comes.
Result<Got> get_rows(JoinedVariable& joined, std::vector<store::RowRange> wanted, NpyWriter* out, const ExpectedRows* expected) {
  Got got;
  const std::uint64_t piece = std::max<std::uint64_t>(1, chunk_bytes / joined.row_bytes);
  std::reverse(wanted.begin(), wanted.end());
  std::vector<std::byte> bytes;
  while (!wanted.empty()) {
    if (interrupted()) return error(Status::cancelled, "interrupted");
    const auto ranges = take_rows(wanted, piece);
    std::uint64_t rows = 0;
    for (const store::RowRange& range : ranges) rows += range.rows;
    bytes.resize(rows * joined.row_bytes);
    if (auto read = joined.reader->get(joined.name, ranges, bytes, joined.patience); !read) return tl::unexpected(read.error());
    if (out != nullptr)
      if (auto written = out->append(bytes); !written) return tl::unexpected(written.error());
    if (expected != nullptr && !got.different) {
      auto difference = expected->first_difference(ranges, bytes);
      if (!difference) return tl::unexpected(difference.error());
      got.different = *difference;
    }
    got.rows += rows;
    got.bytes += bytes.size();
  }
  return got;
}

void print_result(const Context& context, const StoreGetOptions& options, const JoinedVariable& joined, const Got& got,
                  double took) {
  const std::string compared = options.verify.empty() ? std::string()
                               : got.different        ? fmt::format(", DIFFERENT from row {} on", *got.different)
                                                      : ", equal";
  if (!context.common.quiet && context.human_output())
    fmt::print("{}: {} rows of {}, {} bytes in {:.3f} s{}\n", shown_text(joined.name), got.rows, total_rows(joined.record),
               got.bytes, took, compared);
  if (context.common.json.empty()) return;
  std::ostringstream text;
  {
    report::JsonWriter json(text);
    json.begin_object().member("schema", "tenter.store_get/1").member("variable", joined.name);
    json.member("provider", joined.record.provider).member("generation", to_string(joined.record.generation));
    json.member("rows", got.rows).member("bytes", got.bytes).member("wall_s", took);
    json.member("verified", !options.verify.empty()).member("verdict", got.different ? "fail" : "pass");
    if (got.different) json.member("first_different_row", *got.different);
    json.end_object();
  }
  write_result_text(context, text.str() + "\n", "");
}

int get_joined(const Context& context, JoinedVariable& joined, const StoreGetOptions& options) {
  const std::uint64_t rows = total_rows(joined.record);
  std::vector<store::RowRange> wanted;
  if (options.batch.empty()) {
    const auto range = row_range_of(options.rows, rows);
    if (!range) return usage_error(fmt::format("--rows {}: FIRST:END with 0 <= FIRST <= END <= {} rows", options.rows, rows));
    wanted.push_back(*range);
  } else {
    auto batch = read_batch_file(options.batch, rows);
    if (!batch) return usage_error(batch.error().what);
    wanted = std::move(*batch);
  }
  std::erase_if(wanted, [](const store::RowRange& range) { return range.rows == 0; });
  std::optional<ExpectedRows> expected;
  if (!options.verify.empty()) {
    auto opened = ExpectedRows::open(options.verify, joined.record);
    if (!opened && opened.error().status == Status::mismatch) return (void)store_failed(opened.error()), exit_code::violated;
    if (!opened) return usage_error(opened.error().what);
    expected = std::move(*opened);
  }
  std::optional<NpyWriter> out;
  if (!options.out.empty()) {
    std::vector<std::uint64_t> shape{0};
    for (const store::RowRange& range : wanted) shape[0] += range.rows;
    shape.insert(shape.end(), joined.record.row_shape.begin(), joined.record.row_shape.end());
    auto created = NpyWriter::create(options.out, joined.record.dtype, shape);
    if (!created) return store_failed(created.error());
    out.emplace(std::move(*created));
  }
  const Time begin = hw::now();
  const auto got = get_rows(joined, std::move(wanted), out ? &*out : nullptr, expected ? &*expected : nullptr);
  if (!got) return store_failed(got.error());
  if (out)
    if (auto finished = out->finish(); !finished) return store_failed(finished.error());
  print_result(context, options, joined, *got, static_cast<double>(number(hw::now() - begin)) / 1e9);
  return got->different ? exit_code::violated : exit_code::pass;
}

}  // namespace

int store_get(const Context& context, const StoreGetOptions& options) {
  watch_interrupt();
  int code = exit_code::pass;
  auto joined = join_variable(options.target, code);
  if (!joined) return code;
  code = get_joined(context, *joined, options);
  leave_variable(*joined);
  return code;
}

}  // namespace tenter::cli
