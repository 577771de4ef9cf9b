#include "core/socket_address.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <vector>

namespace tenter {
namespace {

// Digits only, at most `digits` of them and at most `most`.
std::optional<std::uint32_t> whole_number(std::string_view text, int base, std::size_t digits, std::uint32_t most) {
  std::uint32_t value = 0;
  if (text.empty() || text.size() > digits) return std::nullopt;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (problem != std::errc{} || end != text.data() + text.size() || value > most) return std::nullopt;
  return value;
}

bool read_v4(std::string_view text, std::span<std::uint8_t> to) {
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t dot = text.find('.');
    if ((dot == std::string_view::npos) != (i == 3)) return false;
    const std::string_view part = text.substr(0, dot);
    if (part.size() > 1 && part[0] == '0') return false;  // octal to some, decimal to others
    const auto value = whole_number(part, 10, 3, 255);
    if (!value) return false;
    to[i] = static_cast<std::uint8_t>(*value);
    text = i == 3 ? std::string_view{} : text.substr(dot + 1);
  }
  return true;
}

// Groups with colons between them; the last one may be a dotted v4.
bool read_groups(std::string_view text, bool may_end_in_v4, std::vector<std::uint8_t>& to) {
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    const std::string_view part = text.substr(0, colon);
    const bool last = colon == std::string_view::npos;
    if (last && may_end_in_v4 && part.find('.') != std::string_view::npos) {
      std::array<std::uint8_t, 4> v4{};
      if (!read_v4(part, v4)) return false;
      to.insert(to.end(), v4.begin(), v4.end());
      return true;
    }
    const auto value = whole_number(part, 16, 4, 0xFFFF);
    if (!value) return false;
    to.push_back(static_cast<std::uint8_t>(*value >> 8));
    to.push_back(static_cast<std::uint8_t>(*value & 0xFF));
    if (last) return true;
    text = text.substr(colon + 1);
    if (text.empty()) return false;  // ends in a colon
  }
  return true;
}

bool read_v6(std::string_view text, std::span<std::uint8_t> to) {
  std::vector<std::uint8_t> head, tail;
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) {
    if (!read_groups(text, true, head) || head.size() != to.size()) return false;
  } else {
    const std::string_view behind = text.substr(gap + 2);
    if (behind.starts_with(':') || behind.find("::") != std::string_view::npos) return false;
    if (!read_groups(text.substr(0, gap), false, head) || !read_groups(behind, true, tail)) return false;
    if (head.size() + tail.size() >= to.size()) return false;  // the gap stands for one group at least
  }
  std::fill(to.begin(), to.end(), std::uint8_t{0});
  std::copy(head.begin(), head.end(), to.begin());
  std::copy_backward(tail.begin(), tail.end(), to.end());
  return true;
}

std::string text_of_v4(std::span<const std::uint8_t> host) {
  return std::to_string(host[0]) + "." + std::to_string(host[1]) + "." + std::to_string(host[2]) + "." + std::to_string(host[3]);
}

std::string text_of_v6(const std::array<std::uint8_t, 16>& host) {
  constexpr std::array<std::uint8_t, 12> mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  if (std::equal(mapped.begin(), mapped.end(), host.begin())) return "::ffff:" + text_of_v4(std::span(host).subspan(12));
  const auto group = [&](std::size_t i) { return static_cast<unsigned>(host[2 * i] << 8 | host[2 * i + 1]); };
  std::size_t gap = 8, gap_length = 1;  // the first of the longest rows of zeros; one alone is written out
  for (std::size_t from = 0; from < 8; ++from) {
    std::size_t length = 0;
    while (from + length < 8 && group(from + length) == 0) ++length;
    if (length > gap_length) {
      gap = from;
      gap_length = length;
    }
  }
  std::string text;
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == gap) {
      text += "::";
      i += gap_length - 1;
      continue;
    }
    if (!text.empty() && text.back() != ':') text += ':';
    std::array<char, 4> digits{};
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), group(i), 16);
    text.append(digits.data(), written.ptr);
  }
  return text;
}

}  // namespace

bool SocketAddress::loopback() const {
  if (family == Family::v4) return host[0] == 127;
  std::array<std::uint8_t, 16> one{};
  one[15] = 1;
  return host == one;
}

std::optional<SocketAddress> socket_address_of(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto port = whole_number(text.substr(colon + 1), 10, 5, 65'535);
  if (!port) return std::nullopt;
  SocketAddress address;
  address.port = static_cast<std::uint16_t>(*port);
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    address.family = SocketAddress::Family::v6;
    if (!read_v6(host.substr(1, host.size() - 2), address.host)) return std::nullopt;
  } else if (!read_v4(host, std::span(address.host).first(4))) {
    return std::nullopt;
  }
  return address;
}

std::string to_string(const SocketAddress& address) {
  const std::string port = ":" + std::to_string(address.port);
  if (address.family == SocketAddress::Family::v4) return text_of_v4(std::span(address.host).first(4)) + port;
  return "[" + text_of_v6(address.host) + "]" + port;
}

}  // namespace tenter
