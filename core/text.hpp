// Text for people from described values: "publish(word=32, value=1)". Bytes are shown by length and digest, short printable
// ones as they are.
#pragma once
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/names.hpp"

namespace tenter {

std::string text_of_blob(const Blob& blob);
std::string text_of_number(std::uint64_t value);
std::string text_of_number(std::int64_t value);
std::string text_of_hex(std::uint64_t value);  // 0x and 16 digits

template <class T>
std::string text_of(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (requires {
                         { to_string(value) } -> std::convertible_to<std::string_view>;
                       }) {
    return std::string(to_string(value));
  } else if constexpr (std::is_enum_v<T>) {
    return text_of(number(value));
  } else if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
    return text_of_number(static_cast<std::int64_t>(value));
  } else if constexpr (std::is_integral_v<T>) {
    return text_of_number(static_cast<std::uint64_t>(value));
  } else if constexpr (std::is_same_v<T, Blob>) {
    return text_of_blob(value);
  } else if constexpr (std::is_same_v<T, ProcessId>) {
    return text_of_number(value.pid) + "@" + text_of_number(value.start_time);
  } else if constexpr (Described<T>) {
    std::string text(T::name);
    text += '(';
    bool first = true;
    for_each_field(value, [&](std::string_view label, const auto& field) {
      if (!first) text += ", ";
      first = false;
      text += label;
      text += '=';
      text += text_of(field);
    });
    return text + ")";
  } else if constexpr (requires {
                         value.has_value();
                         *value;
                       }) {
    return value.has_value() ? text_of(*value) : "none";
  } else if constexpr (requires { std::variant_size<typename T::Variant>::value; }) {
    return std::visit([](const auto& alternative) { return text_of(alternative); }, value);
  } else if constexpr (requires {
                         value.first;
                         value.second;
                       }) {
    return text_of(value.first) + ": " + text_of(value.second);
  } else if constexpr (std::is_convertible_v<T, std::string_view>) {
    return std::string(std::string_view(value));
  } else {
    std::string text = "[";
    for (const auto& element : value) {
      if (text.size() > 1) text += ", ";
      text += text_of(element);
    }
    return text + "]";
  }
}

}  // namespace tenter
