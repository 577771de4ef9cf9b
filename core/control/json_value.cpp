#include "core/control/json_value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/text.hpp"
#include "core/utf8.hpp"

namespace tenter::json {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Value> whole() {
    Value value;
    skip_space();
    if (!take_value(value, 0)) return fault();
    skip_space();
    if (at_ != text_.size()) return refuse("something follows the value"), fault();
    return value;
  }

 private:
  tl::unexpected<Error> fault() const { return error(Status::invalid, "line " + text_of(fault_line_) + ": " + fault_); }
  bool refuse(std::string why) {
    if (fault_.empty()) {
      fault_ = std::move(why);
      fault_line_ = line_;
    }
    return false;
  }

  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool ended() const { return at_ == text_.size(); }
  void skip_space() {
    for (; !ended() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos; ++at_)
      if (text_[at_] == '\n') ++line_;
  }
  bool take(char token) {
    skip_space();
    if (ended() || text_[at_] != token) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) return refuse("expected a value");
    at_ += wanted.size();
    return true;
  }

  bool take_value(Value& value, std::size_t depth) {
    if (depth > depth_max) return refuse("more than 32 levels");
    value.line = line_;
    switch (next()) {
      case '{':
        return take_object(value, depth);
      case '[':
        return take_array(value, depth);
      case '"':
        value.kind = Kind::string;
        return take_string(value.text);
      case 't':
      case 'f':
        value.kind = Kind::boolean;
        value.boolean = next() == 't';
        return word(value.boolean ? "true" : "false");
      case 'n':
        return word("null");
      default:
        return take_number(value);
    }
  }

  bool take_object(Value& value, std::size_t depth) {
    value.kind = Kind::object;
    ++at_;
    if (take('}')) return true;
    do {
      skip_space();
      if (next() != '"') return refuse("expected a member's name in quotes");
      Member member;
      if (!take_string(member.name)) return false;
      if (value.members.size() == members_max) return refuse("more than 256 members");
      if (value.find(member.name) != nullptr) return refuse("the member '" + member.name + "' is there twice");
      if (!take(':')) return refuse("expected ':' after a member's name");
      skip_space();
      if (!take_value(member.value, depth + 1)) return false;
      value.members.push_back(std::move(member));
    } while (take(','));
    return take('}') || refuse("expected ',' or '}'");
  }

  bool take_array(Value& value, std::size_t depth) {
    value.kind = Kind::array;
    ++at_;
    if (take(']')) return true;
    do {
      skip_space();
      if (!take_value(value.items.emplace_back(), depth + 1)) return false;
    } while (take(','));
    return take(']') || refuse("expected ',' or ']'");
  }

  bool digits() {
    const std::size_t begin = at_;
    while (next() >= '0' && next() <= '9') ++at_;
    return at_ > begin;
  }
  bool take_number(Value& value) {
    const std::size_t begin = at_;
    value.kind = Kind::integer;
    if (next() == '-') ++at_;
    const bool zero = next() == '0';
    const std::size_t first = at_;
    if (!digits()) return refuse("expected a value");
    if (zero && at_ - first > 1) return refuse("a number begins with 0");
    if (next() == '.') {
      value.kind = Kind::real;
      ++at_;
      if (!digits()) return refuse("a number ends with '.'");
    }
    if (next() == 'e' || next() == 'E') {
      value.kind = Kind::real;
      ++at_;
      if (next() == '+' || next() == '-') ++at_;
      if (!digits()) return refuse("an exponent without digits");
    }
    return convert(text_.substr(begin, at_ - begin), value);
  }
  bool convert(std::string_view number, Value& value) {
    const char* const end = number.data() + number.size();
    if (value.kind == Kind::integer && std::from_chars(number.data(), end, value.integer).ec != std::errc{})
      return refuse("the number " + std::string(number.substr(0, 40)) + " does not fit 64 bits");
    if (std::from_chars(number.data(), end, value.real).ec != std::errc{} || !std::isfinite(value.real))
      return refuse("the number " + std::string(number.substr(0, 40)) + " is out of range");
    return true;
  }

  bool take_string(std::string& to) {
    ++at_;
    while (!ended() && text_[at_] != '"') {
      const auto unit = static_cast<unsigned char>(text_[at_]);
      if (unit < 0x20) return refuse("a control character in a string");
      if (unit == '\\') {
        if (!take_escape(to)) return false;
        continue;
      }
      const std::size_t length = utf8_length(text_, at_);
      if (length == 0) return refuse("a string is no UTF-8");
      to.append(text_.substr(at_, length));
      at_ += length;
    }
    if (ended()) return refuse("a string does not end");
    ++at_;
    return true;
  }
  bool hex4(std::uint32_t& unit) {
    const std::string_view number = text_.substr(std::min(at_, text_.size()), 4);
    const auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), unit, 16);
    if (number.size() < 4 || failure != std::errc{} || end != number.data() + 4) return refuse("\\u without four hex digits");
    at_ += 4;
    return true;
  }
  bool take_escape(std::string& to) {
    constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    ++at_;
    const char letter = next();
    ++at_;
    if (letter != 'u') {
      const std::size_t which = letter == '\0' ? std::string_view::npos : letters.find(letter);
      if (which == std::string_view::npos) return refuse("an unknown escape in a string");
      to += meanings[which];
      return true;
    }
    std::uint32_t unit = 0, low = 0;
    if (!hex4(unit)) return false;
    if (unit >= 0xDC00 && unit <= 0xDFFF) return refuse("a lone surrogate in a string");
    if (unit >= 0xD800 && unit <= 0xDBFF) {
      if (text_.substr(std::min(at_, text_.size()), 2) != "\\u") return refuse("a lone surrogate in a string");
      at_ += 2;
      if (!hex4(low)) return false;
      if (low < 0xDC00 || low > 0xDFFF) return refuse("a lone surrogate in a string");
      unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    }
    utf8_append(to, unit);
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1, fault_line_ = 1;
  std::string fault_;
};

}  // namespace

const Value* Value::find(std::string_view name) const {
  const auto found = std::find_if(members.begin(), members.end(), [&](const auto& member) { return member.name == name; });
  return found == members.end() ? nullptr : &found->value;
}

std::string_view kind_text(Kind kind) {
  constexpr std::string_view names[] = {"null", "true or false", "an integer", "a fraction", "a string", "an array", "an object"};
  return names[static_cast<std::size_t>(kind)];
}

Result<Value> parse(std::string_view text) { return Parser(text).whole(); }

}  // namespace tenter::json
