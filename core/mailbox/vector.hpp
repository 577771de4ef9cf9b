// The payload vector of a request or an answer (spec B2, C2.3): u32 count, count x u32 length, the payloads back to back, nothing
// after. Sums are made in 64 bits: a count of 0x40000000 makes 4 + 4 x count wrap in 32.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/blob.hpp"
#include "core/error.hpp"
#include "core/mailbox/layout.hpp"

namespace tenter::mailbox {

// What a single payload, or each of `count` equal ones, may have at most.
constexpr std::uint64_t prefix_bytes(std::uint64_t count) { return 4 + 4 * count; }
constexpr std::uint64_t payload_bytes_max(std::uint64_t count) {
  return prefix_bytes(count) >= layout::vector_bytes_max
             ? 0
             : (layout::vector_bytes_max - prefix_bytes(count)) / (count == 0 ? 1 : count);
}
static_assert(payload_bytes_max(1) == 16'777'208);
static_assert(frame_header_bytes + frame_payload_max <= payload_bytes_max(1),
              "the largest frame that we accept must fit the page");

// Bytes of a vector with payloads of these sizes; its count and lengths included.
std::uint64_t encoded_bytes(std::span<const std::uint64_t> sizes);
std::uint64_t encoded_bytes(const Parts& payloads);

// Refuses a vector over 16 MiB with the limit, the size and the largest payload in the message. Before anything shared is
// touched.
Result<void> check_capacity(const Parts& payloads);

// Count and lengths; the payloads follow it in the page and are written one by one, without a copy. check_capacity() first.
Blob vector_prefix(const Parts& payloads);

// The lengths out of a prefix, for a vector of `whole_bytes` that must hold exactly `expected_count` payloads and nothing after.
Result<std::vector<std::uint32_t>> decode_prefix(Bytes prefix, std::uint32_t expected_count, std::uint64_t whole_bytes);

// The payloads of a whole vector, each copied out.
Result<Parts> decode_vector(const Blob& whole, std::uint32_t expected_count);

}  // namespace tenter::mailbox
