#include "core/store/slot.hpp"

#include "core/check.hpp"
#include "core/text.hpp"
#include "core/wire.hpp"

namespace tenter::store {
namespace {

// Both parts pass through xxh3, so the same change in version and row does not cancel out.
std::uint64_t checksum(std::uint64_t version, Bytes row) {
  std::byte words[16];
  wire::store(words, version);
  wire::store(words + 8, digest_of(row));
  return digest_of(Bytes(words));
}

}  // namespace

Blob encode_slot(const RowFormat& format, std::uint64_t version, Bytes row) {
  TENTER_CHECK(format.versioned && row.size() == format.row_bytes && version >= first_version);
  wire::Writer writer(format.slot_bytes());
  writer.u64(version).u64(checksum(version, row)).bytes(row);
  while (writer.written().size() < format.slot_bytes()) writer.u8(0);
  return writer.blob();
}

Result<std::uint64_t> check_slot(const RowFormat& format, Bytes slot) {
  TENTER_CHECK(format.versioned && slot.size() == format.slot_bytes());
  const std::uint64_t version = wire::load<std::uint64_t>(slot.data()), found = wire::load<std::uint64_t>(slot.data() + 8);
  const std::uint64_t given = checksum(version, slot.subspan(slot_head_bytes, format.row_bytes));
  if (version >= first_version && found == given) return version;
  return error(Status::unavailable, "row torn: version " + text_of(version) + ", checksum " + text_of_hex(found) +
                                        ", its bytes give " + text_of_hex(given));
}

}  // namespace tenter::store
