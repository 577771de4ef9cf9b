#include "core/control/topology.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/control/json_value.hpp"
#include "core/json_string.hpp"
#include "core/text.hpp"

namespace tenter::control {
namespace {

using json::Kind;
using json::Value;

// Reads members by name; keeps the first error, and at the end names a member that nobody asked for.
class Members {
 public:
  Members(const Value& value, std::string path) : value_(value), path_(std::move(path)) {
    if (!value.is(Kind::object)) refuse(value.line, path_.empty() ? "the root" : path_, "is not an object");
  }

  const Value* find(std::string_view name, Kind kind) {
    known_.emplace_back(name);
    const Value* const value = value_.find(name);
    if (value == nullptr || value->is(kind)) return value;
    refuse(value->line, field(name),
           "is " + std::string(json::kind_text(value->kind)) + ", expected " + std::string(json::kind_text(kind)));
    return nullptr;
  }
  void text(std::string_view name, std::string& to) {
    if (const Value* const value = find(name, Kind::string)) to = value->text;
  }
  template <class T>
  void integer(std::string_view name, T& to) {
    if (const Value* const value = find(name, Kind::integer)) narrow(*value, field(name), to);
  }
  void time(std::string_view name, Duration& to) {
    const Value* value = value_.find(name);
    value = find(name, value != nullptr && value->is(Kind::integer) ? Kind::integer : Kind::real);
    if (value == nullptr) return;
    if (!(value->real >= 0.001) || !(value->real <= timeout_seconds_max))
      return refuse(value->line, field(name), "is out of range, expected 0.001 to 31536000 seconds");
    to = microseconds(static_cast<std::int64_t>(value->real * 1e6 + 0.5));  // exactly what print_topology() wrote
  }
  void numbers(std::string_view name, std::vector<std::uint32_t>& to) {
    const Value* const list = find(name, Kind::array);
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
      const std::string item = field(name) + "[" + text_of(std::uint64_t{i}) + "]";
      if (!list->items[i].is(Kind::integer))
        return refuse(list->items[i].line, item, "is " + std::string(json::kind_text(list->items[i].kind)));
      narrow(list->items[i], item, to.emplace_back());
    }
  }
  void texts(std::string_view name, std::vector<std::string>& to) {
    const Value* const list = find(name, Kind::array);
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
      if (!list->items[i].is(Kind::string))
        return refuse(list->items[i].line, field(name) + "[" + text_of(std::uint64_t{i}) + "]",
                      "is " + std::string(json::kind_text(list->items[i].kind)) + ", expected a string");
      to.push_back(list->items[i].text);
    }
  }
  void required(std::string_view name) {
    if (value_.find(name) == nullptr) refuse(value_.line, field(name), "is missing");
  }

  // What went wrong first, if anything did.
  std::optional<Error> finish() {
    for (const auto& [name, value] : value_.members)
      if (std::find(known_.begin(), known_.end(), name) == known_.end())
        refuse(value.line, field(name), "is no member of a topology");
    return fault_;
  }
  void refuse(std::uint32_t line, const std::string& field, const std::string& what) {
    if (!fault_) fault_ = Error{Status::invalid, "line " + text_of(line) + ": " + field + ": " + what};
  }
  std::string field(std::string_view name) const { return path_ + std::string(name); }

 private:
  template <class T>
  void narrow(const Value& value, const std::string& field, T& to) {
    if (value.integer < 0 || static_cast<std::uint64_t>(value.integer) > std::numeric_limits<T>::max())
      return refuse(value.line, field, text_of(value.integer) + " is out of range");
    to = static_cast<T>(value.integer);
  }

  const Value& value_;
  std::string path_;
  std::vector<std::string> known_;
  std::optional<Error> fault_;
};

// `explicit_ranks`: whether its global ranks were given.
Result<ExecutorPlace> read_executor(const Value& value, std::size_t i, bool& explicit_ranks) {
  Members members(value, "executors[" + text_of(std::uint64_t{i}) + "].");
  ExecutorPlace executor;
  executor.platform.clear();
  for (const std::string_view name : {"rank", "worker_id", "host", "platform"}) members.required(name);
  members.integer("rank", executor.rank);
  members.integer("worker_id", executor.worker);
  members.text("host", executor.host);
  members.text("platform", executor.platform);
  members.text("runtime", executor.runtime);
  members.numbers("device_ids", executor.devices);
  members.integer("num_sub_workers", executor.sub_workers);
  members.text("comm_profile", executor.profile);
  members.numbers("global_device_ranks", executor.global_ranks);
  explicit_ranks = value.find("global_device_ranks") != nullptr;
  if (auto fault = members.finish()) return tl::unexpected(*fault);
  return executor;
}

// Densely from 0, leaving out those that were given.
void assign_global_ranks(Topology& topology, const std::vector<bool>& given) {
  std::vector<std::uint32_t> taken;
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i]) taken.insert(taken.end(), topology.executors[i].global_ranks.begin(), topology.executors[i].global_ranks.end());
  std::sort(taken.begin(), taken.end());
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < given.size(); ++i)
    for (std::size_t d = 0; !given[i] && d < topology.executors[i].devices.size(); ++d) {
      while (std::binary_search(taken.begin(), taken.end(), next)) ++next;
      topology.executors[i].global_ranks.push_back(next++);
    }
}

