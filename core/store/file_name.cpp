#include "core/store/file_name.hpp"

#include "core/text.hpp"
#include "core/utf8.hpp"

namespace tenter::store {
namespace {

constexpr std::string_view digits = "0123456789ABCDEF";

constexpr bool stays(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

tl::unexpected<Error> refused(std::string_view what, std::string_view name, std::string why) {
  return error(Status::invalid, std::string(what) + " '" + utf8_repaired(name.substr(0, 80)) + "': " + std::move(why));
}

std::string bytes_text(std::size_t bytes) { return text_of(std::uint64_t{bytes}) + " bytes"; }

}  // namespace

Result<std::string> record_file_name(std::string_view variable) {
  if (variable.empty()) return refused("variable", variable, "a name has at least one byte");
  if (variable.size() > name_bytes_max)
    return refused("variable", variable,
                   "the name has " + bytes_text(variable.size()) + ", at most " + bytes_text(name_bytes_max));
  if (const std::size_t bad = utf8_run(variable, 0); bad != variable.size())
    return refused("variable", variable, "the name is no UTF-8 at byte " + text_of(std::uint64_t{bad}));
  if (const std::size_t zero = variable.find('\0'); zero != std::string_view::npos)
    return refused("variable", variable, "the name has a zero byte at byte " + text_of(std::uint64_t{zero}));
  std::string name;
  for (const char c : variable) {
    if (stays(c)) {
      name += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    name += '%';
    name += digits[byte >> 4];
    name += digits[byte & 15];
  }
  name += record_suffix;
  if (name.size() > file_name_bytes_max)
    return refused("variable", variable,
                   "its file name would have " + bytes_text(name.size()) + ", at most " + bytes_text(file_name_bytes_max));
  return name;
}

Result<std::string> variable_of_file_name(std::string_view file_name) {
  if (!file_name.ends_with(record_suffix)) return refused("file", file_name, "the name does not end in .record");
  const std::string_view encoded = file_name.substr(0, file_name.size() - record_suffix.size());
  std::string variable;
  for (std::size_t at = 0; at < encoded.size(); ++at) {
    if (encoded[at] != '%') {
      variable += encoded[at];
      continue;
    }
    const std::size_t high = at + 2 < encoded.size() ? digits.find(encoded[at + 1]) : std::string_view::npos;
    const std::size_t low = at + 2 < encoded.size() ? digits.find(encoded[at + 2]) : std::string_view::npos;
    if (high == std::string_view::npos || low == std::string_view::npos)
      return refused("file", file_name, "no %XX at byte " + text_of(std::uint64_t{at}));
    variable += static_cast<char>(high * 16 + low);
    at += 2;
  }
  // One name, one file: what the encoder would have written otherwise is nobody's.
  const auto again = record_file_name(variable);
  if (!again) return tl::unexpected(again.error());
  if (*again != file_name) return refused("file", file_name, "variable '" + utf8_repaired(variable) + "' has another file name");
  return variable;
}

}  // namespace tenter::store
