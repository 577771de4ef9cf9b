// JSON (RFC 8259) from strangers and from people, as a value with line numbers: bounded in depth, strict in everything. Numbers
// keep whether they were written as integers, because a rank of 1.0 or true is none (X11).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace tenter::json {

enum class Kind : std::uint8_t { null, boolean, integer, real, string, array, object };

struct Member;
struct Value {
  Kind kind = Kind::null;
  std::uint32_t line = 1;  // where it begins
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;  // also of an integer
  std::string text;
  std::vector<Value> items;
  std::vector<Member> members;  // in the order of the text, no name twice

  bool is(Kind wanted) const { return kind == wanted; }
  const Value* find(std::string_view name) const;  // nullptr: no such member
};

struct Member {
  std::string name;
  Value value;
};

inline constexpr std::size_t depth_max = 32;
inline constexpr std::size_t members_max = 256;  // of one object: each name is compared with all before it

// "a string", "an object", for messages.
std::string_view kind_text(Kind kind);

// One value and nothing after it. invalid: "line 3: …", the first error: syntax, a number that no double or 64-bit integer holds
// (1e400), NaN, a name twice in one object, text that is no UTF-8, a lone surrogate, more than
// depth_max levels or members_max members.
Result<Value> parse(std::string_view text);

}  // namespace tenter::json
