#include "cli/mailbox_tasks.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "core/mailbox/frame.hpp"
#include "hw/os/file.hpp"

namespace tenter::cli {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t tasks_bytes_max = 64 * 1024 * 1024;

Error wrong(std::size_t line, const std::string& key, const std::string& why) {
  return {Status::invalid, "tasks line " + std::to_string(line) + ", " + key + ": " + why};
}

// The first key that stands twice in the object itself; nothing when each stands once. JSON says nothing of it, and parsers keep
// either.
std::optional<std::string> repeated_key(std::string_view text) {
  std::set<std::string> keys;
  std::optional<std::string> repeated;
  const auto look = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key && depth == 1 && !keys.insert(parsed.get<std::string>()).second && !repeated)
      repeated = parsed.get<std::string>();
    return true;
  };
  [[maybe_unused]] const Json parsed = Json::parse(text, look, false);
  return repeated;
}

// An integer that has no 64 bits is taken for a float64 by the parser, and is another number then: nothing when there is none.
std::optional<std::string> huge_integer(std::string_view text) {
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (quoted && text[at] == '\\')
      ++at;
    else if (text[at] == '"')
      quoted = !quoted;
    else if (!quoted && (text[at] == '-' || (text[at] >= '0' && text[at] <= '9'))) {
      const std::size_t end = std::min(text.find_first_not_of("+-.0123456789eE", at), text.size());
      const std::string_view number = text.substr(at, end - at);
      std::uint64_t value = 0;
      std::int64_t negative = 0;
      const bool integer = number.find_first_of(".eE") == std::string_view::npos;
      const auto read = number[0] == '-' ? std::from_chars(number.data(), number.data() + number.size(), negative)
                                         : std::from_chars(number.data(), number.data() + number.size(), value);
      if (integer && read.ec == std::errc::result_out_of_range) return std::string(number);
      at = end - 1;
    }
  }
  return std::nullopt;
}

Result<std::uint64_t> scalar_of(const Json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (value.is_number_integer()) return static_cast<std::uint64_t>(value.get<std::int64_t>());
  if (!value.is_number_float()) return error(Status::invalid, "it is no number");
  const auto real = value.get<double>();
  std::uint64_t bits = 0;
  std::memcpy(&bits, &real, sizeof bits);
  return bits;
}

Result<void> read_worker(const Json& value, TaskLine& task, std::uint32_t ranks) {
  if (value == "any" || value == "all") {
    task.worker = value == "any" ? Worker::any : Worker::all;
    return {};
  }
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= ranks)
    return error(Status::invalid, value.dump() + " is neither \"any\" nor \"all\" nor a rank below " + std::to_string(ranks));
  task.worker = Worker::one;
  task.rank = value.get<std::uint32_t>();
  return {};
}

Result<void> read_key(const std::string& key, const Json& value, TaskLine& task, std::uint32_t ranks) {
  if (key == "callable" && value.is_string()) {
    task.callable = value.get<std::string>();
  } else if (key == "worker") {
    return read_worker(value, task, ranks);
  } else if (key == "scalars" && value.is_array()) {
    if (value.size() > slr3::scalars_max)
      return error(Status::invalid, std::to_string(value.size()) + " are more than " + std::to_string(slr3::scalars_max));
    for (const Json& one : value) {
      auto scalar = scalar_of(one);
      if (!scalar) return tl::unexpected(scalar.error());
      task.task.scalars.push_back(*scalar);
    }
  } else if (key == "data" && value.is_string()) {
    if (const std::size_t bytes = value.get_ref<const std::string&>().size(); bytes > slr3::inline_bytes_max)
      return error(Status::invalid, std::to_string(bytes) + " bytes are more than " + std::to_string(slr3::inline_bytes_max));
    task.task.data = Blob(std::string_view(value.get_ref<const std::string&>()));
  } else if (key == "file" && value.is_string()) {
    const auto content = os::read_file(value.get<std::string>(), slr3::inline_bytes_max);
    if (!content) return tl::unexpected(content.error());
    task.task.data = Blob(std::string_view(*content));
  } else if (key == "deadline_s" && value.is_number() && value.get<double>() >= 0.001 && value.get<double>() <= 86'400) {
    task.deadline_seconds = value.get<double>();
  } else {
    return error(Status::invalid, "unknown key, or a value of the wrong kind: " + value.dump());
  }
  return {};
}

}  // namespace

Result<TaskLine> read_task_line(std::string_view text, std::size_t line, std::uint32_t ranks) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return tl::unexpected(wrong(line, "line", "it is no JSON object"));
  if (const auto twice = repeated_key(text)) return tl::unexpected(wrong(line, *twice, "it is there twice"));
  if (const auto huge = huge_integer(text)) return tl::unexpected(wrong(line, "line", *huge + " is no integer of 64 bits"));
  TaskLine task;
  task.line = line;
  for (const auto& [key, value] : json.items()) {
    if (auto read = read_key(key, value, task, ranks); !read) return tl::unexpected(wrong(line, key, read.error().what));
  }
  if (task.callable.empty()) return tl::unexpected(wrong(line, "callable", "it is missing or empty"));
  if (json.contains("data") && json.contains("file"))
    return tl::unexpected(wrong(line, "data", "there is a file too; only one of them can be the task's data"));
  return task;
}

Result<std::vector<TaskLine>> read_tasks(const std::string& name, std::uint32_t ranks) {
  const std::string who = "tasks " + name;
  const auto content = name == "-" ? os::read_to_end(0, who, tasks_bytes_max) : os::read_file(name, tasks_bytes_max);
  if (!content) return error(content.error().status, name == "-" ? content.error().what : "tasks " + content.error().what);
  std::vector<TaskLine> tasks;
  std::istringstream lines(*content);
  std::string text;
  for (std::size_t line = 1; std::getline(lines, text); ++line) {
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    auto task = read_task_line(text, line, ranks);
    if (!task) return tl::unexpected(task.error());
    tasks.push_back(std::move(*task));
  }
  if (tasks.empty()) return error(Status::invalid, who + ": it holds no task");
  return tasks;
}

}  // namespace tenter::cli
