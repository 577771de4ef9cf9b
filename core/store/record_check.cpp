#include <limits>

#include "core/check.hpp"
#include "core/store/record.hpp"
#include "core/store/record_text.hpp"
#include "core/utf8.hpp"

namespace tenter::store {
namespace {

enum class May : std::uint8_t { be_empty, not_be_empty };

Result<void> check_text(const std::string& text, const Field& length, const Field& field, May may) {
  if (text.size() > field.bytes || (may == May::not_be_empty && text.empty()))
    return wrong(header_part, length, text.size(),
                 (may == May::be_empty ? "0 to " : "1 to ") + text_of(std::uint64_t{field.bytes}));
  const std::size_t bad = utf8_run(text, 0), zero = text.find('\0');
  if (bad == text.size() && zero == std::string::npos) return {};
  const std::uint64_t at = bad != text.size() ? bad : zero;
  return wrong(Status::invalid, header_part, field,
               "'" + utf8_repaired(std::string_view(text).substr(0, at)) + "' and then " +
                   (bad != text.size() ? "no UTF-8" : "a zero byte") + " at offset " + text_of(field.offset + at),
               "UTF-8 text");
}

Result<void> check_texts(const Record& record) {
  if (auto job = check_text(record.job, layout::job_length, layout::job, May::be_empty); !job) return job;
  if (auto host = check_text(record.host, layout::host_length, layout::host, May::be_empty); !host) return host;
  if (auto name = check_text(record.variable, layout::name_length, layout::name, May::not_be_empty); !name) return name;
  return check_text(record.provider, layout::provider_length, layout::provider, May::not_be_empty);
}

Result<RowFormat> check_rows(const Record& record) {
  if (!is_valid(record.dtype)) return wrong(header_part, layout::dtype, number(record.dtype), "1 to 14");
  if (record.row_shape.size() > layout::dimensions_max)
    return wrong(header_part, layout::dimensions, record.row_shape.size(), "0 to 8");
  auto format = row_format_of(record.dtype, record.row_shape, record.versioned);
  if (!format) return error(Status::invalid, place_of(header_part, layout::row_shape) + " does not hold: " + format.error().what);
  return format;
}

Result<void> check_shard(const Shard& shard, Part part, const RowFormat& format) {
  if (shard.address.empty() || shard.address.size() > layout::address_bytes_max)
    return wrong(part, layout::address_length, shard.address.size(), "1 to 256");
  if (shard.key.empty() || shard.key.size() > layout::key_bytes_max)
    return wrong(part, layout::key_length, shard.key.size(), "1 to 64");
  if (shard.region_bytes > region_bytes_max) return wrong(part, layout::region_bytes, shard.region_bytes, "at most 2^62");
  if (shard.base > std::numeric_limits<std::uint64_t>::max() - shard.region_bytes)
    return wrong(part, layout::base, shard.base,
                 "an address from which region_bytes, " + text_of(shard.region_bytes) + ", do not wrap");
  const auto needed = format.region_bytes(shard.rows);
  if (!needed) return wrong(part, layout::rows, shard.rows, "rows of together at most 2^62 bytes");
  if (shard.region_bytes < *needed)
    return wrong(part, layout::region_bytes, shard.region_bytes,
                 "at least " + text_of(*needed) + " for " + text_of(shard.rows) + " rows");
  return {};
}

}  // namespace

Result<void> check_record(const Record& record) {
  if (is_nobodys(record.generation))
    return wrong(Status::invalid, header_part, layout::generation, to_string(record.generation), "one that is not all 0");
  if (record.heartbeat_ms == 0) return wrong(header_part, layout::heartbeat, 0, "at least 1");
  if (record.shards.empty() || record.shards.size() > layout::cores_max)
    return wrong(header_part, layout::cores, record.shards.size(), "1 to 1048576");
  const auto format = check_rows(record);
  if (!format) return tl::unexpected(format.error());
  if (auto texts = check_texts(record); !texts) return texts;
  std::uint64_t total = 0;
  for (std::uint32_t rank = 0; rank < record.shards.size(); ++rank) {
    const Shard& shard = record.shards[rank];
    if (auto checked = check_shard(shard, rank_part(rank), *format); !checked) return checked;
    total += shard.rows;  // each at most 2^62, and so is the sum before it
    if (!product(total, format->row_bytes))
      return wrong(rank_part(rank), layout::rows, shard.rows, "rows that make, with those before, at most 2^62 bytes");
  }
  return {};
}

RowFormat format_of(const Record& record) {
  const auto format = row_format_of(record.dtype, record.row_shape, record.versioned);
  TENTER_CHECK(format.has_value());
  return *format;
}

}  // namespace tenter::store
