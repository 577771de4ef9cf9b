#include "cli/mailbox_tasks.hpp"

#include <cstring>
#include <nlohmann/json.hpp>
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
    for (const Json& one : value) {
      auto scalar = scalar_of(one);
      if (!scalar) return tl::unexpected(scalar.error());
      task.task.scalars.push_back(*scalar);
    }
  } else if (key == "data" && value.is_string()) {
    task.task.data = Blob(std::string_view(value.get_ref<const std::string&>()));
  } else if (key == "file" && value.is_string()) {
    const auto content = os::read_file(value.get<std::string>(), mailbox::inline_bytes_max);
    if (!content) return tl::unexpected(content.error());
    task.task.data = Blob(std::string_view(*content));
  } else if (key == "deadline_s" && value.is_number() && value.get<double>() > 0 && value.get<double>() <= 86'400) {
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
