// Compact bytes of described values, field by field: varints (7 bits a byte, low first), zigzag for signed numbers. A sink and
// its source may store a type in their own way (`own`), so that a log can hold differences and references into a side file.
#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/names.hpp"
#include "core/wire.hpp"

namespace tenter::recording {

// 0, and `ok` becomes false, when the bytes end early or hold more than 64 bits.
std::uint64_t get_varint(wire::Reader& from, bool& ok);

constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t value) { return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1)); }

// A digest and the like: as many bytes as the type has.
template <class T>
concept ByteArray = requires {
  std::tuple_size<T>::value;
}
&&std::is_same_v<typename T::value_type, std::byte>;

template <class T>
concept ElementList = requires(T& list, const T& constant) {
  typename T::value_type;
  list.push_back(std::declval<typename T::value_type>());
  constant.size();
};

// Sink: number(u64), blob(const Blob&), text(string_view), and own(value) for each type that it stores in its own way.
template <class Sink, class T>
void put(Sink& sink, const T& value) {
  if constexpr (requires { sink.own(value); }) {
    sink.own(value);
  } else if constexpr (std::is_enum_v<T>) {
    put(sink, tenter::number(value));
  } else if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_signed_v<T>)
      sink.number(zigzag(value));
    else
      sink.number(static_cast<std::uint64_t>(value));
  } else if constexpr (std::is_same_v<T, ProcessId>) {
    sink.number(value.pid);
    sink.number(value.start_time);
  } else if constexpr (std::is_same_v<T, Blob>) {
    sink.blob(value);
  } else if constexpr (std::is_same_v<T, Parts>) {
    sink.number(value.size());
    for (const Blob& blob : value) sink.blob(blob);
  } else if constexpr (std::is_same_v<T, std::string>) {
    sink.text(value);
  } else if constexpr (ByteArray<T>) {
    sink.blob(Blob(Bytes(value)));
  } else if constexpr (Described<T>) {
    std::apply([&](const auto&... field) { (put(sink, field), ...); }, T::fields(value));
  } else {
    static_assert(ElementList<T>, "no recording format for this type");
    sink.number(value.size());
    for (const auto& element : value) put(sink, element);
  }
}

// Source: number(), blob(), text(), own(value), ok(), fail(), holds(n) (n bytes remain; else it has failed). After the first
// failure everything reads as empty; the caller asks ok() once at the end.
template <class Source, class T>
void get(Source& source, T& value) {
  if constexpr (requires { source.own(value); }) {
    source.own(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    const std::uint64_t read = source.number();
    if (read > 1) source.fail();
    value = read == 1;
  } else if constexpr (std::is_enum_v<T>) {
    std::underlying_type_t<T> read{};
    get(source, read);
    if constexpr (std::is_same_v<T, Status>)
      if (read > tenter::number(Status::unavailable)) source.fail();
    value = T{read};
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    const std::int64_t read = unzigzag(source.number());
    if (read < std::numeric_limits<T>::min() || read > std::numeric_limits<T>::max()) source.fail();
    value = static_cast<T>(read);
  } else if constexpr (std::is_integral_v<T>) {
    const std::uint64_t read = source.number();
    if (read > std::numeric_limits<T>::max()) source.fail();
    value = static_cast<T>(read);
  } else if constexpr (std::is_same_v<T, ProcessId>) {
    value.pid = source.number();
    value.start_time = source.number();
  } else if constexpr (std::is_same_v<T, Blob>) {
    value = source.blob();
  } else if constexpr (std::is_same_v<T, Parts>) {
    const std::uint64_t count = source.number();
    if (!source.holds(count)) return;  // a blob takes a byte at least
    std::vector<Blob> blobs;
    for (std::uint64_t i = 0; i < count && source.ok(); ++i) blobs.push_back(source.blob());
    value = Parts(std::move(blobs));
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = source.text();
  } else if constexpr (ByteArray<T>) {
    const Blob read = source.blob();
    if (read.size() != value.size()) return source.fail();
    std::copy(read.bytes().begin(), read.bytes().end(), value.begin());
  } else if constexpr (Described<T>) {
    std::apply([&](auto&... field) { (get(source, field), ...); }, T::fields(value));
  } else {
    static_assert(ElementList<T>, "no recording format for this type");
    const std::uint64_t count = source.number();
    if (!source.holds(count)) return;
    for (std::uint64_t i = 0; i < count && source.ok(); ++i) {
      typename T::value_type element{};
      get(source, element);
      value.push_back(std::move(element));
    }
  }
}

}  // namespace tenter::recording
