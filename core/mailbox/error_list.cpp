#include "core/mailbox/error_list.hpp"

#include <limits>
#include <optional>
#include <string_view>

#include "core/json_string.hpp"
#include "core/text.hpp"
#include "core/utf8.hpp"

namespace tenter::mailbox {
namespace {

// `text` itself when there is nothing to repair or to cut, else what `repaired` then holds.
std::string_view capped(std::string_view text, std::size_t limit, std::string& repaired) {
  constexpr std::string_view mark = " [truncated]";
  if (text.size() <= limit && utf8_run(text, 0) == text.size()) return text;
  // What is behind the limit is only looked at to see that there is something: a repaired text is never shorter.
  repaired = utf8_repaired(text.substr(0, limit + 1));
  if (repaired.size() <= limit) return repaired;
  repaired.resize(utf8_cut(repaired, limit - mark.size()).size());
  return repaired += mark;
}

void append_encoded(std::string& to, const RankError& error) {
  std::string repaired;
  to += "{\"error_type\": ";
  json::append_string(to, capped(error.type, error_type_bytes_max, repaired));
  to += ", \"message\": ";
  json::append_string(to, capped(error.message, error_message_bytes_max, repaired));
  to += ", \"rank\": ";
  to += text_of_number(std::int64_t{error.rank});
  to += '}';
}

std::string sentinel(std::size_t dropped) {
  std::string text;
  append_encoded(
      text, {no_culprit, "TruncatedErrorList", text_of_number(std::uint64_t{dropped}) + " more rank errors were dropped", false});
  return text;
}

void repair(std::string& text) {
  if (utf8_run(text, 0) != text.size()) text = utf8_repaired(text);
}

std::optional<RankError> read_entry(json::Reader& reader) {
  RankError error;
  bool type = false, message = false, rank = false;
  reader.expect('{');
  do {
    const std::string key = reader.string();
    reader.expect(':');
    if (key == "error_type" && !type) {
      error.type = reader.string();
      type = true;
    } else if (key == "message" && !message) {
      error.message = reader.string();
      message = true;
    } else if (key == "rank" && !rank) {
      const std::int64_t value = reader.integer();
      if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max()) return {};
      error.rank = static_cast<std::int32_t>(value);
      rank = true;
    } else {
      return {};
    }
  } while (reader.take(','));
  reader.expect('}');
  if (!reader.ok() || !type || !message || !rank) return {};
  repair(error.type);
  repair(error.message);
  return error;
}

std::optional<std::vector<RankError>> read_list(std::string_view text) {
  json::Reader reader(text);
  std::vector<RankError> errors;
  reader.expect('[');
  if (!reader.ok()) return {};
  if (!reader.take(']')) {
    do {
      auto entry = read_entry(reader);
      if (!entry) return {};
      errors.push_back(std::move(*entry));
    } while (reader.take(','));
    reader.expect(']');
  }
  if (!reader.at_end()) return {};
  return errors;
}

}  // namespace

Blob encode_error_list(const std::vector<RankError>& errors) {
  constexpr std::string_view separator = ", ";
  std::vector<std::size_t> ends;  // of the text with the first n entries
  std::string text = "[";
  for (const RankError& error : errors) {
    if (text.size() > error_list_bytes_max) break;
    if (!ends.empty()) text += separator;
    append_encoded(text, error);
    ends.push_back(text.size());
  }
  if (ends.size() == errors.size() && text.size() < error_list_bytes_max) return Blob(std::string_view(text += ']'));
  std::size_t kept = ends.size();
  std::string last;
  do {
    --kept;
    last = (kept == 0 ? "" : std::string(separator)) + sentinel(errors.size() - kept) + ']';
    text.resize(kept == 0 ? 1 : ends[kept - 1]);
  } while (text.size() + last.size() > error_list_bytes_max);
  return Blob(std::string_view(text += last));
}

Blob encode_error(std::int32_t rank, std::string type, std::string message) {
  return encode_error_list({RankError{rank, std::move(type), std::move(message), false}});
}

std::vector<RankError> decode_error_list(Bytes blob) {
  if (blob.empty()) return {};
  const std::string_view text(reinterpret_cast<const char*>(blob.data()), blob.size());
  if (auto errors = read_list(text)) return std::move(*errors);
  return {RankError{no_culprit, "TerminalReason", utf8_repaired(text), false}};
}

std::string text_of_errors(const std::vector<RankError>& errors) {
  std::string text;
  for (const RankError& error : errors) {
    if (!text.empty()) text += "; ";
    if (error.rank >= 0) text += "rank " + text_of_number(std::int64_t{error.rank}) + ": ";
    text += error.type + ": " + error.message;
  }
  return text;
}

}  // namespace tenter::mailbox
