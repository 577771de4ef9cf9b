#include "core/json_string.hpp"

#include <charconv>

#include "core/utf8.hpp"

namespace tenter::json {
namespace {

void append_unit(std::string& to, std::uint32_t unit) {
  constexpr std::string_view digits = "0123456789abcdef";
  to += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) to += digits[(unit >> shift) & 0xF];
}

void append_code_point(std::string& to, std::uint32_t code_point) {
  switch (code_point) {
    case '"':
      to += "\\\"";
      return;
    case '\\':
      to += "\\\\";
      return;
    case '\b':
      to += "\\b";
      return;
    case '\f':
      to += "\\f";
      return;
    case '\n':
      to += "\\n";
      return;
    case '\r':
      to += "\\r";
      return;
    case '\t':
      to += "\\t";
      return;
    default:
      break;
  }
  if (code_point >= 0x20 && code_point < 0x7F) {
    to += static_cast<char>(code_point);
  } else if (code_point < 0x10000) {
    append_unit(to, code_point);
  } else {
    append_unit(to, 0xD800 + ((code_point - 0x10000) >> 10));
    append_unit(to, 0xDC00 + ((code_point - 0x10000) & 0x3FF));
  }
}

// Of a string that is read: neither its end, nor an escape, nor a control.
bool ends_no_run(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; }
// Of a string that is written: it stands for itself.
bool is_plain(char c) { return ends_no_run(c) && static_cast<unsigned char>(c) < 0x7F; }

}  // namespace

void append_string(std::string& to, std::string_view text) {
  to.reserve(to.size() + text.size() + 2);
  to += '"';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t plain_from = at;
    while (at < text.size() && is_plain(text[at])) ++at;
    to += text.substr(plain_from, at - plain_from);
    if (at == text.size()) break;
    const std::size_t length = utf8_length(text, at);
    append_code_point(to, length == 0 ? 0xFFFD : utf8_code_point(text, at, length));
    at += length == 0 ? 1 : length;
  }
  to += '"';
}

void Reader::skip_space() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) ++at_;
}

bool Reader::take(char token) {
  if (!ok_) return false;
  skip_space();
  if (at_ == text_.size() || text_[at_] != token) return false;
  ++at_;
  return true;
}

std::uint32_t Reader::hex4() {
  std::uint32_t value = 0;
  if (text_.size() - at_ < 4) return ok_ = false, 0;
  const char* end = text_.data() + at_ + 4;
  if (std::from_chars(text_.data() + at_, end, value, 16).ptr != end) ok_ = false;
  at_ += 4;
  return value;
}

void Reader::escape(std::string& to) {
  if (at_ == text_.size()) {
    ok_ = false;
    return;
  }
  switch (text_[at_++]) {
    case '"':
      to += '"';
      return;
    case '\\':
      to += '\\';
      return;
    case '/':
      to += '/';
      return;
    case 'b':
      to += '\b';
      return;
    case 'f':
      to += '\f';
      return;
    case 'n':
      to += '\n';
      return;
    case 'r':
      to += '\r';
      return;
    case 't':
      to += '\t';
      return;
    case 'u':
      break;
    default:
      ok_ = false;
      return;
  }
  const std::uint32_t high = hex4();
  const bool pair = high >= 0xD800 && high <= 0xDBFF && text_.substr(at_, 2) == "\\u";
  if (!pair) return utf8_append(to, high);
  const std::size_t before_low = at_;
  at_ += 2;
  const std::uint32_t low = hex4();
  if (low >= 0xDC00 && low <= 0xDFFF) return utf8_append(to, 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
  at_ = before_low;  // not its other half: it is read on its own
  utf8_append(to, 0xFFFD);
}

std::string Reader::string() {
  std::string value;
  expect('"');
  while (ok_) {
    const std::size_t plain_from = at_;
    while (at_ < text_.size() && ends_no_run(text_[at_])) ++at_;
    value += text_.substr(plain_from, at_ - plain_from);
    if (at_ == text_.size() || static_cast<unsigned char>(text_[at_]) < 0x20) {
      ok_ = false;
    } else if (text_[at_++] == '"') {
      break;
    } else {
      escape(value);
    }
  }
  return value;
}

std::int64_t Reader::integer() {
  std::int64_t value = 0;
  if (!ok_) return 0;
  skip_space();
  const char* begin = text_.data() + at_;
  const char* end = text_.data() + text_.size();
  const auto [stop, failure] = std::from_chars(begin, end, value);
  ok_ = failure == std::errc{} && (stop == end || (*stop != '.' && *stop != 'e' && *stop != 'E'));
  at_ += static_cast<std::size_t>(stop - begin);
  return value;
}

bool Reader::at_end() {
  skip_space();
  return ok_ && at_ == text_.size();
}

}  // namespace tenter::json
