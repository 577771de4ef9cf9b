#include "core/mailbox/control.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "core/text.hpp"
#include "core/wire.hpp"

namespace tenter::mailbox {
namespace {

constexpr std::size_t free_bytes = 20, handle_bytes = 56, alloc_bytes = 8;

tl::unexpected<Error> wrong_size(ControlName name, std::size_t found, std::size_t wanted) {
  return error(Status::invalid, std::string(to_string(name)) + ": " + text_of(std::uint64_t{found}) + " bytes, wanted " +
                                    text_of(std::uint64_t{wanted}));
}

tl::unexpected<Error> over_limit(ControlName name, std::uint64_t bytes, std::uint64_t limit) {
  return error(Status::no_space,
               std::string(to_string(name)) + ": " + text_of(bytes) + " bytes in one copy, the limit is " + text_of(limit));
}

BufferName read_buffer(wire::Reader& reader) {
  BufferName buffer;
  buffer.worker = reader.i32();
  buffer.id = reader.u64();
  buffer.generation = reader.u64();
  return buffer;
}

void write_buffer(wire::Writer& writer, const BufferName& buffer) {
  writer.i32(buffer.worker).u64(buffer.id).u64(buffer.generation);
}

// The head's own rules: at least one byte, and an end that 64 bits can hold.
Result<CopyRange> read_range(ControlName name, Bytes command) {
  if (command.size() < copy_head_bytes) return wrong_size(name, command.size(), copy_head_bytes);
  wire::Reader reader(command);
  CopyRange range;
  range.buffer = read_buffer(reader);
  range.offset = reader.u64();
  range.bytes = reader.u64();
  if (range.bytes > std::numeric_limits<std::uint64_t>::max() - range.offset)
    return error(Status::invalid, std::string(to_string(name)) + ": size at offset 28 is " + text_of(range.bytes) +
                                      ", which with offset " + text_of(range.offset) + " passes 2^64");
  return range;
}

}  // namespace

const char* to_string(ControlName name) {
  static constexpr const char* names[] = {"UNREGISTER_CALLABLE",
                                          "PREPARE_REGISTER_CALLABLE",
                                          "COMMIT_REGISTER_CALLABLE",
                                          "ABORT_REGISTER_CALLABLE",
                                          "PREPARE_CALLABLE",
                                          "ALLOC_REMOTE_BUFFER",
                                          "FREE_REMOTE_BUFFER",
                                          "COPY_TO_REMOTE",
                                          "COPY_FROM_REMOTE",
                                          "EXPORT_BUFFER",
                                          "IMPORT_BUFFER",
                                          "RELEASE_IMPORT",
                                          "COMM_INIT",
                                          "ALLOC_DOMAIN",
                                          "RELEASE_DOMAIN",
                                          "COPY_TO_DOMAIN",
                                          "COPY_FROM_DOMAIN"};
  return is_valid(name) ? names[number(name) - 1] : "?";
}

Blob encode_alloc(std::uint64_t bytes) { return wire::Writer(alloc_bytes).u64(bytes).blob(); }

Result<std::uint64_t> decode_alloc(Bytes command) {
  if (command.size() != alloc_bytes) return wrong_size(ControlName::alloc_remote_buffer, command.size(), alloc_bytes);
  const auto bytes = wire::load<std::uint64_t>(command.data());
  if (bytes == 0) return error(Status::invalid, "ALLOC_REMOTE_BUFFER: bytes at offset 0 is 0, wanted at least 1");
  return bytes;
}

Blob encode_handle(const BufferHandle& handle) {
  wire::Writer writer(handle_bytes);
  write_buffer(writer, handle.buffer);
  writer.i32(handle.address_space).u64(handle.bytes).u64(handle.address).u64(handle.key).u64(handle.load_store_address);
  return writer.blob();
}

Result<BufferHandle> decode_handle(Bytes result) {
  if (result.size() != handle_bytes) return wrong_size(ControlName::alloc_remote_buffer, result.size(), handle_bytes);
  wire::Reader reader(result);
  BufferHandle handle;
  handle.buffer = read_buffer(reader);
  handle.address_space = reader.i32();
  handle.bytes = reader.u64();
  handle.address = reader.u64();
  handle.key = reader.u64();
  handle.load_store_address = reader.u64();
  if (handle.buffer.id == 0 || handle.buffer.generation == 0)
    return error(Status::invalid, "ALLOC_REMOTE_BUFFER: the result names buffer " + text_of(handle.buffer.id) + ", generation " +
                                      text_of(handle.buffer.generation) + ", wanted neither to be 0");
  return handle;
}

Blob encode_free(const BufferName& buffer) {
  wire::Writer writer(free_bytes);
  write_buffer(writer, buffer);
  return writer.blob();
}

Result<BufferName> decode_free(Bytes command) {
  if (command.size() != free_bytes) return wrong_size(ControlName::free_remote_buffer, command.size(), free_bytes);
  wire::Reader reader(command);
  return read_buffer(reader);
}

Result<Blob> encode_copy_to(const CopyTo& copy) {
  if (copy.data.size() > copy_to_bytes_max) return over_limit(ControlName::copy_to_remote, copy.data.size(), copy_to_bytes_max);
  return Blob(copy_head_bytes + copy.data.size(), [&](MutableBytes to) {
    wire::store(to.data(), static_cast<std::uint32_t>(copy.buffer.worker));
    wire::store(to.data() + 4, copy.buffer.id);
    wire::store(to.data() + 12, copy.buffer.generation);
    wire::store(to.data() + 20, copy.offset);
    wire::store(to.data() + 28, std::uint64_t{copy.data.size()});
    std::copy(copy.data.begin(), copy.data.end(), to.begin() + copy_head_bytes);
  });
}

Result<CopyTo> decode_copy_to(Bytes command) {
  auto range = read_range(ControlName::copy_to_remote, command);
  if (!range) return tl::unexpected(std::move(range.error()));
  if (range->bytes != command.size() - copy_head_bytes)
    return error(Status::invalid, "COPY_TO_REMOTE: size at offset 28 is " + text_of(range->bytes) + ", " +
                                      text_of(std::uint64_t{command.size() - copy_head_bytes}) + " bytes follow the head");
  return CopyTo{range->buffer, range->offset, command.subspan(copy_head_bytes)};
}

Result<Blob> encode_copy_from(const CopyRange& range) {
  if (range.bytes > copy_from_bytes_max) return over_limit(ControlName::copy_from_remote, range.bytes, copy_from_bytes_max);
  wire::Writer writer(copy_head_bytes);
  write_buffer(writer, range.buffer);
  return writer.u64(range.offset).u64(range.bytes).blob();
}

Result<CopyRange> decode_copy_from(Bytes command) {
  if (command.size() != copy_head_bytes) return wrong_size(ControlName::copy_from_remote, command.size(), copy_head_bytes);
  auto range = read_range(ControlName::copy_from_remote, command);
  if (range && range->bytes > copy_from_bytes_max)
    return over_limit(ControlName::copy_from_remote, range->bytes, copy_from_bytes_max);
  return range;
}

}  // namespace tenter::mailbox
