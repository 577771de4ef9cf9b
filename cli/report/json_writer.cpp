#include "cli/report/json_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "core/check.hpp"
#include "core/json_string.hpp"
#include "core/text.hpp"

namespace tenter::report {

JsonWriter& JsonWriter::begin_object() { return begin('{', '}'); }
JsonWriter& JsonWriter::end_object() { return end('}'); }
JsonWriter& JsonWriter::begin_array() { return begin('[', ']'); }
JsonWriter& JsonWriter::end_array() { return end(']'); }

JsonWriter& JsonWriter::key(std::string_view name) {
  TENTER_CHECK(!open_.empty() && open_.back().closing == '}');
  TENTER_CHECK(!key_pending_);
  if (!open_.back().empty) to_ << ',';
  open_.back().empty = false;
  new_line();
  quote(name);
  to_ << (style_ == JsonStyle::indented ? ": " : ":");
  key_pending_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  before_value();
  quote(text);
  return *this;
}

JsonWriter& JsonWriter::value(bool truth) { return raw(truth ? "true" : "false"); }

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return raw(std::string_view(buffer.data(), result.ptr));
}

JsonWriter& JsonWriter::hex(std::uint64_t identity) { return value(std::string_view(text_of_hex(identity))); }

void JsonWriter::close() {
  if (key_pending_) null();
  while (!open_.empty()) end(open_.back().closing);
}

JsonWriter& JsonWriter::raw(std::string_view text) {
  before_value();
  to_ << text;
  return *this;
}

JsonWriter& JsonWriter::begin(char opening, char closing) {
  before_value();
  to_ << opening;
  open_.push_back({closing, true});
  return *this;
}

JsonWriter& JsonWriter::end(char closing) {
  TENTER_CHECK(!open_.empty() && open_.back().closing == closing);
  TENTER_CHECK(!key_pending_);
  const bool empty = open_.back().empty;
  open_.pop_back();
  if (!empty) new_line();
  to_ << closing;
  if (open_.empty()) to_ << '\n';
  return *this;
}

void JsonWriter::before_value() {
  if (open_.empty()) {
    TENTER_CHECK(!written_);  // one value a document
    written_ = true;
    return;
  }
  if (open_.back().closing == '}') {
    TENTER_CHECK(key_pending_);
    key_pending_ = false;
    return;
  }
  if (!open_.back().empty) to_ << ',';
  open_.back().empty = false;
  new_line();
}

void JsonWriter::new_line() {
  if (style_ == JsonStyle::compact) return;
  to_ << '\n';
  for (std::size_t level = 0; level < open_.size(); ++level) to_ << "  ";
}

void JsonWriter::quote(std::string_view text) {
  std::string quoted;
  json::append_string(quoted, text);
  to_ << quoted;
}

}  // namespace tenter::report
