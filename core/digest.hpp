// The running digest of a run: field by field (padding never counts), the same on every compiler, optimisation level and host.
// Not cryptographic; 64 bits.
#pragma once
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/names.hpp"

namespace tenter {

class Digest {
 public:
  constexpr void add(std::uint64_t value) {
    state_ = (state_ ^ value) * 0x9FB21C651E98DF25ull;
    state_ ^= state_ >> 32;
  }
  void add(std::string_view text) { add(digest_of(std::as_bytes(std::span(text.data(), text.size())))); }
  constexpr std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0x243F6A8885A308D3ull;
};

template <class T>
void digest_add(Digest& digest, const T& value) {
  if constexpr (std::is_enum_v<T>) {
    digest.add(static_cast<std::uint64_t>(number(value)));
  } else if constexpr (std::is_integral_v<T>) {
    digest.add(static_cast<std::uint64_t>(value));
  } else if constexpr (std::is_same_v<T, ProcessId>) {
    digest.add(value.pid);
    digest.add(value.start_time);
  } else if constexpr (requires { value.digest(); }) {  // Blob, Parts
    digest.add(value.digest());
  } else if constexpr (Described<T>) {
    std::apply([&](const auto&... field) { (digest_add(digest, field), ...); }, T::fields(value));
  } else if constexpr (requires {
                         value.has_value();
                         *value;
                       }) {  // optional
    digest.add(static_cast<std::uint64_t>(value.has_value()));
    if (value.has_value()) digest_add(digest, *value);
  } else if constexpr (requires { std::variant_size<typename T::Variant>::value; }) {
    digest.add(static_cast<std::uint64_t>(value.index()));
    std::visit([&](const auto& alternative) { digest_add(digest, alternative); }, value);
  } else if constexpr (requires {
                         value.first;
                         value.second;
                       }) {
    digest_add(digest, value.first);
    digest_add(digest, value.second);
  } else if constexpr (std::is_convertible_v<T, std::string_view>) {
    digest.add(std::string_view(value));
  } else {  // a container in a fixed order: vector, array, fixed_vector, map
    digest.add(static_cast<std::uint64_t>(value.size()));
    for (const auto& element : value) digest_add(digest, element);
  }
}

template <class T>
std::uint64_t digest_value(const T& value) {
  Digest digest;
  digest_add(digest, value);
  return digest.value();
}

}  // namespace tenter
