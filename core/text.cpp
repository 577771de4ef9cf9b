#include "core/text.hpp"

#include <array>
#include <charconv>

namespace tenter {

std::string text_of_number(std::uint64_t value) { return std::to_string(value); }
std::string text_of_number(std::int64_t value) { return std::to_string(value); }

std::string text_of_hex(std::uint64_t value) {
  std::array<char, 16> digits;
  digits.fill('0');
  std::array<char, 16> shortest;
  const auto end = std::to_chars(shortest.data(), shortest.data() + shortest.size(), value, 16).ptr;
  const auto length = static_cast<std::size_t>(end - shortest.data());
  std::copy(shortest.data(), end, digits.data() + (digits.size() - length));
  return "0x" + std::string(digits.data(), digits.size());
}

std::string text_of_blob(const Blob& blob) {
  constexpr std::size_t shown_bytes_max = 48;
  bool printable = blob.size() <= shown_bytes_max;
  for (const char c : blob.text().substr(0, shown_bytes_max)) printable = printable && c >= 0x20 && c < 0x7f && c != '"';
  if (printable) return '"' + std::string(blob.text()) + '"';
  return std::to_string(blob.size()) + " B #" + text_of_hex(blob.digest()).substr(2, 8);
}

}  // namespace tenter
