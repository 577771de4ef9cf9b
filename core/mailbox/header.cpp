#include "core/mailbox/header.hpp"

#include <algorithm>
#include <string>

#include "core/text.hpp"
#include "core/wire.hpp"

namespace tenter::mailbox {
namespace {

std::string shown(const Field& field, std::uint64_t value) {
  return field.is_signed ? text_of(std::int64_t{static_cast<std::int32_t>(value)}) : text_of(value);
}

tl::unexpected<Error> wrong(Status status, const Field& field, std::uint64_t found, std::string_view wanted) {
  return error(status, "page header: " + std::string(field.name) + " at offset " + text_of(field.offset) + " is " +
                           shown(field, found) + ", wanted " + std::string(wanted));
}

template <class State>
tl::unexpected<Error> wrong_state(const Field& field, State found, std::string_view wanted) {
  if (!is_valid(found)) return wrong(Status::invalid, field, number(found), "a state that exists");
  return error(Status::unavailable, "page header: " + std::string(field.name) + " at offset " + text_of(field.offset) + " is " +
                                        to_string(found) + ", wanted " + std::string(wanted));
}

std::uint64_t magic_value() {
  const auto bytes = std::as_bytes(std::span(layout::magic_bytes.data(), layout::magic_bytes.size()));
  return wire::load<std::uint64_t>(bytes.data());
}

Result<void> check_identity(const Header& header, std::uint32_t world) {
  if (header.magic != magic_value())
    return error(Status::invalid, "page header: magic at offset 0 is " + text_of_hex(header.magic) + ", wanted " +
                                      text_of_hex(magic_value()) + ", SMPIBOX and a zero byte");
  if (header.version != layout::protocol_version)
    return wrong(Status::mismatch, layout::version, header.version, text_of(layout::protocol_version));
  if (header.header_bytes != layout::header_bytes)
    return wrong(Status::mismatch, layout::header_size, header.header_bytes, text_of(layout::header_bytes));
  if (header.page_bytes != layout::page_bytes)
    return wrong(Status::mismatch, layout::page_size, header.page_bytes, text_of(layout::page_bytes));
  if (header.world == 0) return wrong(Status::mismatch, layout::world, 0, "at least 1");
  if (world != 0 && header.world != world) return wrong(Status::mismatch, layout::world, header.world, text_of(world));
  return {};
}

Result<void> check_zeroes(Bytes first_256) {
  for (const Field& field : {layout::gap, layout::reserved}) {
    const Bytes bytes = first_256.subspan(field.offset, field.bytes);
    const auto set = std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b != std::byte{0}; });
    if (set == bytes.end()) continue;
    const auto offset = static_cast<std::uint64_t>(field.offset + (set - bytes.begin()));
    return error(Status::invalid, "page header: " + std::string(field.name) + " byte at offset " + text_of(offset) + " is " +
                                      text_of(std::uint64_t{std::to_integer<std::uint8_t>(*set)}) + ", wanted 0");
  }
  return {};
}

Result<void> check_states(const Header& header, AttachAs as) {
  const GroupState wanted = as == AttachAs::rank_0 ? GroupState::initializing : GroupState::ready;
  if (!is_valid(header.group_state) || (as != AttachAs::observer && header.group_state != wanted))
    return wrong_state(layout::group_state, header.group_state, to_string(wanted));
  if (!is_valid(header.request_state) || (as != AttachAs::observer && header.request_state != RequestState::idle))
    return wrong_state(layout::request_state, header.request_state, to_string(RequestState::idle));
  if (as != AttachAs::observer && header.sequence != 0)
    return wrong(Status::unavailable, layout::sequence, header.sequence, "0: the page was used before");
  return {};
}

}  // namespace

Header fresh_header(std::uint32_t world) {
  Header header;
  header.magic = magic_value();
  header.world = world;
  return header;
}

Blob encode_header(const Header& header) {
  wire::Writer writer(layout::header_bytes);
  writer.u64(header.magic).u32(header.version).u32(header.header_bytes).u64(header.page_bytes).u32(header.world);
  writer.u32(number(header.group_state)).u32(number(header.request_state)).u32(header.gap).u64(header.sequence);
  writer.u32(number(header.opcode)).u32(number(header.target)).i32(header.target_rank);
  writer.u32(header.request_count).u32(header.request_bytes).u32(header.response_count).u32(header.response_bytes);
  writer.u32(header.error_bytes);
  for (std::uint32_t i = 0; i < layout::reserved.bytes; ++i) writer.u8(0);
  return writer.blob();
}

Result<Header> decode_header(Bytes first_256) {
  if (first_256.size() < layout::header_bytes)
    return error(Status::invalid, "page header: " + text_of(std::uint64_t{first_256.size()}) + " bytes, wanted 256");
  wire::Reader reader(first_256);
  Header header;
  header.magic = reader.u64();
  header.version = reader.u32();
  header.header_bytes = reader.u32();
  header.page_bytes = reader.u64();
  header.world = reader.u32();
  header.group_state = GroupState{reader.u32()};
  header.request_state = RequestState{reader.u32()};
  header.gap = reader.u32();
  header.sequence = reader.u64();
  header.opcode = Opcode{reader.u32()};
  header.target = Target{reader.u32()};
  header.target_rank = reader.i32();
  header.request_count = reader.u32();
  header.request_bytes = reader.u32();
  header.response_count = reader.u32();
  header.response_bytes = reader.u32();
  header.error_bytes = reader.u32();
  return header;
}

Result<void> check_attach(Bytes first_256, std::uint64_t page_bytes, std::uint32_t world, AttachAs as) {
  if (page_bytes != layout::page_bytes)
    return error(Status::mismatch,
                 "page: the mapping has " + text_of(page_bytes) + " bytes, wanted " + text_of(layout::page_bytes));
  const auto header = decode_header(first_256);
  if (!header) return tl::unexpected(header.error());
  if (auto identity = check_identity(*header, world); !identity) return identity;
  if (auto zeroes = check_zeroes(first_256); !zeroes) return zeroes;
  return check_states(*header, as);
}

Result<void> check_head(const PageHead& head, GroupState group, std::uint32_t request, std::uint32_t world, AttachAs as) {
  const std::uint32_t fields_bytes = layout::error_length.offset - layout::gap.offset;
  if (head.identity.size() != layout::group_state.offset || head.middle.size() != fields_bytes ||
      head.reserved.size() != layout::reserved.bytes)
    return error(Status::invalid, "the header could not be copied whole");
  wire::Writer header(layout::header_bytes);
  header.bytes(head.identity.bytes()).u32(number(group)).u32(request);
  header.bytes(head.middle.bytes()).u32(0).bytes(head.reserved.bytes());
  return check_attach(header.blob().bytes(), layout::page_bytes, world, as);
}

}  // namespace tenter::mailbox
