// What an element of a row is (spec A1). The codes are part of the record file's format: a number, once given, stays.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/names.hpp"

namespace tenter::store {

enum class DType : std::uint32_t {
  int8 = 1,
  int16 = 2,
  int32 = 3,
  int64 = 4,
  uint8 = 5,
  uint16 = 6,
  uint32 = 7,
  uint64 = 8,
  float16 = 9,
  bfloat16 = 10,
  float32 = 11,
  float64 = 12,
  boolean = 13,
  raw = 14,  // bytes without a meaning
};

namespace detail {
struct DTypeRow {
  DType dtype;
  std::uint32_t bytes;
  std::string_view name;
};
inline constexpr std::array<DTypeRow, 14> dtypes{{{DType::int8, 1, "int8"},
                                                  {DType::int16, 2, "int16"},
                                                  {DType::int32, 4, "int32"},
                                                  {DType::int64, 8, "int64"},
                                                  {DType::uint8, 1, "uint8"},
                                                  {DType::uint16, 2, "uint16"},
                                                  {DType::uint32, 4, "uint32"},
                                                  {DType::uint64, 8, "uint64"},
                                                  {DType::float16, 2, "float16"},
                                                  {DType::bfloat16, 2, "bfloat16"},
                                                  {DType::float32, 4, "float32"},
                                                  {DType::float64, 8, "float64"},
                                                  {DType::boolean, 1, "bool"},
                                                  {DType::raw, 1, "bytes"}}};
constexpr bool codes_are_positions() {
  for (std::uint32_t i = 0; i < dtypes.size(); ++i)
    if (number(dtypes[i].dtype) != i + 1) return false;
  return true;
}
static_assert(codes_are_positions());
}  // namespace detail

constexpr bool is_valid(DType dtype) { return number(dtype) >= 1 && number(dtype) <= detail::dtypes.size(); }

// 0 for a code that is none of them.
constexpr std::uint32_t item_bytes(DType dtype) { return is_valid(dtype) ? detail::dtypes[number(dtype) - 1].bytes : 0; }

// "?" for a code that is none of them.
constexpr std::string_view to_string(DType dtype) { return is_valid(dtype) ? detail::dtypes[number(dtype) - 1].name : "?"; }

constexpr std::optional<DType> dtype_of(std::string_view name) {
  for (const auto& row : detail::dtypes)
    if (row.name == name) return row.dtype;
  return std::nullopt;
}

}  // namespace tenter::store
