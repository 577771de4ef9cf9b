#include "core/mailbox/manifest.hpp"

#include <charconv>
#include <limits>
#include <vector>

#include "core/text.hpp"

namespace tenter::mailbox {
namespace {

// Reads `schema S`, then each of `keys` once, in any order, into `values`.
Result<std::vector<std::string>> read_lines(std::string_view what, std::string_view text, std::string_view schema,
                                            const std::vector<std::string_view>& keys) {
  const std::string name(what);
  std::vector<std::string> values(keys.size());
  std::vector<bool> seen(keys.size());
  bool first = true;
  for (std::uint64_t line_number = 1; !text.empty(); ++line_number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return error(Status::invalid, name + ": line " + text_of(line_number) + " has no end");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || space == 0 || space + 1 == line.size())
      return error(Status::invalid, name + ": line " + text_of(line_number) + " is not 'key value'");
    const std::string_view key = line.substr(0, space), value = line.substr(space + 1);
    if (first) {
      if (key != "schema") return error(Status::invalid, name + ": its first line is not the schema");
      if (value != schema)
        return error(Status::mismatch, name + ": schema is '" + std::string(value) + "', expected " + std::string(schema));
      first = false;
      continue;
    }
    std::size_t i = 0;
    while (i < keys.size() && keys[i] != key) ++i;
    if (i == keys.size() || seen[i])
      return error(Status::invalid, name + ": key '" + std::string(key) + "' in line " + text_of(line_number) +
                                        (i == keys.size() ? " is not known" : " comes twice"));
    seen[i] = true;
    values[i] = std::string(value);
  }
  if (first) return error(Status::invalid, name + ": it is empty");
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (!seen[i]) return error(Status::invalid, name + ": key '" + std::string(keys[i]) + "' is missing");
  return values;
}

// The decimal number of field `key`, at most `limit`.
Result<std::uint64_t> parse(std::string_view what, std::string_view key, const std::string& text, std::uint64_t limit) {
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || value > limit)
    return error(Status::invalid, std::string(what) + ": " + std::string(key) + " is '" + text +
                                      "', wanted a number of at most " + text_of(limit));
  return value;
}

constexpr std::uint64_t u32_max = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t u64_max = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t i64_max = std::numeric_limits<std::int64_t>::max();
// A pid of 0 or with its sign bit set names a process group to kill(2), never one process.
constexpr std::uint64_t pid_max = std::numeric_limits<std::int32_t>::max();

}  // namespace

std::string report_name(std::uint32_t rank) { return "rank-" + text_of(rank); }

Blob write_manifest(const Manifest& manifest) {
  return Blob("schema " + std::string(manifest_schema) + "\npage " + manifest.page + "\npage_version " +
              text_of(manifest.page_version) + "\npage_bytes " + text_of(manifest.page_bytes) + "\nworld " +
              text_of(manifest.world) + "\nowner_pid " + text_of(manifest.owner.pid) + "\nowner_start_time " +
              text_of(manifest.owner.start_time) + "\nhost " + (manifest.host.empty() ? "-" : manifest.host) +
              "\nstart_patience_ns " + text_of(std::uint64_t(number(manifest.start_patience))) + "\nstop_patience_ns " +
              text_of(std::uint64_t(number(manifest.stop_patience))) + "\n");
}

Result<Manifest> read_manifest(std::string_view text) {
  auto values = read_lines("manifest", text, manifest_schema,
                           {"page", "page_version", "page_bytes", "world", "owner_pid", "owner_start_time", "host",
                            "start_patience_ns", "stop_patience_ns"});
  if (!values) return tl::unexpected(values.error());
  const auto version = parse("manifest", "page_version", (*values)[1], u32_max);
  const auto bytes = parse("manifest", "page_bytes", (*values)[2], u64_max);
  const auto world = parse("manifest", "world", (*values)[3], u32_max);
  const auto pid = parse("manifest", "owner_pid", (*values)[4], pid_max);
  const auto start_time = parse("manifest", "owner_start_time", (*values)[5], u64_max);
  const auto start = parse("manifest", "start_patience_ns", (*values)[7], i64_max);
  const auto stop = parse("manifest", "stop_patience_ns", (*values)[8], i64_max);
  for (const auto* number : {&version, &bytes, &world, &pid, &start_time, &start, &stop})
    if (!*number) return tl::unexpected(number->error());
  Manifest manifest{(*values)[0], static_cast<std::uint32_t>(*version), *bytes, static_cast<std::uint32_t>(*world)};
  manifest.owner = {*pid, *start_time};
  if ((*values)[6] != "-") manifest.host = (*values)[6];
  manifest.start_patience = Duration{static_cast<std::int64_t>(*start)};
  manifest.stop_patience = Duration{static_cast<std::int64_t>(*stop)};
  return manifest;
}

Blob write_report(const RankReport& report) {
  return Blob("schema " + std::string(report_schema) + "\nrank " + text_of(report.rank) + "\npid " + text_of(report.process.pid) +
              "\nstart_time " + text_of(report.process.start_time) + "\n");
}

Result<RankReport> read_report(std::string_view text) {
  auto values = read_lines("rank report", text, report_schema, {"rank", "pid", "start_time"});
  if (!values) return tl::unexpected(values.error());
  const auto rank = parse("rank report", "rank", (*values)[0], u32_max);
  const auto pid = parse("rank report", "pid", (*values)[1], pid_max);
  const auto start_time = parse("rank report", "start_time", (*values)[2], u64_max);
  for (const auto* number : {&rank, &pid, &start_time})
    if (!*number) return tl::unexpected(number->error());
  if (*pid == 0) return error(Status::invalid, "rank report: pid is 0, which names no process");
  return RankReport{static_cast<std::uint32_t>(*rank), {*pid, *start_time}};
}

}  // namespace tenter::mailbox
