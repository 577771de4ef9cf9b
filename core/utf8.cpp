#include "core/utf8.hpp"

#include <cstring>

namespace tenter {
namespace {

std::uint32_t byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }
bool continues(std::uint32_t byte) { return (byte & 0xC0) == 0x80; }

// Legal values of the second byte, by the first.
bool second_fits(std::uint32_t first, std::uint32_t second) {
  switch (first) {
    case 0xE0:
      return second >= 0xA0 && second <= 0xBF;
    case 0xED:
      return second >= 0x80 && second <= 0x9F;
    case 0xF0:
      return second >= 0x90 && second <= 0xBF;
    case 0xF4:
      return second >= 0x80 && second <= 0x8F;
    default:
      return continues(second);
  }
}

std::size_t length_by_first(std::uint32_t first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const std::uint32_t first = byte_at(text, at);
  const std::size_t length = length_by_first(first);
  if (length <= 1) return length;
  if (length > text.size() - at || !second_fits(first, byte_at(text, at + 1))) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if (!continues(byte_at(text, at + i))) return 0;
  return length;
}

std::size_t utf8_run(std::string_view text, std::size_t at) {
  constexpr std::uint64_t high_bits = 0x8080808080808080ull;
  while (at < text.size()) {
    std::uint64_t eight;
    if (text.size() - at >= sizeof eight) {  // most text is ASCII: eight bytes at a time
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if ((eight & high_bits) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    const std::size_t length = utf8_length(text, at);
    if (length == 0) break;
    at += length;
  }
  return at;
}

std::uint32_t utf8_code_point(std::string_view text, std::size_t at, std::size_t length) {
  const std::uint32_t first = byte_at(text, at);
  if (length == 1) return first;
  std::uint32_t value = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) value = (value << 6) | (byte_at(text, at + i) & 0x3F);
  return value;
}

void utf8_append(std::string& to, std::uint32_t code_point) {
  if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF)) code_point = 0xFFFD;
  const auto tail = [&](unsigned shift) { to += static_cast<char>(0x80 | ((code_point >> shift) & 0x3F)); };
  if (code_point < 0x80) {
    to += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    to += static_cast<char>(0xC0 | (code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    to += static_cast<char>(0xE0 | (code_point >> 12));
    tail(6);
    tail(0);
  } else {
    to += static_cast<char>(0xF0 | (code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string utf8_repaired(std::string_view text) {
  std::string repaired;
  repaired.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = utf8_run(text, at);
    repaired += text.substr(at, end - at);
    if (end == text.size()) break;
    utf8_append(repaired, 0xFFFD);
    at = end;
  }
  return repaired;
}

std::string_view utf8_cut(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && continues(byte_at(text, limit))) --limit;
  return text.substr(0, limit);
}

}  // namespace tenter
