#include "core/slr3/task.hpp"

#include <algorithm>

#include "core/slr3/refusal.hpp"
#include "core/text.hpp"
#include "core/wire.hpp"

namespace tenter::slr3 {
namespace {

void put_tensor(wire::Writer& writer, const Tensor& t) {
  writer.u64(t.owner_nonce).u64(t.buffer_id).u32(t.generation);
  writer.u8(t.address_space).u8(t.access).u8(remote_sidecar_backend);
  writer.u64(t.bytes).u32(t.owner_path).u32(0).u64(0);  // no body, byte offset 0
  writer.u32(static_cast<std::uint32_t>(t.shape.size()));
  for (const std::uint32_t extent : t.shape) writer.u32(extent);
  for (const std::uint32_t step : t.stride) writer.u32(step);
  writer.u32(t.dtype);
}

void put_descriptor(wire::Writer& writer, const BufferDescriptor& d) {
  writer.u32(number(d.space)).i32(d.owner).u64(d.buffer_id).u64(d.offset).u64(d.bytes).u64(d.remote_address).u64(d.key);
  writer.u64(d.generation).u64(d.inline_offset).u64(d.inline_bytes).u64(0);  // flags
}

// What check_task() cannot see, because a Tensor has no field for it.
Result<Tensor> take_tensor(wire::Reader& reader, Bytes payload) {
  Tensor t;
  t.owner_nonce = reader.u64();
  t.buffer_id = reader.u64();
  t.generation = reader.u32();
  t.address_space = reader.u8();
  t.access = reader.u8();
  const std::size_t at = reader.offset();
  const std::uint8_t backend = reader.u8();
  t.bytes = reader.u64();
  t.owner_path = reader.u32();
  const std::uint32_t body = reader.u32();
  const std::uint64_t byte_offset = reader.u64();
  const std::uint32_t dimensions = reader.u32();
  if (!reader.ok()) return cut("task", payload);
  if (backend != remote_sidecar_backend)
    return wrong("task", "tensor's backend kind", at, text_of(backend), "only 3, the sidecar, is known");
  if (body != 0) return wrong("task", "tensor's body bytes", at + 13, text_of(body), "0 for a sidecar");
  if (byte_offset != 0) return wrong("task", "tensor's byte offset", at + 17, text_of(byte_offset), "0 for a sidecar");
  if (dimensions == 0 || dimensions > dimensions_max)
    return wrong("task", "tensor's dimensions", at + 25, text_of(dimensions), "expected 1 to 5");
  for (std::uint32_t i = 0; i < dimensions; ++i) t.shape.push_back(reader.u32());
  for (std::uint32_t i = 0; i < dimensions; ++i) t.stride.push_back(reader.u32());
  t.dtype = reader.u32();
  if (!reader.ok()) return cut("task", payload);
  return t;
}

Result<std::optional<BufferDescriptor>> take_descriptor(wire::Reader& reader, Bytes payload) {
  const std::size_t at = reader.offset();
  const std::uint8_t present = reader.u8();
  if (!reader.ok()) return cut("task", payload);
  if (present > 1) return wrong("task", "descriptor's presence", at, text_of(present), "expected 0 or 1");
  if (present == 0) return std::optional<BufferDescriptor>();
  BufferDescriptor d;
  d.space = AddressSpace{reader.u32()};
  d.owner = reader.i32();
  d.buffer_id = reader.u64();
  d.offset = reader.u64();
  d.bytes = reader.u64();
  d.remote_address = reader.u64();
  d.key = reader.u64();
  d.generation = reader.u64();
  d.inline_offset = reader.u64();
  d.inline_bytes = reader.u64();
  const std::uint64_t flags = reader.u64();
  if (!reader.ok()) return cut("task", payload);
  if (flags != 0) return wrong("task", "descriptor's flags", at + 73, text_of(flags), "none is known");
  return std::optional(d);
}

void take_head(wire::Reader& reader, TaskCall& call) {
  const Bytes digest = reader.bytes(callable_digest_bytes);
  if (reader.ok()) std::copy(digest.begin(), digest.end(), call.callable.begin());
  call.config.threads = reader.i32();
  for (std::int32_t& flag : call.config.diagnostics) flag = reader.i32();
  const Bytes prefix = reader.counted(prefix_bytes_max);
  call.config.output_prefix.assign(reinterpret_cast<const char*>(prefix.data()), prefix.size());
}

}  // namespace

Result<Blob> write_task(const TaskCall& call) {
  if (auto good = check_task(call); !good) return tl::unexpected(good.error());
  wire::Writer writer(128 + call.tensors.size() * 176 + call.scalars.size() * 8 + call.inline_bytes.size());
  writer.bytes(call.callable).i32(call.config.threads);
  for (const std::int32_t flag : call.config.diagnostics) writer.i32(flag);
  writer.counted(call.config.output_prefix);
  writer.u32(static_cast<std::uint32_t>(call.tensors.size())).u32(static_cast<std::uint32_t>(call.scalars.size()));
  for (const Tensor& tensor : call.tensors) put_tensor(writer, tensor);
  for (const Tensor& tensor : call.tensors) {
    writer.u8(tensor.descriptor ? 1 : 0);
    if (tensor.descriptor) put_descriptor(writer, *tensor.descriptor);
  }
  for (const std::uint64_t scalar : call.scalars) writer.u64(scalar);
  return writer.counted(call.inline_bytes).blob();
}

Result<TaskCall> read_task(Bytes payload) {
  wire::Reader reader(payload);
  TaskCall call;
  take_head(reader, call);
  const std::uint32_t tensors = reader.u32();
  const std::uint32_t scalars = reader.u32();
  if (!reader.ok()) return cut("task", payload);
  if (tensors > tensors_max) return error(Status::invalid, "task: " + text_of(tensors) + " tensors, the limit is 4096");
  if (scalars > scalars_max) return error(Status::invalid, "task: " + text_of(scalars) + " scalars, the limit is 4096");
  for (std::uint32_t i = 0; i < tensors; ++i) {
    auto tensor = take_tensor(reader, payload);
    if (!tensor) return tl::unexpected(tensor.error());
    call.tensors.push_back(std::move(*tensor));
  }
  for (Tensor& tensor : call.tensors) {
    auto descriptor = take_descriptor(reader, payload);
    if (!descriptor) return tl::unexpected(descriptor.error());
    tensor.descriptor = *descriptor;
  }
  for (std::uint32_t i = 0; i < scalars && reader.ok(); ++i) call.scalars.push_back(reader.u64());
  call.inline_bytes = reader.counted(inline_bytes_max);
  if (!reader.at_end()) return cut("task", payload);
  if (auto good = check_task(call); !good) return error(Status::invalid, good.error().what);
  return call;
}

}  // namespace tenter::slr3
