// A streaming JSON writer: keys in the order in which they are written, numbers formatted the same way everywhere, and a document
// that is closed on every path. What it wrote always parses (RFC 8259), whatever bytes the texts hold.
#pragma once
#include <concepts>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace tenter::report {

enum class JsonStyle : std::uint8_t {
  indented,  // two spaces a level, one member a line
  compact,   // no white space: one document a line in a .jsonl file
};

class JsonWriter {
 public:
  explicit JsonWriter(std::ostream& to, JsonStyle style = JsonStyle::indented) : to_(to), style_(style) {}
  ~JsonWriter() { close(); }
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);  // inside an object, once before each value

  JsonWriter& value(std::string_view text);  // bytes that are no UTF-8 become U+FFFD
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool truth);
  JsonWriter& value(double number);  // shortest text that reads back the same; null for NaN and the infinities
  template <std::integral T>
  JsonWriter& value(T number) {
    if constexpr (std::signed_integral<T>)
      return raw(std::to_string(static_cast<long long>(number)));
    else
      return raw(std::to_string(static_cast<unsigned long long>(number)));
  }
  JsonWriter& null() { return raw("null"); }
  // A 64-bit identity (seed, digest) as text, "0x" and 16 digits: a JSON number above 2^53 does not survive most readers.
  JsonWriter& hex(std::uint64_t identity);

  template <class T>
  JsonWriter& member(std::string_view name, const T& content) {
    return key(name).value(content);
  }

  // Ends every open object and array; a key without a value gets null. For error paths, and by the destructor.
  void close();
  bool at_end() const { return open_.empty() && written_; }

 private:
  struct Level {
    char closing;
    bool empty;
  };
  JsonWriter& raw(std::string_view text);
  JsonWriter& begin(char opening, char closing);
  JsonWriter& end(char closing);
  void before_value();
  void new_line();
  void quote(std::string_view text);

  std::ostream& to_;
  JsonStyle style_;
  std::vector<Level> open_;  // outermost first
  bool key_pending_ = false;
  bool written_ = false;  // the outermost value was begun
};

}  // namespace tenter::report
