#include "core/mailbox/vector.hpp"

#include <string>

#include "core/text.hpp"
#include "core/wire.hpp"

namespace tenter::mailbox {
namespace {

std::string decimal(std::uint64_t value) { return text_of_number(value); }

tl::unexpected<Error> broken(std::string what) { return error(Status::invalid, "payload vector: " + std::move(what)); }

}  // namespace

std::uint64_t encoded_bytes(std::span<const std::uint64_t> sizes) {
  std::uint64_t sum = prefix_bytes(sizes.size());
  for (const std::uint64_t size : sizes) sum += size;
  return sum;
}

std::uint64_t encoded_bytes(const Parts& payloads) {
  std::uint64_t sum = prefix_bytes(payloads.size());
  for (const Blob& payload : payloads) sum += payload.size();
  return sum;
}

Result<void> check_capacity(const Parts& payloads) {
  const std::uint64_t bytes = encoded_bytes(payloads);
  if (bytes <= layout::vector_bytes_max) return {};
  std::size_t largest = 0;
  for (std::size_t i = 0; i < payloads.size(); ++i)
    if (payloads[i].size() > payloads[largest].size()) largest = i;
  return error(Status::no_space, "payload vector: " + decimal(payloads.size()) + " payloads need " + decimal(bytes) +
                                     " bytes, the limit is " + decimal(layout::vector_bytes_max) + "; the largest is payload " +
                                     decimal(largest) + " with " + decimal(payloads.empty() ? 0 : payloads[largest].size()) +
                                     " bytes");
}

Blob vector_prefix(const Parts& payloads) {
  return Blob(prefix_bytes(payloads.size()), [&](MutableBytes to) {
    wire::store(to.data(), static_cast<std::uint32_t>(payloads.size()));
    for (std::size_t i = 0; i < payloads.size(); ++i)
      wire::store(to.data() + prefix_bytes(i), static_cast<std::uint32_t>(payloads[i].size()));
  });
}

Result<std::vector<std::uint32_t>> decode_prefix(Bytes prefix, std::uint32_t expected_count, std::uint64_t whole_bytes) {
  if (whole_bytes > layout::vector_bytes_max)
    return broken(decimal(whole_bytes) + " bytes, the limit is " + decimal(layout::vector_bytes_max));
  if (whole_bytes < 4 || prefix.size() < 4)
    return broken("its count at byte 0 is cut off: " + decimal(whole_bytes) + " bytes in all");
  const auto count = wire::load<std::uint32_t>(prefix.data());
  if (count != expected_count) return broken("count at byte 0 is " + decimal(count) + ", wanted " + decimal(expected_count));
  if (whole_bytes < prefix_bytes(count) || prefix.size() < prefix_bytes(count))
    return broken("its " + decimal(count) + " lengths need " + decimal(prefix_bytes(count)) + " bytes, there are " +
                  decimal(whole_bytes < prefix_bytes(count) ? whole_bytes : prefix.size()));
  std::vector<std::uint32_t> lengths(count);
  std::uint64_t left = whole_bytes - prefix_bytes(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    lengths[i] = wire::load<std::uint32_t>(prefix.data() + prefix_bytes(i));
    if (lengths[i] > left)
      return broken("length of payload " + decimal(i) + " at byte " + decimal(prefix_bytes(i)) + " is " + decimal(lengths[i]) +
                    ", only " + decimal(left) + " bytes are left");
    left -= lengths[i];
  }
  if (left != 0) return broken(decimal(left) + " bytes after its last payload");
  return lengths;
}

Result<Parts> decode_vector(const Blob& whole, std::uint32_t expected_count) {
  auto lengths = decode_prefix(whole.bytes(), expected_count, whole.size());
  if (!lengths) return tl::unexpected(std::move(lengths.error()));
  std::vector<Blob> payloads;
  payloads.reserve(lengths->size());
  std::uint64_t at = prefix_bytes(lengths->size());
  for (const std::uint32_t length : *lengths) {
    payloads.emplace_back(whole.bytes().subspan(at, length));
    at += length;
  }
  return Parts(std::move(payloads));
}

}  // namespace tenter::mailbox
