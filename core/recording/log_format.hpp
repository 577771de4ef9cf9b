// What the writer and the reader of a log share.
#pragma once
#include <string_view>

#include "core/digest.hpp"
#include "core/recording/log.hpp"

namespace tenter::recording {

inline constexpr std::string_view log_magic = "tenter.recording/1\n";
inline constexpr std::uint8_t end_tag = 0xff;
inline constexpr unsigned kind_bits = 5;
inline constexpr std::uint8_t kind_mask = 31;  // 31 itself marks the end
inline constexpr std::uint16_t far_role = 7;   // roles from here on follow the tag as a varint
inline constexpr std::size_t check_bytes = 3;
inline constexpr std::size_t least_record_bytes = 1 + 4 + check_bytes;
inline constexpr std::size_t cut_record_bytes_max = 64 * 1024;  // what a kill may leave of a record; more is damage

static_assert(std::variant_size_v<Event::Variant> <= kind_mask, "the tag has 5 bits for the kind");

constexpr std::uint32_t history_key(Role role, std::size_t kind) {
  return (std::uint32_t{number(role)} << kind_bits) | static_cast<std::uint32_t>(kind);
}

// The chain after `bytes`; its low 24 bits are their check.
inline std::uint64_t next_chain(std::uint64_t chain, Bytes bytes) {
  Digest digest;
  digest.add(chain);
  digest.add(digest_of(bytes));
  return digest.value();
}

}  // namespace tenter::recording
