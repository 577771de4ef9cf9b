// The record file, version 1, declared once: offsets, widths, limits (spec A2, B3.7). One file a variable: a header, then one
// record a core rank, in rank order, nothing after. All integers little-endian; what a slot does not use is zero.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "core/store/file_name.hpp"

namespace tenter::store {

struct Field {
  std::string_view name;
  std::uint32_t offset = 0;  // from the start of the header, or of its record
  std::uint32_t bytes = 0;
  constexpr std::uint32_t end() const { return offset + bytes; }
};

namespace layout {

inline constexpr std::string_view magic_bytes{"TNTRROWS", 8};
inline constexpr std::uint32_t format_version = 1;
inline constexpr std::uint32_t byte_order_mark = 0x0102'0304;
inline constexpr std::uint32_t dimensions_max = 8;
inline constexpr std::uint32_t cores_max = 1'048'576;
inline constexpr std::uint32_t job_bytes_max = 64;
inline constexpr std::uint32_t host_bytes_max = 256;
inline constexpr std::uint32_t provider_bytes_max = 64;
inline constexpr std::uint32_t key_bytes_max = 64;
inline constexpr std::uint32_t address_bytes_max = 256;

// Bits of `flags`; any other is refused.
inline constexpr std::uint32_t flag_row_versions = 1;  // every row stands in a slot with its version and checksum

// clang-format off
inline constexpr Field magic          {"magic",             0,   8};
inline constexpr Field version        {"format_version",    8,   4};
inline constexpr Field byte_order     {"byte_order",       12,   4};
inline constexpr Field header_size    {"header_bytes",     16,   4};
inline constexpr Field record_size    {"record_bytes",     20,   4};
inline constexpr Field file_size      {"file_bytes",       24,   8};
inline constexpr Field generation     {"generation",       32,  16};
inline constexpr Field start_time     {"start_time",       48,   8};  // nanoseconds since 1970, UTC, by the publisher's clock
inline constexpr Field owner_pid      {"owner_pid",        56,   8};  // core rank 0; 0: unknown
inline constexpr Field owner_start    {"owner_start_time", 64,   8};  // clock ticks since the boot of its host
inline constexpr Field cores          {"cores",            72,   4};
inline constexpr Field dtype          {"dtype",            76,   4};
inline constexpr Field dimensions     {"dimensions",       80,   4};  // of one row; 0: a row is one element
inline constexpr Field flags          {"flags",            84,   4};
inline constexpr Field row_shape      {"row_shape",        88,  64};  // dimensions x u64
inline constexpr Field total_rows     {"total_rows",      152,   8};
inline constexpr Field mr_mode        {"mr_mode",         160,   8};  // what the provider returned
inline constexpr Field address_format {"address_format",  168,   4};
inline constexpr Field heartbeat      {"heartbeat_ms",    172,   4};  // period of the publisher's heartbeat
inline constexpr Field job_length     {"job_bytes",       176,   4};
inline constexpr Field host_length    {"host_bytes",      180,   4};
inline constexpr Field name_length    {"name_bytes",      184,   4};
inline constexpr Field provider_length{"provider_bytes",  188,   4};
inline constexpr Field job            {"job",             192,  64};
inline constexpr Field host           {"host",            256, 256};
inline constexpr Field name           {"name",            512, 256};
inline constexpr Field provider       {"provider",        768,  64};
inline constexpr Field reserved       {"reserved",        832, 188};
inline constexpr Field checksum       {"checksum",       1020,   4};  // CRC-32C of the whole file, all checksums left out

inline constexpr Field rank           {"rank",              0,   4};
inline constexpr Field address_length {"address_bytes",     4,   4};
inline constexpr Field key_length     {"key_bytes",         8,   4};
inline constexpr Field gap            {"gap",              12,   4};
inline constexpr Field base           {"base",             16,   8};  // what a reader adds to an offset: an address, or 0
inline constexpr Field region_bytes   {"region_bytes",     24,   8};  // registered length
inline constexpr Field rows           {"rows",             32,   8};
inline constexpr Field key            {"key",              40,  64};
inline constexpr Field address        {"address",         104, 256};
inline constexpr Field record_gap     {"record_gap",      360,   4};
inline constexpr Field record_checksum{"record_checksum", 364,   4};  // CRC-32C of the record's other bytes: which rank's is damaged
// clang-format on

inline constexpr std::uint32_t header_bytes = 1'024;
inline constexpr std::uint32_t record_bytes = 368;

inline constexpr Field header_fields[] = {magic,      version,    byte_order,  header_size, record_size,     file_size,
                                          generation, start_time, owner_pid,   owner_start, cores,           dtype,
                                          dimensions, flags,      row_shape,   total_rows,  mr_mode,         address_format,
                                          heartbeat,  job_length, host_length, name_length, provider_length, job,
                                          host,       name,       provider,    reserved,    checksum};
inline constexpr Field record_fields[] = {rank,    address_length, key_length,     gap, base, region_bytes, rows, key,
                                          address, record_gap,     record_checksum};

constexpr bool fields_are_contiguous(std::span<const Field> fields, std::uint32_t bytes) {
  std::uint32_t at = 0;
  for (const Field& field : fields) {
    if (field.offset != at) return false;
    at = field.end();
  }
  return at == bytes;
}
static_assert(fields_are_contiguous(header_fields, header_bytes));
static_assert(fields_are_contiguous(record_fields, record_bytes));
static_assert(header_bytes % 8 == 0 && record_bytes % 8 == 0);
static_assert(row_shape.bytes == 8 * dimensions_max && job.bytes == job_bytes_max && host.bytes == host_bytes_max);
static_assert(name.bytes == name_bytes_max && provider.bytes == provider_bytes_max);
static_assert(key.bytes == key_bytes_max && address.bytes == address_bytes_max);

constexpr std::uint64_t file_bytes(std::uint64_t core_count) { return header_bytes + core_count * record_bytes; }
static_assert(file_bytes(1) == 1'392 && file_bytes(64) == 24'576 && file_bytes(cores_max) == 385'876'992);

}  // namespace layout
}  // namespace tenter::store
