#include "sim/tape.hpp"

#include <charconv>
#include <vector>

#include "core/text.hpp"

namespace tenter::sim {
namespace {

constexpr std::string_view magic = "tenter.tape/1";

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t end = line.find(' ');
    if (end != 0) words.push_back(line.substr(0, end));
    line = end == std::string_view::npos ? std::string_view{} : line.substr(end + 1);
  }
  return words;
}

template <class T>
bool number_from(std::string_view text, T& value, int base = 10) {
  if (base == 16 && text.starts_with("0x")) text.remove_prefix(2);
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return result.ec == std::errc{} && result.ptr == text.data() + text.size();
}

}  // namespace

std::string encode_tape(const Tape& tape) {
  std::string text(magic);
  text += "\nprotocol " + tape.protocol + "\nscenario " + tape.scenario + "\n";
  if (!tape.planted.empty()) text += "planted " + tape.planted + "\n";
  if (!tape.mutant.empty()) text += "mutant " + tape.mutant + "\n";
  if (!tape.property.empty()) text += "property " + tape.property + "\n";
  text +=
      "seed " + text_of_hex(tape.seed) + "\nstep " + std::to_string(tape.step) + "\ndigest " + text_of_hex(tape.digest) + "\n";
  for (const TapeEntry& e : tape.entries)
    text += "choice " + std::string(to_string(e.tag)) + " " + std::to_string(e.entity) + " " + std::to_string(e.index) + " " +
            std::to_string(e.n) + " " + std::to_string(e.answer) + "\n";
  return text;
}

Result<Tape> decode_tape(std::string_view text) {
  Tape tape;
  std::size_t line_number = 0;
  auto refuse = [&](const std::string& why) {
    return error(Status::invalid, "tape, line " + std::to_string(line_number) + ": " + why);
  };
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    ++line_number;
    if (line_number == 1) {
      if (line != magic) return refuse("not a tape of this version (wanted " + std::string(magic) + ")");
      continue;
    }
    if (line.empty()) continue;
    const auto words = words_of(line);
    if (words.empty()) return refuse("blank");
    const std::string_view key = words[0];
    const std::string rest(line.size() > key.size() ? line.substr(key.size() + 1) : std::string_view{});
    bool ok = true;
    if (key == "protocol")
      tape.protocol = rest;
    else if (key == "scenario")
      tape.scenario = rest;
    else if (key == "planted")
      tape.planted = rest;
    else if (key == "mutant")
      tape.mutant = rest;
    else if (key == "property")
      tape.property = rest;
    else if (key == "seed")
      ok = number_from(rest, tape.seed, 16);
    else if (key == "step")
      ok = number_from(rest, tape.step);
    else if (key == "digest")
      ok = number_from(rest, tape.digest, 16);
    else if (key == "choice") {
      TapeEntry e;
      ok = words.size() == 6 && tag_from(words[1], e.tag) && number_from(words[2], e.entity) && number_from(words[3], e.index) &&
           number_from(words[4], e.n) && number_from(words[5], e.answer) && e.answer < e.n && e.answer != 0;
      if (ok && e.entity > 1'000'000) return refuse("entity out of range");
      if (ok) tape.entries.push_back(e);
    } else {
      return refuse("unknown field " + std::string(key));
    }
    if (!ok) return refuse("bad value in field " + std::string(key));
  }
  if (line_number == 0) return refuse("empty");
  return tape;
}

}  // namespace tenter::sim
