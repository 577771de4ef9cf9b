// The 17 controls by name, and the payloads of those that move bytes into and out of a rank's buffers (spec/control.md B2.7).
// A task's inline bytes end at 1 MiB; files go through ALLOC_REMOTE_BUFFER, COPY_TO_REMOTE, COPY_FROM_REMOTE, FREE_REMOTE_BUFFER.
#pragma once
#include <cstdint>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/error.hpp"
#include "core/mailbox/layout.hpp"

namespace tenter::mailbox {

enum class ControlName : std::uint32_t {
  unregister_callable = 1,
  prepare_register_callable = 2,
  commit_register_callable = 3,
  abort_register_callable = 4,
  prepare_callable = 5,
  alloc_remote_buffer = 6,
  free_remote_buffer = 7,
  copy_to_remote = 8,
  copy_from_remote = 9,
  export_buffer = 10,
  import_buffer = 11,
  release_import = 12,
  comm_init = 13,
  alloc_domain = 14,
  release_domain = 15,
  copy_to_domain = 16,
  copy_from_domain = 17,
};
const char* to_string(ControlName name);  // "?" for a value that is none of them
constexpr bool is_valid(ControlName name) { return number(name) >= 1 && number(name) <= 17; }

// Only these two; every other control addresses one rank (spec B4, C5.2).
constexpr bool may_target_group(ControlName name) {
  return name == ControlName::alloc_domain || name == ControlName::release_domain;
}

// A buffer of a rank. Generation and id are never 0 for one that exists.
struct BufferName {
  std::int32_t worker = 0;
  std::uint64_t id = 0;
  std::uint64_t generation = 0;
  friend bool operator==(const BufferName&, const BufferName&) = default;
  TENTER_DESCRIBE(buffer_name, worker, id, generation)
};

// ALLOC_REMOTE_BUFFER: u64 bytes, not 0. Its result is 56 bytes; address, key and load-store address are 0 for a buffer that only
// copies reach.
struct BufferHandle {
  BufferName buffer;
  std::int32_t address_space = 0;
  std::uint64_t bytes = 0, address = 0, key = 0, load_store_address = 0;
  friend bool operator==(const BufferHandle&, const BufferHandle&) = default;
  TENTER_DESCRIBE(buffer_handle, buffer, address_space, bytes, address, key, load_store_address)
};
Blob encode_alloc(std::uint64_t bytes);
Result<std::uint64_t> decode_alloc(Bytes command);
Blob encode_handle(const BufferHandle& handle);
Result<BufferHandle> decode_handle(Bytes result);

// FREE_REMOTE_BUFFER, 20 bytes.
Blob encode_free(const BufferName& buffer);
Result<BufferName> decode_free(Bytes command);

// COPY_TO_REMOTE: head of 36 bytes and as many data as it says; COPY_FROM_REMOTE: the head alone, the result is the data.
inline constexpr std::uint32_t copy_head_bytes = 36;
inline constexpr std::uint32_t copy_to_bytes_max = frame_payload_max - 12 - copy_head_bytes;  // in one frame of the mailbox
inline constexpr std::uint32_t copy_from_bytes_max = frame_payload_max - 28;                  // no error text beside it
static_assert(copy_to_bytes_max == 16'777'120 && copy_from_bytes_max == 16'777'140);

struct CopyRange {
  BufferName buffer;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const CopyRange&, const CopyRange&) = default;
  TENTER_DESCRIBE(copy_range, buffer, offset, bytes)
};
struct CopyTo {
  BufferName buffer;
  std::uint64_t offset = 0;
  Bytes data;  // valid as long as what was decoded
};
// no_space: more than one frame carries.
Result<Blob> encode_copy_to(const CopyTo& copy);
Result<CopyTo> decode_copy_to(Bytes command);
Result<Blob> encode_copy_from(const CopyRange& range);
Result<CopyRange> decode_copy_from(Bytes command);

}  // namespace tenter::mailbox
