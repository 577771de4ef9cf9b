// The command and result bytes of the controls. Spec B2.7. Domains (13 to 17) are device memory: their commands travel as bytes,
// except RELEASE_DOMAIN, whose three numbers the specification gives.
#pragma once
#include <cstdint>
#include <string>

#include "core/blob.hpp"
#include "core/error.hpp"
#include "core/slr3/layout.hpp"
#include "core/slr3/task.hpp"

namespace tenter::slr3 {

enum class TargetRegistry : std::uint32_t { task_dispatcher = 1, inner_worker = 2 };
enum class CallableKind : std::uint32_t { chip = 1, python_serialized = 2, python_import = 3 };

// UNREGISTER, COMMIT, ABORT and PREPARE_CALLABLE name a callable: 40 bytes.
struct CallableName {
  TargetRegistry registry = TargetRegistry::task_dispatcher;
  CallableKind kind = CallableKind::python_import;
  CallableDigest digest{};
  friend bool operator==(const CallableName&, const CallableName&) = default;
};
inline constexpr std::uint32_t callable_name_bytes = 40, prepare_head_bytes = 48;
Blob write_callable_name(const CallableName& name);
// invalid: another size, a registry outside 1..2, a kind outside 1..3, a chip callable outside the inner worker.
Result<CallableName> read_callable_name(Bytes command);

// PREPARE_REGISTER_CALLABLE: the name, and what to register.
struct CallablePayload {
  CallableName name;
  std::uint32_t version = 1;  // of the payload
  Bytes payload;              // valid as long as what was read; at most register_payload_bytes_max
  friend bool operator==(const CallablePayload& a, const CallablePayload& b) {
    return a.name == b.name && a.version == b.version && Blob(a.payload) == Blob(b.payload);
  }
};
inline constexpr std::uint32_t register_payload_bytes_max = payload_bytes_max - control_head_bytes - prepare_head_bytes;
Blob write_callable_payload(const CallablePayload& payload);
Result<CallablePayload> read_callable_payload(Bytes command);

// A buffer of a worker. FREE names one: 20 bytes.
struct BufferName {
  std::int32_t worker = 0;
  std::uint64_t id = 0, generation = 0;
  friend bool operator==(const BufferName&, const BufferName&) = default;
};
Blob write_buffer_name(const BufferName& name);
Result<BufferName> read_buffer_name(Bytes command);  // invalid: another size, a worker below 0

// ALLOC_REMOTE_BUFFER: u64 bytes, never 0; the result is the buffer: 56 bytes.
struct RemoteBuffer {
  BufferName name;
  AddressSpace space = AddressSpace::remote_device;
  std::uint64_t bytes = 0, address = 0, key = 0, ub_address = 0;
  friend bool operator==(const RemoteBuffer&, const RemoteBuffer&) = default;
};
Blob write_alloc(std::uint64_t bytes);
Result<std::uint64_t> read_alloc(Bytes command);
Blob write_remote_buffer(const RemoteBuffer& buffer);
Result<RemoteBuffer> read_remote_buffer(Bytes result);

// COPY_TO_REMOTE (with data) and COPY_FROM_REMOTE (without): a range of a buffer. 36 bytes, then the data.
struct CopyRange {
  BufferName buffer;
  std::uint64_t offset = 0, bytes = 0;
  friend bool operator==(const CopyRange&, const CopyRange&) = default;
};
inline constexpr std::uint32_t copy_to_bytes_max = payload_bytes_max - control_head_bytes - copy_head_bytes;
// Of one COPY_FROM_REMOTE: what its reply has room for, beside the longest error text. The reference accepts more and fails in
// the reply (B2.4); here the request is refused.
inline constexpr std::uint32_t copy_from_bytes_max = payload_bytes_max - control_reply_head_bytes - error_text_bytes_max;
struct CopyTo {
  CopyRange range;
  Bytes data;
};
Blob write_copy_to(const BufferName& buffer, std::uint64_t offset, Bytes data);
Result<CopyTo> read_copy_to(Bytes command);  // invalid: the data is not `bytes` long, the range overflows
Blob write_copy_from(const CopyRange& range);
Result<CopyRange> read_copy_from(Bytes command);  // no_space: more than copy_from_bytes_max

// EXPORT_BUFFER: 48 bytes and the profile.
inline constexpr std::uint32_t access_read = 1, access_write = 2;
struct ExportCall {
  CopyRange range;           // worker: the owner
  std::uint32_t access = 0;  // read, write or both; IMPORT asks for no more
  std::string profile;       // at most 128 bytes
  friend bool operator==(const ExportCall&, const ExportCall&) = default;
};
Blob write_export(const ExportCall& call);
Result<ExportCall> read_export(Bytes command);

// RELEASE_IMPORT: 36 bytes.
struct ReleaseImport {
  std::int32_t importer = 0;
  BufferName buffer;  // worker: the owner
  std::uint64_t import_id = 0;
  friend bool operator==(const ReleaseImport&, const ReleaseImport&) = default;
};
Blob write_release_import(const ReleaseImport& call);
Result<ReleaseImport> read_release_import(Bytes command);

// RELEASE_DOMAIN: u32 version, u64 domain, u64 generation.
struct DomainName {
  std::uint64_t domain = 0, generation = 0;
  friend bool operator==(const DomainName&, const DomainName&) = default;
};
Blob write_release_domain(const DomainName& name);
Result<DomainName> read_release_domain(Bytes command);

}  // namespace tenter::slr3
