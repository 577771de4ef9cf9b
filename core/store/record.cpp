#include "core/store/record.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "core/store/checksum.hpp"
#include "core/store/record_text.hpp"
#include "core/wire.hpp"

namespace tenter::store {
namespace {

Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

// `bytes`, then zeroes up to the field's width.
void put(wire::Writer& writer, Bytes bytes, const Field& field) {
  writer.bytes(bytes);
  for (std::size_t i = bytes.size(); i < field.bytes; ++i) writer.u8(0);
}

std::uint32_t size_of(Bytes bytes) { return static_cast<std::uint32_t>(bytes.size()); }

Bytes field_of(Bytes part, const Field& field) { return part.subspan(field.offset, field.bytes); }
std::uint32_t u32_of(Bytes part, const Field& field) { return wire::load<std::uint32_t>(field_of(part, field).data()); }
std::uint64_t u64_of(Bytes part, const Field& field) { return wire::load<std::uint64_t>(field_of(part, field).data()); }

// Of the file's bytes without any checksum. A record's own is left out because a CRC runs over "bytes, then their CRC" to one and
// the same remainder whatever the bytes: with it, a record put in another's place would not be noticed.
std::uint32_t file_checksum(Bytes file) {
  std::uint32_t sum = crc32c(file.first(layout::checksum.offset));
  for (std::size_t at = layout::header_bytes; at < file.size(); at += layout::record_bytes)
    sum = crc32c(file.subspan(at, layout::record_checksum.offset), sum);
  return sum;
}

void put_header(wire::Writer& writer, const Record& record) {
  std::uint64_t total_rows = 0;
  for (const Shard& shard : record.shards) total_rows += shard.rows;
  writer.bytes(bytes_of(layout::magic_bytes)).u32(layout::format_version).u32(layout::byte_order_mark);
  writer.u32(layout::header_bytes).u32(layout::record_bytes).u64(layout::file_bytes(record.shards.size()));
  writer.u64(record.generation.low).u64(record.generation.high).i64(record.start_time);
  writer.u64(record.owner.pid).u64(record.owner.start_time);
  writer.u32(static_cast<std::uint32_t>(record.shards.size())).u32(number(record.dtype));
  writer.u32(static_cast<std::uint32_t>(record.row_shape.size())).u32(record.versioned ? layout::flag_row_versions : 0);
  for (std::size_t i = 0; i < layout::dimensions_max; ++i) writer.u64(i < record.row_shape.size() ? record.row_shape[i] : 0);
  writer.u64(total_rows).u64(record.mr_mode).u32(record.address_format).u32(record.heartbeat_ms);
  const std::string* texts[] = {&record.job, &record.host, &record.variable, &record.provider};
  for (const std::string* text : texts) writer.u32(static_cast<std::uint32_t>(text->size()));
  put(writer, bytes_of(record.job), layout::job);
  put(writer, bytes_of(record.host), layout::host);
  put(writer, bytes_of(record.variable), layout::name);
  put(writer, bytes_of(record.provider), layout::provider);
  put(writer, {}, layout::reserved);
}

// Reads a slot of `field.bytes` of which the first `length` count.
Result<Bytes> slot(Bytes part, Part where, const Field& length_field, const Field& field) {
  const std::uint32_t length = u32_of(part, length_field);
  if (length > field.bytes) return wrong(where, length_field, length, "at most " + text_of(field.bytes));
  const Bytes whole = field_of(part, field), rest = whole.subspan(length);
  const auto set = std::find_if(rest.begin(), rest.end(), [](std::byte b) { return b != std::byte{0}; });
  if (set == rest.end()) return whole.first(length);
  const auto at = length + static_cast<std::uint64_t>(set - rest.begin());
  return error(Status::invalid, place_of(where, field) + " has after its " + text_of(length) + " bytes, at offset " +
                                    text_of(where.offset + field.offset + at) + ", a byte that is not 0");
}

Result<void> check_zero(Bytes part, Part where, const Field& field) {
  const Bytes bytes = field_of(part, field);
  const auto set = std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b != std::byte{0}; });
  if (set == bytes.end()) return {};
  return error(Status::invalid, place_of(where, field) + ": the byte at offset " +
                                    text_of(where.offset + field.offset + static_cast<std::uint64_t>(set - bytes.begin())) +
                                    " is not 0");
}

