// The page's header as a value: the first 256 bytes, whole, with the checks of an attach (spec B2, C2.5). For whoever looks at a
// page from outside a group; the group's own machines read the parts that their window allows.
#pragma once
#include <cstdint>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/error.hpp"
#include "core/mailbox/layout.hpp"

namespace tenter::mailbox {

constexpr bool is_valid(GroupState state) { return number(state) <= number(GroupState::closed); }
constexpr bool is_valid(RequestState state) { return number(state) <= number(RequestState::shutdown_done); }
constexpr bool is_valid(Opcode opcode) { return number(opcode) >= 1 && number(opcode) <= number(Opcode::shutdown); }
constexpr bool is_valid(Target target) { return number(target) >= 1 && number(target) <= number(Target::per_rank); }

// Bytes 0..79, as they are: values of the enums may be none of theirs.
struct Header {
  std::uint64_t magic = 0;  // little-endian
  std::uint32_t version = layout::protocol_version;
  std::uint32_t header_bytes = layout::header_bytes;
  std::uint64_t page_bytes = layout::page_bytes;
  std::uint32_t world = 0;
  GroupState group_state = GroupState::initializing;
  RequestState request_state = RequestState::idle;
  std::uint32_t gap = 0;
  std::uint64_t sequence = 0;
  Opcode opcode{};
  Target target{};
  std::int32_t target_rank = 0;
  std::uint32_t request_count = 0, request_bytes = 0;
  std::uint32_t response_count = 0, response_bytes = 0;
  std::uint32_t error_bytes = 0;
  friend bool operator==(const Header&, const Header&) = default;
  TENTER_DESCRIBE(header, magic, version, header_bytes, page_bytes, world, group_state, request_state, gap, sequence, opcode,
                  target, target_rank, request_count, request_bytes, response_count, response_bytes, error_bytes)
};

// What the creator writes for a group of `world` ranks.
Header fresh_header(std::uint32_t world);

// 256 bytes, the reserved ones 0.
Blob encode_header(const Header& header);

// invalid: fewer than 256 bytes. No value is judged here.
Result<Header> decode_header(Bytes first_256);

enum class AttachAs : std::uint8_t {
  rank_0,    // before READY: INITIALIZING and IDLE, and no request was ever made
  parent,    // after READY: READY
  observer,  // `inspect`: any state that exists
};

// All checks of an attach, first failure wins: size of the mapping, magic, version, sizes, world (0: whatever the page says), the
// gap, the reserved bytes, the states. mismatch: another version, size or world; invalid: not a page, or one that broke;
// unavailable: a page in another state. Texts name field, offset, value found and value wanted.
Result<void> check_attach(Bytes first_256, std::uint64_t page_bytes, std::uint32_t world, AttachAs as);

// The header of a page, copied in three parts, without the three words.
struct PageHead {
  Blob identity, middle, reserved;  // middle: the gap and the header fields of a request
  bool complete() const { return !identity.empty() && !middle.empty() && !reserved.empty(); }
  friend bool operator==(const PageHead&, const PageHead&) = default;
  TENTER_DESCRIBE(page_head, identity, middle, reserved)
};

// check_attach() of a header whose words were loaded, not copied. `group`, `request`: what the words held, or must hold in the
// end.
Result<void> check_head(const PageHead& head, GroupState group, std::uint32_t request, std::uint32_t world, AttachAs as);

}  // namespace tenter::mailbox
