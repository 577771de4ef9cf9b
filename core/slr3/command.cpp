#include "core/slr3/command.hpp"

#include <algorithm>

#include "core/slr3/refusal.hpp"
#include "core/text.hpp"
#include "core/utf8.hpp"
#include "core/wire.hpp"

namespace tenter::slr3 {
namespace {

void put(wire::Writer& writer, const CallableName& name) {
  writer.u32(number(name.registry)).u32(number(name.kind)).bytes(name.digest);
}
void put(wire::Writer& writer, const BufferName& name) { writer.i32(name.worker).u64(name.id).u64(name.generation); }
void put(wire::Writer& writer, const CopyRange& range) {
  put(writer, range.buffer);
  writer.u64(range.offset).u64(range.bytes);
}

CallableName take_callable(wire::Reader& reader) {
  CallableName name;
  name.registry = TargetRegistry{reader.u32()};
  name.kind = CallableKind{reader.u32()};
  const Bytes digest = reader.bytes(callable_digest_bytes);
  if (reader.ok()) std::copy(digest.begin(), digest.end(), name.digest.begin());
  return name;
}
BufferName take_buffer(wire::Reader& reader) {
  BufferName name;
  name.worker = reader.i32();
  name.id = reader.u64();
  name.generation = reader.u64();
  return name;
}
CopyRange take_range(wire::Reader& reader) {
  CopyRange range;
  range.buffer = take_buffer(reader);
  range.offset = reader.u64();
  range.bytes = reader.u64();
  return range;
}

Result<void> check(std::string_view command, const CallableName& name) {
  if (number(name.registry) < 1 || number(name.registry) > 2)
    return wrong(command, "target registry", 0, text_of(number(name.registry)), "expected 1 or 2");
  if (number(name.kind) < 1 || number(name.kind) > 3)
    return wrong(command, "callable kind", 4, text_of(number(name.kind)), "expected 1 to 3");
  if (name.kind == CallableKind::chip && name.registry != TargetRegistry::inner_worker)
    return wrong(command, "callable kind", 4, "1", "a chip callable belongs to the inner worker, registry 2");
  return {};
}
Result<void> check(std::string_view command, const BufferName& name, std::size_t offset = 0) {
  if (name.worker < 0) return wrong(command, "worker", offset, text_of(name.worker), "never negative");
  return {};
}
Result<void> check(std::string_view command, const CopyRange& range) {
  if (range.offset + range.bytes < range.offset)
    return wrong(command, "offset", 20, text_of(range.offset), "and its bytes overflow");
  return check(command, range.buffer);
}

}  // namespace

Blob write_callable_name(const CallableName& name) {
  wire::Writer writer;
  put(writer, name);
  return writer.blob();
}

Result<CallableName> read_callable_name(Bytes command) {
  wire::Reader reader(command);
  const CallableName name = take_callable(reader);
  if (!reader.at_end()) return cut("callable's name", command);
  if (auto good = check("callable's name", name); !good) return tl::unexpected(good.error());
  return name;
}

Blob write_callable_payload(const CallablePayload& payload) {
  wire::Writer writer(prepare_head_bytes + payload.payload.size());
  put(writer, payload.name);
  return writer.u32(payload.version).counted(payload.payload).blob();
}

Result<CallablePayload> read_callable_payload(Bytes command) {
  wire::Reader reader(command);
  CallablePayload payload;
  payload.name = take_callable(reader);
  payload.version = reader.u32();
  payload.payload = reader.counted(register_payload_bytes_max);
  if (!reader.at_end()) return cut("PREPARE_REGISTER_CALLABLE", command);
  if (auto good = check("PREPARE_REGISTER_CALLABLE", payload.name); !good) return tl::unexpected(good.error());
  return payload;
}

Blob write_buffer_name(const BufferName& name) {
  wire::Writer writer;
  put(writer, name);
  return writer.blob();
}

Result<BufferName> read_buffer_name(Bytes command) {
  wire::Reader reader(command);
  const BufferName name = take_buffer(reader);
  if (!reader.at_end()) return cut("FREE_REMOTE_BUFFER", command);
  if (auto good = check("FREE_REMOTE_BUFFER", name); !good) return tl::unexpected(good.error());
  return name;
}

Blob write_alloc(std::uint64_t bytes) { return wire::Writer().u64(bytes).blob(); }

Result<std::uint64_t> read_alloc(Bytes command) {
  wire::Reader reader(command);
  const std::uint64_t bytes = reader.u64();
  if (!reader.at_end()) return cut("ALLOC_REMOTE_BUFFER", command);
  if (bytes == 0) return wrong("ALLOC_REMOTE_BUFFER", "bytes", 0, "0", "never 0");
  return bytes;
}

Blob write_remote_buffer(const RemoteBuffer& buffer) {
  wire::Writer writer;
  put(writer, buffer.name);
  return writer.u32(number(buffer.space)).u64(buffer.bytes).u64(buffer.address).u64(buffer.key).u64(buffer.ub_address).blob();
}

Result<RemoteBuffer> read_remote_buffer(Bytes result) {
  wire::Reader reader(result);
  RemoteBuffer buffer;
  buffer.name = take_buffer(reader);
  buffer.space = AddressSpace{reader.u32()};
  buffer.bytes = reader.u64();
  buffer.address = reader.u64();
  buffer.key = reader.u64();
  buffer.ub_address = reader.u64();
  if (!reader.at_end()) return cut("remote buffer", result);
  if (auto good = check("remote buffer", buffer.name); !good) return tl::unexpected(good.error());
  if (number(buffer.space) < 1 || number(buffer.space) > 4)
    return wrong("remote buffer", "address space", 20, text_of(number(buffer.space)), "expected 1 to 4");
  return buffer;
}

Blob write_copy_to(const BufferName& buffer, std::uint64_t offset, Bytes data) {
  wire::Writer writer(copy_head_bytes + data.size());
  put(writer, CopyRange{buffer, offset, data.size()});
  return writer.bytes(data).blob();
}

Result<CopyTo> read_copy_to(Bytes command) {
  wire::Reader reader(command);
  CopyTo copy{take_range(reader), {}};
  copy.data = reader.bytes(reader.left());
  if (!reader.at_end()) return cut("COPY_TO_REMOTE", command);
  if (auto good = check("COPY_TO_REMOTE", copy.range); !good) return tl::unexpected(good.error());
  if (copy.data.size() != copy.range.bytes)
    return wrong("COPY_TO_REMOTE", "bytes", 28, text_of(copy.range.bytes),
                 text_of(std::uint64_t{copy.data.size()}) + " bytes of data follow");
  return copy;
}

Blob write_copy_from(const CopyRange& range) {
  wire::Writer writer;
  put(writer, range);
  return writer.blob();
}

Result<CopyRange> read_copy_from(Bytes command) {
  wire::Reader reader(command);
  const CopyRange range = take_range(reader);
  if (!reader.at_end()) return cut("COPY_FROM_REMOTE", command);
  if (auto good = check("COPY_FROM_REMOTE", range); !good) return tl::unexpected(good.error());
  if (range.bytes > copy_from_bytes_max)
    return error(Status::no_space, "COPY_FROM_REMOTE: " + text_of(range.bytes) + " bytes at offset 28 are more than the " +
                                       text_of(copy_from_bytes_max) + " that fit its reply");
  return range;
}

Blob write_export(const ExportCall& call) {
  wire::Writer writer;
  put(writer, call.range);
  return writer.u32(call.access).counted(call.profile).u32(0).blob();
}

Result<ExportCall> read_export(Bytes command) {
  wire::Reader reader(command);
  ExportCall call;
  call.range = take_range(reader);
  call.access = reader.u32();
  const Bytes profile = reader.counted(transport_profile_bytes_max);
  const std::uint32_t reserved = reader.u32();
  if (!reader.at_end()) return cut("EXPORT_BUFFER", command);
  if (auto good = check("EXPORT_BUFFER", call.range); !good) return tl::unexpected(good.error());
  if (call.access == 0 || call.access > (access_read | access_write))
    return wrong("EXPORT_BUFFER", "access", copy_head_bytes, text_of(call.access), "expected 1 to 3");
  if (reserved != 0) return wrong("EXPORT_BUFFER", "reserved", command.size() - 4, text_of(reserved), "expected 0");
  call.profile.assign(reinterpret_cast<const char*>(profile.data()), profile.size());
  if (!call.profile.empty() && utf8_run(call.profile, 0) != call.profile.size())
    return wrong("EXPORT_BUFFER", "profile", copy_head_bytes + 8, "no UTF-8", "texts are UTF-8");
  return call;
}

Blob write_release_import(const ReleaseImport& call) {
  wire::Writer writer;
  writer.i32(call.importer);
  put(writer, call.buffer);
  return writer.u64(call.import_id).u32(0).blob();
}

Result<ReleaseImport> read_release_import(Bytes command) {
  wire::Reader reader(command);
  ReleaseImport call;
  call.importer = reader.i32();
  call.buffer = take_buffer(reader);
  call.import_id = reader.u64();
  const std::uint32_t reserved = reader.u32();
  if (!reader.at_end()) return cut("RELEASE_IMPORT", command);
  if (call.importer < 0) return wrong("RELEASE_IMPORT", "importer", 0, text_of(call.importer), "never negative");
  if (auto good = check("RELEASE_IMPORT", call.buffer, 4); !good) return tl::unexpected(good.error());
  if (reserved != 0) return wrong("RELEASE_IMPORT", "reserved", 32, text_of(reserved), "expected 0");
  return call;
}

Blob write_release_domain(const DomainName& name) {
  return wire::Writer().u32(domain_control_version).u64(name.domain).u64(name.generation).blob();
}

Result<DomainName> read_release_domain(Bytes command) {
  wire::Reader reader(command);
  const std::uint32_t version = reader.u32();
  DomainName name;
  name.domain = reader.u64();
  name.generation = reader.u64();
  if (!reader.at_end()) return cut("RELEASE_DOMAIN", command);
  if (version != domain_control_version) return wrong("RELEASE_DOMAIN", "version", 0, text_of(version), "expected 2");
  return name;
}

}  // namespace tenter::slr3
