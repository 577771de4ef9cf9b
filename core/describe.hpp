// One declaration of a struct's fields serves equality, digest, text and the recording format.
//
//   struct Publish { Word word{}; std::uint32_t value = 0; TENTER_DESCRIBE(publish, word, value) };
//
// gives Publish::name == "publish", Publish::labels == "word, value" and Publish::fields(x) == tie(x.word, x.value).
#pragma once
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

#define TENTER_FIELD_1(self, a) (self).a
#define TENTER_FIELD_2(self, a, ...) (self).a, TENTER_FIELD_1(self, __VA_ARGS__)
#define TENTER_FIELD_3(self, a, ...) (self).a, TENTER_FIELD_2(self, __VA_ARGS__)
#define TENTER_FIELD_4(self, a, ...) (self).a, TENTER_FIELD_3(self, __VA_ARGS__)
#define TENTER_FIELD_5(self, a, ...) (self).a, TENTER_FIELD_4(self, __VA_ARGS__)
#define TENTER_FIELD_6(self, a, ...) (self).a, TENTER_FIELD_5(self, __VA_ARGS__)
#define TENTER_FIELD_7(self, a, ...) (self).a, TENTER_FIELD_6(self, __VA_ARGS__)
#define TENTER_FIELD_8(self, a, ...) (self).a, TENTER_FIELD_7(self, __VA_ARGS__)
#define TENTER_FIELD_9(self, a, ...) (self).a, TENTER_FIELD_8(self, __VA_ARGS__)
#define TENTER_FIELD_10(self, a, ...) (self).a, TENTER_FIELD_9(self, __VA_ARGS__)
#define TENTER_FIELD_11(self, a, ...) (self).a, TENTER_FIELD_10(self, __VA_ARGS__)
#define TENTER_FIELD_12(self, a, ...) (self).a, TENTER_FIELD_11(self, __VA_ARGS__)
#define TENTER_FIELD_13(self, a, ...) (self).a, TENTER_FIELD_12(self, __VA_ARGS__)
#define TENTER_FIELD_14(self, a, ...) (self).a, TENTER_FIELD_13(self, __VA_ARGS__)
#define TENTER_FIELD_15(self, a, ...) (self).a, TENTER_FIELD_14(self, __VA_ARGS__)
#define TENTER_FIELD_16(self, a, ...) (self).a, TENTER_FIELD_15(self, __VA_ARGS__)
#define TENTER_FIELD_17(self, a, ...) (self).a, TENTER_FIELD_16(self, __VA_ARGS__)
#define TENTER_FIELD_18(self, a, ...) (self).a, TENTER_FIELD_17(self, __VA_ARGS__)
#define TENTER_FIELD_19(self, a, ...) (self).a, TENTER_FIELD_18(self, __VA_ARGS__)
#define TENTER_FIELD_20(self, a, ...) (self).a, TENTER_FIELD_19(self, __VA_ARGS__)
#define TENTER_FIELD_21(self, a, ...) (self).a, TENTER_FIELD_20(self, __VA_ARGS__)
#define TENTER_FIELD_22(self, a, ...) (self).a, TENTER_FIELD_21(self, __VA_ARGS__)
#define TENTER_FIELD_23(self, a, ...) (self).a, TENTER_FIELD_22(self, __VA_ARGS__)
#define TENTER_FIELD_24(self, a, ...) (self).a, TENTER_FIELD_23(self, __VA_ARGS__)
#define TENTER_PICK(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, _18, _19, _20, _21, _22, _23, \
                    _24, name, ...)                                                                                           \
  name
#define TENTER_FIELDS(self, ...)                                                                                                 \
  TENTER_PICK(__VA_ARGS__, TENTER_FIELD_24, TENTER_FIELD_23, TENTER_FIELD_22, TENTER_FIELD_21, TENTER_FIELD_20, TENTER_FIELD_19, \
              TENTER_FIELD_18, TENTER_FIELD_17, TENTER_FIELD_16, TENTER_FIELD_15, TENTER_FIELD_14, TENTER_FIELD_13,              \
              TENTER_FIELD_12, TENTER_FIELD_11, TENTER_FIELD_10, TENTER_FIELD_9, TENTER_FIELD_8, TENTER_FIELD_7, TENTER_FIELD_6, \
              TENTER_FIELD_5, TENTER_FIELD_4, TENTER_FIELD_3, TENTER_FIELD_2, TENTER_FIELD_1)                                    \
  (self, __VA_ARGS__)

#define TENTER_DESCRIBE(described_name, ...)                \
  static constexpr std::string_view name = #described_name; \
  static constexpr std::string_view labels = #__VA_ARGS__;  \
  template <class Self>                                     \
  static constexpr auto fields(Self& self) {                \
    return std::tie(TENTER_FIELDS(self, __VA_ARGS__));      \
  }

namespace tenter {

template <class T>
concept Described = requires(const T& value) {
  { T::name } -> std::convertible_to<std::string_view>;
  T::fields(value);
};

// Calls visit(label, field) for each field in order.
template <Described T, class Visit>
constexpr void for_each_field(T& value, Visit&& visit) {
  std::string_view rest = std::remove_const_t<T>::labels;
  auto next_label = [&rest] {
    const std::size_t comma = rest.find(',');
    std::string_view label = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 2);
    if (label.ends_with('_')) label.remove_suffix(1);
    return label;
  };
  std::apply([&](auto&... field) { (visit(next_label(), field), ...); }, std::remove_const_t<T>::fields(value));
}

}  // namespace tenter
