// UTF-8 as other processes may send it: broken, endless, cut in the middle. Well-formed means Unicode 15, table 3-7: no overlong
// form, no surrogate, nothing above U+10FFFF.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenter {

// Bytes of the well-formed character at `at` (1..4); 0 when the bytes there are none. `at` < text.size().
std::size_t utf8_length(std::string_view text, std::size_t at);

// Where the well-formed text from `at` on ends: the first byte that belongs to no well-formed character, or text.size().
std::size_t utf8_run(std::string_view text, std::size_t at);

// The code point of the well-formed character of `length` bytes at `at`.
std::uint32_t utf8_code_point(std::string_view text, std::size_t at, std::size_t length);

// `code_point` is a Unicode scalar value; anything else becomes U+FFFD.
void utf8_append(std::string& to, std::uint32_t code_point);

// Every byte that belongs to no well-formed character becomes U+FFFD (three bytes).
std::string utf8_repaired(std::string_view text);

// The longest prefix of at most `limit` bytes that ends between two characters. For well-formed text.
std::string_view utf8_cut(std::string_view text, std::size_t limit);

}  // namespace tenter
