// `tenter store info` and `tenter store get`.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/npy.hpp"
#include "cli/store_commands.hpp"
#include "core/store/beat.hpp"
#include "core/store/file_name.hpp"
#include "core/store/shard_map.hpp"
#include "hw/store/store_reader.hpp"

namespace tenter::cli {
namespace {

constexpr std::uint64_t chunk_bytes = std::uint64_t{64} << 20;  // of one get

int fail(const std::string& what) {
  fmt::print(stderr, "{}: {}\n", program_name(), shown_text(what));
  return store_exit::failed;
}
Duration duration_of(double seconds) { return Duration{static_cast<std::int64_t>(seconds * 1e9)}; }

std::uint64_t total_rows(const store::Record& record) {
  std::uint64_t rows = 0;
  for (const store::Shard& shard : record.shards) rows += shard.rows;
  return rows;
}
std::string shape_text(const store::Record& record) {
  std::string text = fmt::format("{}", total_rows(record));
  for (const std::uint64_t dimension : record.row_shape) text += fmt::format(" x {}", dimension);
  return text;
}

nlohmann::json json_of(const store::Record& record) {
  nlohmann::json rows = nlohmann::json::array();
  for (const store::Shard& shard : record.shards) rows.push_back(shard.rows);
  return {{"name", record.variable},
          {"dtype", std::string(to_string(record.dtype))},
          {"row_shape", record.row_shape},
          {"rows", total_rows(record)},
          {"rows_by_rank", rows},
          {"provider", record.provider},
          {"job", record.job},
          {"host", record.host},
          {"owner_pid", record.owner.pid},
          {"generation", fmt::format("{:016x}{:016x}", record.generation.high, record.generation.low)}};
}

// FIRST:END within `rows`.
std::optional<store::RowRange> range_of(const std::string& text, std::uint64_t rows) {
  if (text.empty()) return store::RowRange{0, rows};
  std::uint64_t first = 0, end = 0;
  const char* last = text.data() + text.size();
  const auto [colon, bad_first] = std::from_chars(text.data(), last, first);
  if (bad_first != std::errc{} || colon == last || *colon != ':') return std::nullopt;
  const auto [rest, bad_end] = std::from_chars(colon + 1, last, end);
  if (bad_end != std::errc{} || rest != last || end < first || end > rows) return std::nullopt;
  return store::RowRange{first, end - first};
}

Result<void> verify(const StoreGetOptions& options, const store::Record& record, store::RowRange range, Bytes bytes, bool& same) {
  auto header = read_npy_header(options.verify);
  if (!header) return tl::unexpected(header.error());
  if (header->row_bytes() != format_of(record).row_bytes || header->dtype != record.dtype ||
      header->row_shape() != record.row_shape)
    return error(Status::mismatch, options.verify + ": another dtype or row shape than \"" + record.variable + "\" has");
  auto wanted = read_npy_rows(options.verify, *header, range.first, range.rows);
  if (!wanted) return tl::unexpected(wanted.error());
  same = std::equal(bytes.begin(), bytes.end(), wanted->begin(), wanted->end());
  return {};
}

// Pieces of whole rows, so that one get stays of a bounded size.
Result<void> get_all(hw::StoreReader& reader, const StoreGetOptions& options, std::uint64_t row_bytes, store::RowRange range,
                     MutableBytes into) {
  const std::uint64_t piece = std::max<std::uint64_t>(1, chunk_bytes / row_bytes);
  for (std::uint64_t done = 0; done < range.rows;) {
    if (interrupted()) return error(Status::cancelled, "interrupted");
    const std::uint64_t rows = std::min(piece, range.rows - done);
    auto got = reader.get(options.variable, {{range.first + done, rows}}, into.subspan(done * row_bytes, rows * row_bytes),
                          duration_of(options.seconds));
    if (!got) return got;
    done += rows;
  }
  return {};
}

int get_joined(const Context& context, hw::StoreReader& reader, const StoreGetOptions& options, const store::Record& record) {
  const std::uint64_t row_bytes = format_of(record).row_bytes;
  const auto range = range_of(options.rows, total_rows(record));
  if (!range)
    return usage_error(fmt::format("--rows {}: FIRST:END with 0 <= FIRST <= END <= {} rows", options.rows, total_rows(record)));
  std::vector<std::byte> bytes(range->rows * row_bytes);
  if (auto got = get_all(reader, options, row_bytes, *range, bytes); !got) return fail(got.error().what);
  if (!options.out.empty()) {
    std::vector<std::uint64_t> shape{range->rows};
    shape.insert(shape.end(), record.row_shape.begin(), record.row_shape.end());
    if (auto written = write_npy(options.out, record.dtype, shape, bytes); !written) return fail(written.error().what);
  }
  bool same = true;
  if (!options.verify.empty()) {
    if (auto compared = verify(options, record, *range, bytes, same); !compared) return fail(compared.error().what);
  }
  if (!context.common.quiet)
    fmt::print("{}: rows {}:{} of {}, {} bytes{}\n", shown_text(options.variable), range->first, range->first + range->rows,
               total_rows(record), bytes.size(),
               options.verify.empty() ? ""
               : same                 ? ", equal"
                                      : ", DIFFERENT");
  return same ? store_exit::ok : store_exit::differs;
}

}  // namespace

int store_info(const Context& context, const StoreInfoOptions& options) {
  std::error_code failed;
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator it(options.directory, failed), end; !failed && it != end; it.increment(failed))
    if (auto name = store::variable_of_file_name(it->path().filename().string())) names.push_back(*name);
  if (failed) return fail(options.directory + ": " + failed.message());
  std::sort(names.begin(), names.end());
  nlohmann::json all = nlohmann::json::array();
  int code = store_exit::ok;
  for (const std::string& name : names) {
    const auto record = hw::read_store_record(options.directory, name);
    if (!record) {
      code = fail(record.error().what);
      continue;
    }
    all.push_back(json_of(*record));
    if (context.human_output())
      fmt::print("{}  {}  {}  {} ranks  {}  job {} on {}\n", shown_text(name), to_string(record->dtype), shape_text(*record),
                 record->shards.size(), shown_text(record->provider), shown_text(record->job), shown_text(record->host));
  }
  if (context.human_output() && names.empty()) fmt::print("nothing is published in {}\n", shown_text(options.directory));
  if (!context.common.json.empty()) write_result_text(context, nlohmann::json{{"variables", all}}.dump(2) + "\n", "");
  return code;
}

int store_get(const Context& context, const StoreGetOptions& options) {
  watch_interrupt();
  std::string provider = options.provider;
  if (provider.empty()) {
    const auto record = hw::read_store_record(options.directory, options.variable);
    provider = record ? record->provider : "tcp;ofi_rxm";
  }
  auto reader = hw::StoreReader::open({options.directory, provider, options.domain});
  if (!reader) return fail(reader.error().what);
  const auto record = (*reader)->join(options.variable, duration_of(options.seconds), options.cores);
  if (!record) return fail(record.error().what);
  const int code = get_joined(context, **reader, options, *record);
  const auto left = (*reader)->leave(options.variable, seconds(10));
  if (!left) fmt::print(stderr, "{}: {}\n", program_name(), shown_text(left.error().what));
  return code;
}

}  // namespace tenter::cli
