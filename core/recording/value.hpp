// The bytes of one described value by itself, everything inline: the configuration of a machine in a recording's header, from
// which a replay builds the same machine.
//
//   recorder header: {"dispatcher", encode_value(config)}
//   registry:        role<Dispatcher>([](Bytes b) { return Dispatcher(decode_value<DispatcherConfig>(b).value()); })
//
// Fields: integers, enums, bool, ProcessId, Blob, Parts, std::string, arrays of bytes, described structs, and lists of them.
#pragma once
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/recording/buffer.hpp"
#include "core/recording/fields.hpp"

namespace tenter::recording {

class ValueSink {
 public:
  void number(std::uint64_t value) { bytes_.add_varint(value); }
  void blob(const Blob& blob) { counted(blob.bytes()); }
  void text(std::string_view text) { counted(std::as_bytes(std::span(text.data(), text.size()))); }
  Bytes written() const { return bytes_.bytes(); }

 private:
  void counted(Bytes bytes) {
    number(bytes.size());
    bytes_.add(bytes);
  }
  Buffer bytes_;
};

class ValueSource {
 public:
  explicit ValueSource(Bytes bytes) : reader_(bytes) {}
  std::uint64_t number() { return get_varint(reader_, ok_); }
  Blob blob() { return Blob(counted()); }
  std::string text() {
    const Bytes bytes = counted();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  bool ok() const { return ok_ && reader_.ok(); }
  void fail() { ok_ = false; }
  bool holds(std::uint64_t bytes) { return ok_ = ok_ && bytes <= reader_.left(); }
  std::size_t left() const { return reader_.left(); }
  std::size_t offset() const { return reader_.offset(); }

 private:
  Bytes counted() {
    const std::uint64_t length = number();
    return ok() ? reader_.bytes(length) : Bytes{};
  }
  wire::Reader reader_;
  bool ok_ = true;
};

template <Described T>
Blob encode_value(const T& value) {
  ValueSink sink;
  put(sink, value);
  return Blob(sink.written());
}

// invalid, with the offset, when the bytes end early, are left over, or hold what a field cannot.
template <Described T>
Result<T> decode_value(Bytes bytes) {
  ValueSource source(bytes);
  T value{};
  get(source, value);
  if (source.ok() && source.left() == 0) return value;
  return error(Status::invalid, std::string(T::name) + ": " + std::to_string(bytes.size()) +
                                    " bytes do not hold one, at offset " + std::to_string(source.offset()) +
                                    (source.ok() ? " (bytes left over)" : ""));
}

}  // namespace tenter::recording
