#include "core/mailbox/manifest.hpp"

#include <charconv>
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

template <class T>
bool parse(const std::string& text, T& value) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size();
}

}  // namespace

std::string report_name(std::uint32_t rank) { return "rank-" + text_of(rank); }

Blob write_manifest(const Manifest& manifest) {
  return Blob("schema " + std::string(manifest_schema) + "\npage " + manifest.page + "\npage_version " +
              text_of(manifest.page_version) + "\npage_bytes " + text_of(manifest.page_bytes) + "\nworld " +
              text_of(manifest.world) + "\n");
}

Result<Manifest> read_manifest(std::string_view text) {
  auto values = read_lines("manifest", text, manifest_schema, {"page", "page_version", "page_bytes", "world"});
  if (!values) return tl::unexpected(values.error());
  Manifest manifest;
  manifest.page = (*values)[0];
  if (!parse((*values)[1], manifest.page_version) || !parse((*values)[2], manifest.page_bytes) ||
      !parse((*values)[3], manifest.world))
    return error(Status::invalid, "manifest: page_version, page_bytes or world is not a number");
  return manifest;
}

Blob write_report(const RankReport& report) {
  return Blob("schema " + std::string(report_schema) + "\nrank " + text_of(report.rank) + "\npid " + text_of(report.process.pid) +
              "\nstart_time " + text_of(report.process.start_time) + "\n");
}

Result<RankReport> read_report(std::string_view text) {
  auto values = read_lines("rank report", text, report_schema, {"rank", "pid", "start_time"});
  if (!values) return tl::unexpected(values.error());
  RankReport report;
  if (!parse((*values)[0], report.rank) || !parse((*values)[1], report.process.pid) ||
      !parse((*values)[2], report.process.start_time))
    return error(Status::invalid, "rank report: rank, pid or start_time is not a number");
  return report;
}

}  // namespace tenter::mailbox
