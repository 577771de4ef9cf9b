// JSON's lexical parts that core needs for error lists (RFC 8259): strings and integers, written in ASCII, read with bounds.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace tenter::json {

// Appends `text` as a JSON string, quotes included, ASCII only: controls and everything above 0x7E as escapes (\u, with surrogate
// pairs), bytes that are no UTF-8 as \ufffd.
void append_string(std::string& to, std::string_view text);

// Reads from the front. After the first failure every further read fails too, and ok() is false.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  // Skips white space, then takes `token` if it is next; not taking it is no failure.
  bool take(char token);
  void expect(char token) { ok_ = take(token) && ok_; }
  std::string string();    // a lone surrogate becomes U+FFFD
  std::int64_t integer();  // no fraction, no exponent
  bool at_end();           // nothing but white space is left, and all reads succeeded
  bool ok() const { return ok_; }

 private:
  void skip_space();
  std::uint32_t hex4();
  void escape(std::string& to);

  std::string_view text_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace tenter::json
