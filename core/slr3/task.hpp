// The payload of TASK, whole: callable, config, tensors with their descriptors, scalars, inline bytes. Spec B2.6. What an encoder
// accepts a decoder accepts, and both are equal after the round trip (P-X15): both ask check_task().
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/blob.hpp"
#include "core/error.hpp"
#include "core/slr3/layout.hpp"

namespace tenter::slr3 {

using CallableDigest = std::array<std::byte, callable_digest_bytes>;  // SHA-256 of the callable

struct CallConfig {
  std::int32_t threads = 0;  // aicpu_thread_num
  // enable_chip_swimlane, enable_dump_args, enable_pmu, enable_dep_gen, enable_scope_stats; any of them needs an output prefix.
  std::array<std::int32_t, 5> diagnostics{};
  std::string output_prefix;  // UTF-8, at most 1,023 bytes
  friend bool operator==(const CallConfig&, const CallConfig&) = default;
};

enum class AddressSpace : std::uint32_t { host_inline = 1, remote_device = 2, remote_window = 3, ub_ldst = 4 };
inline constexpr std::uint8_t remote_sidecar_backend = 3;  // the only one that is allowed here
inline constexpr std::uint8_t access_max = 2;              // of a tensor: 0 to 2
inline constexpr std::uint32_t dtype_max = 14;

// Where the bytes of a tensor are (the sidecar): 80 bytes on the wire.
struct BufferDescriptor {
  AddressSpace space = AddressSpace::host_inline;
  std::int32_t owner = 0;  // worker
  std::uint64_t buffer_id = 0, offset = 0, bytes = 0, remote_address = 0, key = 0, generation = 0;
  std::uint64_t inline_offset = 0, inline_bytes = 0;  // HOST_INLINE only: a range of the inline bytes
  friend bool operator==(const BufferDescriptor&, const BufferDescriptor&) = default;
};

struct Tensor {
  std::uint64_t owner_nonce = 0, buffer_id = 0;
  std::uint32_t generation = 1;  // not 0
  std::uint8_t address_space = 0, access = 0;
  std::uint64_t bytes = 0;
  std::uint32_t owner_path = 0;
  std::vector<std::uint32_t> shape, stride;  // in elements; 1 to 5 dimensions, none is 0
  std::uint32_t dtype = 0;
  std::optional<BufferDescriptor> descriptor;
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

struct TaskCall {
  CallableDigest callable{};
  CallConfig config;
  std::vector<Tensor> tensors;
  std::vector<std::uint64_t> scalars;
  Bytes inline_bytes;  // valid as long as what was read
};

// Bytes of one element, as the reference has them; 1 for types that it names without a size here (9 to 14): a view is then never
// refused wrongly.
std::uint64_t element_bytes(std::uint32_t dtype);
// From the first to the last element, both included; the largest number when it overflows.
std::uint64_t view_bytes(const Tensor& tensor);

// All rules of B2.6. invalid (a rule) or no_space (a limit): the text names the tensor and the field.
Result<void> check_task(const TaskCall& call);

Result<Blob> write_task(const TaskCall& call);  // errors of check_task(); what passes it fits a frame
Result<TaskCall> read_task(Bytes payload);

}  // namespace tenter::slr3