// The line of the field that check_topology() names first.
std::uint32_t line_of(const Value& root, std::string_view what) {
  const Value* value = &root;
  std::string_view path = what.substr(0, what.find(':'));
  while (!path.empty()) {
    const std::size_t end = path.find_first_of("[.");
    const Value* const member = value->find(path.substr(0, end));
    if (member == nullptr) break;
    value = member;
    if (end == std::string_view::npos) break;
    path.remove_prefix(end + 1);
    if (what[static_cast<std::size_t>(path.data() - what.data()) - 1] != '[') continue;
    std::size_t index = 0;
    for (; !path.empty() && path.front() != ']'; path.remove_prefix(1))
      index = index * 10 + static_cast<std::size_t>(path.front() - '0');
    if (index >= value->items.size()) break;
    value = &value->items[index];
    path.remove_prefix(std::min<std::size_t>(2, path.size()));
  }
  return value->line;
}

void put(std::string& to, std::string_view name, std::string_view text) {
  json::append_string(to, name);
  to += ": ";
  json::append_string(to, text);
}
std::string list_text(const std::vector<std::uint32_t>& numbers) {
  std::string text = "[";
  for (const std::uint32_t value : numbers) text += (text.size() > 1 ? ", " : "") + text_of(value);
  return text + "]";
}
std::string seconds_text(Duration time) {
  const std::string fraction = text_of(std::uint64_t{1'000'000'000} + static_cast<std::uint64_t>(number(time) % 1'000'000'000));
  return text_of(number(time) / 1'000'000'000) + "." + fraction.substr(1);
}

}  // namespace

Result<Topology> parse_topology(std::string_view text) {
  const auto root = json::parse(text);
  if (!root) return tl::unexpected(root.error());
  Members members(*root, "");
  Topology topology;
  std::uint32_t controller = 0;
  members.integer("controller_rank", controller);
  members.text("controller_host", topology.controller_host);
  members.time("startup_timeout_s", topology.startup_timeout);
  members.time("session_timeout_s", topology.session_timeout);
  members.time("heartbeat_interval_s", topology.heartbeat_interval);
  members.integer("max_pending_frame_bytes", topology.pending_bytes_max);
  members.texts("launcher_args", topology.launcher_arguments);
  members.required("executors");
  const Value* const executors = members.find("executors", Kind::array);
  if (auto fault = members.finish()) return tl::unexpected(*fault);
  if (controller != 0)
    return error(Status::invalid, "line " + text_of(root->find("controller_rank")->line) +
                                      ": controller_rank: " + text_of(controller) + ", the controller is rank 0");
  std::vector<bool> given;
  for (std::size_t i = 0; i < executors->items.size(); ++i) {
    bool explicit_ranks = false;
    auto executor = read_executor(executors->items[i], i, explicit_ranks);
    if (!executor) return tl::unexpected(executor.error());
    topology.executors.push_back(std::move(*executor));
    given.push_back(explicit_ranks);
  }
  assign_global_ranks(topology, given);
  if (auto good = check_topology(topology); !good)
    return error(good.error().status, "line " + text_of(line_of(*root, good.error().what)) + ": " + good.error().what);
  return topology;
}

std::string print_topology(const Topology& topology) {
  std::string text = "{\n  ";
  put(text, "controller_host", topology.controller_host);
  text += ",\n  \"startup_timeout_s\": " + seconds_text(topology.startup_timeout);
  text += ",\n  \"session_timeout_s\": " + seconds_text(topology.session_timeout);
  text += ",\n  \"heartbeat_interval_s\": " + seconds_text(topology.heartbeat_interval);
  text += ",\n  \"max_pending_frame_bytes\": " + text_of(topology.pending_bytes_max) + ",\n  \"launcher_args\": [";
  for (std::size_t i = 0; i < topology.launcher_arguments.size(); ++i) {
    if (i > 0) text += ", ";
    json::append_string(text, topology.launcher_arguments[i]);
  }
  text += "],\n  \"executors\": [";
  for (const ExecutorPlace& e : topology.executors) {
    text += e.rank > 1 ? ",\n    {" : "\n    {";
    text += "\"rank\": " + text_of(e.rank) + ", \"worker_id\": " + text_of(e.worker) + ", ";
    put(text, "host", e.host);
    put(text += ", ", "platform", e.platform);
    put(text += ", ", "runtime", e.runtime);
    put(text += ", ", "comm_profile", e.profile);
    text += ", \"num_sub_workers\": " + text_of(e.sub_workers) + ", \"device_ids\": " + list_text(e.devices) +
            ", \"global_device_ranks\": " + list_text(e.global_ranks) + "}";
  }
  return text + "\n  ]\n}\n";
}

}  // namespace tenter::control
