#include "core/store/identity.hpp"

#include <algorithm>

#include "core/store/checksum.hpp"
#include "core/text.hpp"
#include "core/wire.hpp"

namespace tenter::store {
namespace {

constexpr std::size_t checksum_offset = identity_bytes - 4;

Bytes magic() { return std::as_bytes(std::span(identity_magic.data(), identity_magic.size())); }

tl::unexpected<Error> other(const Identity& wanted, std::string_view what, const std::string& found,
                            const std::string& expected) {
  return error(Status::mismatch, "region of rank " + text_of(wanted.rank) + ": " + std::string(what) + " is " + found +
                                     ", wanted " + expected + ": it is not the region that the record describes");
}

Result<Identity> decode(Bytes found, std::uint32_t rank) {
  const std::string where = "region of rank " + text_of(rank) + ": ";
  if (found.size() != identity_bytes)
    return error(Status::invalid, where + text_of(std::uint64_t{found.size()}) + " bytes of identity, wanted 64");
  if (!std::equal(magic().begin(), magic().end(), found.begin()))
    return error(Status::invalid, where + "no identity at its start: the memory is no region of a store");
  const std::uint32_t sum = wire::load<std::uint32_t>(found.data() + checksum_offset),
                      given = crc32c(found.first(checksum_offset));
  if (sum != given)
    return error(Status::invalid, where + "checksum at offset 60 is " + text_of_hex(sum) + ", wanted " + text_of_hex(given));
  wire::Reader reader(found.subspan(magic().size()));
  Identity identity;
  identity.generation = generation_of(reader.bytes(generation_bytes));
  identity.variable = reader.u64();
  identity.rows = reader.u64();
  identity.slot_bytes = reader.u64();
  identity.rank = reader.u32();
  if (reader.u64() != 0) return error(Status::invalid, where + "a byte at offset 52 to 59 is not 0");
  return identity;
}

}  // namespace

Blob encode_identity(const Identity& identity) {
  wire::Writer writer(identity_bytes);
  writer.bytes(magic()).u64(identity.generation.low).u64(identity.generation.high).u64(identity.variable);
  writer.u64(identity.rows).u64(identity.slot_bytes).u32(identity.rank).u64(0);
  writer.u32(crc32c(writer.written()));
  return writer.blob();
}

Result<void> check_identity(Bytes found, const Identity& wanted) {
  const auto identity = decode(found, wanted.rank);
  if (!identity) return tl::unexpected(identity.error());
  if (identity->generation != wanted.generation)
    return other(wanted, "generation", to_string(identity->generation), to_string(wanted.generation));
  if (identity->rank != wanted.rank) return other(wanted, "rank", text_of(identity->rank), text_of(wanted.rank));
  if (identity->variable != wanted.variable)
    return other(wanted, "variable", text_of_hex(identity->variable), text_of_hex(wanted.variable));
  if (identity->rows != wanted.rows) return other(wanted, "rows", text_of(identity->rows), text_of(wanted.rows));
  if (identity->slot_bytes != wanted.slot_bytes)
    return other(wanted, "slot bytes", text_of(identity->slot_bytes), text_of(wanted.slot_bytes));
  return {};
}

}  // namespace tenter::store
