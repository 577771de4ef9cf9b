#include "cli/store_rows.hpp"

#include <fmt/format.h>
#include <pwd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>

#include "cli/tell.hpp"
#include "core/store/record.hpp"
#include "hw/store/directory.hpp"

namespace tenter::cli {

int store_exit_of(Status status) {
  switch (status) {
    case Status::ok:
      return exit_code::pass;
    case Status::invalid:
    case Status::not_found:
    case Status::denied:
    case Status::exists:
      return exit_code::usage;
    case Status::cancelled:
      return exit_code::interrupted;
    case Status::no_space:
      return exit_code::internal;
    default:  // timed_out, peer_lost, failed, mismatch (of generations), unavailable: the job does not serve
      return exit_code::liveness;
  }
}

int store_failed(const Error& failure) {
  tell("{}: {}\n", program_name(), shown_text(failure.what));
  return interrupted() ? exit_code::interrupted : store_exit_of(failure.status);
}

Result<std::optional<std::uint32_t>> user_number(const std::string& user) {
  if (user.empty()) return std::nullopt;
  std::uint32_t found = 0;
  const auto [end, bad] = std::from_chars(user.data(), user.data() + user.size(), found);
  if (bad == std::errc{} && end == user.data() + user.size()) return found;
  const passwd* entry = getpwnam(user.c_str());
  if (entry == nullptr) return error(Status::invalid, "--owner " + user + ": there is no such user");
  return entry->pw_uid;
}

std::uint64_t total_rows(const store::Record& record) {
  std::uint64_t rows = 0;
  for (const store::Shard& shard : record.shards) rows += shard.rows;
  return rows;
}

std::optional<JoinedVariable> join_variable(const StoreTarget& target, int& code) {
  const Time deadline = hw::now() + duration_of_seconds(target.seconds);
  const auto owner = user_number(target.owner);
  if (!owner) return code = usage_error(owner.error().what), std::nullopt;
  hw::StoreReaderOptions how{target.directory, target.provider, target.domain, *owner, target.record};
  auto directory = hw::StoreDirectory::open(target.directory, *owner);
  if (!directory) return code = store_failed(directory.error()), std::nullopt;
  if (how.provider.empty()) {
    const auto record = directory->wait_for_record(target.variable, deadline - hw::now(), [] { return interrupted(); });
    if (!record) return code = store_failed(record.error()), std::nullopt;
    how.provider = record->provider;
  }
  auto reader = hw::StoreReader::open(how);
  if (!reader) return code = store_failed(reader.error()), std::nullopt;
  const Duration left = std::max(deadline - hw::now(), milliseconds(1));
  auto record = (*reader)->join(target.variable, left, target.cores);
  if (!record) {
    code = store_failed(record.error());
    if (record.error().status == Status::mismatch) code = exit_code::violated;  // what --cores expects
    (void)(*reader)->finish_recording();
    return std::nullopt;
  }
  const std::uint64_t row_bytes = format_of(*record).row_bytes;
  return JoinedVariable{std::move(*reader), std::move(*record), target.variable, duration_of_seconds(target.seconds), row_bytes};
}

void leave_variable(JoinedVariable& joined) {
  const auto told = [](const Result<void>& done, const char* what) {
    if (!done) tell("{}: {}{}\n", program_name(), what, shown_text(done.error().what));
  };
  told(joined.reader->leave(joined.name, seconds(10)), "");
  told(joined.reader->finish_recording(), "the recording is not complete: ");
}

namespace {

// A whole text that is FIRST:END or one row.
std::optional<store::RowRange> parse_range(std::string_view text, bool single, std::uint64_t rows) {
  std::uint64_t first = 0, end = 0;
  const char* last = text.data() + text.size();
  const auto [colon, bad_first] = std::from_chars(text.data(), last, first);
  if (bad_first != std::errc{}) return std::nullopt;
  if (colon == last) return single && first < rows ? std::optional(store::RowRange{first, 1}) : std::nullopt;
  if (*colon != ':') return std::nullopt;
  const auto [rest, bad_end] = std::from_chars(colon + 1, last, end);
  if (bad_end != std::errc{} || rest != last || end < first || end > rows) return std::nullopt;
  return store::RowRange{first, end - first};
}

Result<std::vector<store::RowRange>> rows_of_array(const std::string& path, std::uint64_t rows) {
  const auto header = read_npy_header(path);
  if (!header) return tl::unexpected(header.error());
  const bool wide = header->dtype == store::DType::int64 || header->dtype == store::DType::uint64;
  const bool is_signed = header->dtype == store::DType::int64 || header->dtype == store::DType::int32;
  const bool narrow = header->dtype == store::DType::int32 || header->dtype == store::DType::uint32;
  if (header->shape.size() != 1 || (!wide && !narrow))
    return error(Status::invalid, path + ": row numbers are one dimension of int32, int64, uint32 or uint64");
  const auto bytes = read_npy_rows(path, *header, 0, header->rows());
  if (!bytes) return tl::unexpected(bytes.error());
  std::vector<store::RowRange> wanted;
  for (std::uint64_t i = 0; i < header->rows(); ++i) {
    std::uint64_t row = 0;
    std::memcpy(&row, bytes->data() + i * (wide ? 8 : 4), wide ? 8 : 4);
    if (is_signed && (row >> (wide ? 63 : 31)) != 0)
      return error(Status::invalid, path + ": index " + std::to_string(i) + " names a negative row");
    if (row >= rows)
      return error(Status::invalid,
                   path + ": index " + std::to_string(i) + " names row " + std::to_string(row) + " of " + std::to_string(rows));
    wanted.push_back({row, 1});
  }
  return wanted;
}

}  // namespace

std::optional<store::RowRange> row_range_of(const std::string& text, std::uint64_t rows) {
  return text.empty() ? std::optional(store::RowRange{0, rows}) : parse_range(text, false, rows);
}

Result<std::vector<store::RowRange>> read_batch_file(const std::string& path, std::uint64_t rows) {
  if (path.ends_with(".npy")) return rows_of_array(path, rows);
  std::ifstream file(path);
  if (!file) return error(Status::not_found, path + ": cannot be opened");
  std::vector<store::RowRange> wanted;
  std::string line;
  for (std::uint64_t number = 1; std::getline(file, line); ++number) {
    line.erase(std::min(line.find('#'), line.size()));
    const auto begin = line.find_first_not_of(" \t\r"), end = line.find_last_not_of(" \t\r");
    if (begin == line.npos) continue;
    const auto range = parse_range(std::string_view(line).substr(begin, end - begin + 1), true, rows);
    if (!range)
      return error(Status::invalid, path + ":" + std::to_string(number) + ": \"" + line + "\" is no row and no FIRST:END of " +
                                        std::to_string(rows) + " rows");
    wanted.push_back(*range);
  }
  if (file.bad() || !file.eof()) return error(Status::invalid, path + ": cannot be read");
  return wanted;
}

Result<ExpectedRows> ExpectedRows::open(const std::string& path, const store::Record& record) {
  auto file = NpyRows::open(path);
  if (!file) return tl::unexpected(file.error());
  const NpyHeader& header = file->header();
  // What NumPy has no name for is stored as what has the same bytes (NpyWriter).
  const bool same_dtype = header.dtype == record.dtype ||
                          (record.dtype == store::DType::raw && header.dtype == store::DType::uint8) ||
                          (record.dtype == store::DType::bfloat16 && header.dtype == store::DType::uint16);
  if (!same_dtype || header.row_shape() != record.row_shape)
    return error(Status::mismatch, path + ": another dtype or row shape than \"" + record.variable + "\" has");
  if (header.rows() != total_rows(record))
    return error(Status::mismatch, path + ": " + std::to_string(header.rows()) + " rows, \"" + record.variable + "\" has " +
                                       std::to_string(total_rows(record)));
  return ExpectedRows(std::move(*file));
}

Result<std::optional<std::uint64_t>> ExpectedRows::first_difference(const std::vector<store::RowRange>& ranges,
                                                                    Bytes bytes) const {
  const std::uint64_t row_bytes = file_.header().row_bytes();
  std::vector<std::byte> wanted;
  for (const store::RowRange& range : ranges) {
    wanted.resize(range.rows * row_bytes);
    if (auto read = file_.read(range.first, range.rows, wanted); !read) return tl::unexpected(read.error());
    const Bytes here = bytes.first(wanted.size());
    bytes = bytes.subspan(wanted.size());
    const auto differs = std::mismatch(wanted.begin(), wanted.end(), here.begin()).first;
    if (differs != wanted.end())
      return std::optional(range.first + static_cast<std::uint64_t>(differs - wanted.begin()) / row_bytes);
  }
  return std::optional<std::uint64_t>();
}

}  // namespace tenter::cli