// What kind of file it is, and how long it says to be: before anything else of it is believed.
Result<void> check_frame(Bytes file) {
  const auto short_of = [&](std::uint64_t wanted) {
    return error(Status::invalid, "record file: truncated, " + text_of(std::uint64_t{file.size()}) + " of " + text_of(wanted) +
                                      " bytes; the part from offset " + text_of(std::uint64_t{file.size()}) + " on is missing");
  };
  const std::size_t known = std::min<std::size_t>(file.size(), layout::magic.bytes);
  if (!std::equal(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(known), bytes_of(layout::magic_bytes).begin()))
    return error(Status::invalid, place_of(header_part, layout::magic) + " is not TNTRROWS: not a record file");
  if (file.size() < layout::header_bytes) return short_of(layout::header_bytes);
  if (const std::uint32_t mark = u32_of(file, layout::byte_order); mark != layout::byte_order_mark)
    return wrong(Status::mismatch, header_part, layout::byte_order, text_of_hex(mark), text_of_hex(layout::byte_order_mark));
  const auto same = [&](const Field& field, std::uint32_t wanted) -> Result<void> {
    if (u32_of(file, field) == wanted) return {};
    return wrong(Status::mismatch, header_part, field, text_of(u32_of(file, field)), text_of(wanted));
  };
  if (auto version = same(layout::version, layout::format_version); !version) return version;
  if (auto header = same(layout::header_size, layout::header_bytes); !header) return header;
  if (auto record = same(layout::record_size, layout::record_bytes); !record) return record;
  const std::uint32_t cores = u32_of(file, layout::cores);
  if (cores == 0 || cores > layout::cores_max) return wrong(header_part, layout::cores, cores, "1 to 1048576");
  const std::uint64_t wanted = layout::file_bytes(cores);
  if (u64_of(file, layout::file_size) != wanted)
    return wrong(header_part, layout::file_size, u64_of(file, layout::file_size),
                 text_of(wanted) + " for " + text_of(cores) + " cores");
  if (file.size() < wanted) return short_of(wanted);
  if (file.size() > wanted)
    return error(Status::invalid, "record file: it has " + text_of(std::uint64_t{file.size()}) + " bytes, wanted " +
                                      text_of(wanted) + "; what follows from offset " + text_of(wanted) + " on is not its");
  return {};
}

Result<void> check_shard_sum(Bytes part, Part where) {
  const std::uint32_t found = u32_of(part, layout::record_checksum);
  const std::uint32_t given = crc32c(part.first(layout::record_checksum.offset));
  if (found == given) return {};
  return wrong(Status::invalid, where, layout::record_checksum, text_of_hex(found),
               text_of_hex(given) + " of its bytes from offset " + text_of(where.offset) + " on: damaged");
}

// Of a damaged file the damaged part is named: the first rank's record that is, else the header.
Result<void> check_sums(Bytes file) {
  for (std::uint32_t rank = 0; rank < u32_of(file, layout::cores); ++rank) {
    const Part where = rank_part(rank);
    if (auto whole = check_shard_sum(file.subspan(where.offset, layout::record_bytes), where); !whole) return whole;
  }
  const std::uint32_t found = u32_of(file, layout::checksum), given = file_checksum(file);
  if (found == given) return {};
  return wrong(
      Status::invalid, header_part, layout::checksum, text_of_hex(found),
      text_of_hex(given) + " of the file's bytes: the header, offset 0 to 1023, is damaged, or a record is another file's");
}

Result<void> check_rank(Bytes part, Part where) {
  if (const std::uint32_t rank = u32_of(part, layout::rank); rank != *where.rank)
    return wrong(where, layout::rank, rank, text_of(*where.rank) + ": ranks are in order, each once");
  return {};
}

Result<Shard> read_shard(Bytes part, Part where) {
  if (auto rank = check_rank(part, where); !rank) return tl::unexpected(rank.error());
  for (const Field& field : {layout::gap, layout::record_gap})
    if (auto zero = check_zero(part, where, field); !zero) return tl::unexpected(zero.error());
  const auto address = slot(part, where, layout::address_length, layout::address);
  if (!address) return tl::unexpected(address.error());
  const auto key = slot(part, where, layout::key_length, layout::key);
  if (!key) return tl::unexpected(key.error());
  return Shard{Blob(*address), Blob(*key), u64_of(part, layout::base), u64_of(part, layout::region_bytes),
               u64_of(part, layout::rows)};
}

Result<void> read_texts(Bytes file, Record& record) {
  const struct {
    const Field &length, &field;
    std::string& text;
  } texts[] = {{layout::job_length, layout::job, record.job},
               {layout::host_length, layout::host, record.host},
               {layout::name_length, layout::name, record.variable},
               {layout::provider_length, layout::provider, record.provider}};
  for (const auto& text : texts) {
    const auto bytes = slot(file, header_part, text.length, text.field);
    if (!bytes) return tl::unexpected(bytes.error());
    text.text.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }
  return {};
}

Result<void> read_header(Bytes file, Record& record) {
  record.generation = generation_of(field_of(file, layout::generation));
  record.start_time = static_cast<std::int64_t>(u64_of(file, layout::start_time));
  record.owner = {u64_of(file, layout::owner_pid), u64_of(file, layout::owner_start)};
  record.dtype = DType{u32_of(file, layout::dtype)};
  record.mr_mode = u64_of(file, layout::mr_mode);
  record.address_format = u32_of(file, layout::address_format);
  record.heartbeat_ms = u32_of(file, layout::heartbeat);
  const std::uint32_t flags = u32_of(file, layout::flags), dimensions = u32_of(file, layout::dimensions);
  if ((flags & ~layout::flag_row_versions) != 0)
    return wrong(Status::invalid, header_part, layout::flags, text_of_hex(flags), "no bit but bit 0");
  record.versioned = flags != 0;
  if (dimensions > layout::dimensions_max) return wrong(header_part, layout::dimensions, dimensions, "0 to 8");
  for (std::uint32_t i = 0; i < layout::dimensions_max; ++i) {
    const Field dimension{"row_shape", layout::row_shape.offset + 8 * i, 8};
    const std::uint64_t extent = u64_of(file, dimension);
    if (i < dimensions) record.row_shape.push_back(extent);
    if (i >= dimensions && extent != 0) return wrong(header_part, dimension, extent, "0 after the last dimension");
  }
  if (auto zero = check_zero(file, header_part, layout::reserved); !zero) return zero;
  return read_texts(file, record);
}

}  // namespace

Blob encode_shard(const Shard& shard, std::uint32_t rank) {
  TENTER_CHECK(shard.address.size() <= layout::address_bytes_max && shard.key.size() <= layout::key_bytes_max);
  wire::Writer writer(layout::record_bytes);
  writer.u32(rank).u32(size_of(shard.address.bytes())).u32(size_of(shard.key.bytes())).u32(0);
  writer.u64(shard.base).u64(shard.region_bytes).u64(shard.rows);
  put(writer, shard.key.bytes(), layout::key);
  put(writer, shard.address.bytes(), layout::address);
  writer.u32(0);
  writer.u32(crc32c(writer.written()));
  return writer.blob();
}

Blob encode_record(const Record& record) {
  TENTER_CHECK(check_record(record).has_value());
  wire::Writer writer(layout::file_bytes(record.shards.size()));
  put_header(writer, record);
  writer.u32(0);
  for (std::uint32_t rank = 0; rank < record.shards.size(); ++rank) writer.bytes(encode_shard(record.shards[rank], rank).bytes());
  return Blob(writer.written().size(), [&](MutableBytes to) {
    std::copy(writer.written().begin(), writer.written().end(), to.begin());
    wire::store(to.data() + layout::checksum.offset, file_checksum(to));
  });
}

Result<Shard> decode_shard(Bytes record, std::uint32_t rank) {
  if (record.size() != layout::record_bytes)
    return error(Status::invalid, "shard of rank " + text_of(rank) + ": " + text_of(std::uint64_t{record.size()}) +
                                      " bytes, wanted " + text_of(layout::record_bytes));
  const Part where{0, rank};
  if (auto whole = check_shard_sum(record, where); !whole) return tl::unexpected(whole.error());
  return read_shard(record, where);
}

Result<Record> decode_record(Bytes file) {
  if (auto frame = check_frame(file); !frame) return tl::unexpected(frame.error());
  if (auto sums = check_sums(file); !sums) return tl::unexpected(sums.error());
  Record record;
  if (auto header = read_header(file, record); !header) return tl::unexpected(header.error());
  const std::uint32_t cores = u32_of(file, layout::cores);
  record.shards.reserve(cores);
  for (std::uint32_t rank = 0; rank < cores; ++rank) {
    const Part where = rank_part(rank);
    auto shard = read_shard(file.subspan(where.offset, layout::record_bytes), where);
    if (!shard) return tl::unexpected(shard.error());
    record.shards.push_back(std::move(*shard));
  }
  if (auto rules = check_record(record); !rules) return tl::unexpected(rules.error());
  std::uint64_t total = 0;
  for (const Shard& shard : record.shards) total += shard.rows;
  if (const std::uint64_t found = u64_of(file, layout::total_rows); found != total)
    return wrong(header_part, layout::total_rows, found, text_of(total) + ", the sum of all ranks' rows");
  return record;
}

}  // namespace tenter::store
