// `tenter control check`: a topology or a host file, judged by the rules of a start (spec control.md B1.4, B4.7; X13, X14).
#include <fmt/format.h>

#include <charconv>
#include <sstream>
#include <vector>

#include "cli/control_commands.hpp"
#include "cli/report/json_writer.hpp"
#include "cli/tell.hpp"
#include "core/control/topology.hpp"
#include "hw/os/file.hpp"

namespace tenter::cli {
namespace {

constexpr std::uint64_t file_bytes_max = 64u << 20;  // the largest topology has some 20 MiB

// What is wrong with a file, apart: "line 7: executors[1].host: …".
struct Fault {
  std::uint64_t line = 0;  // 0: of no line
  std::string field;       // empty: of no field
  std::string what;
};

bool is_field(std::string_view text) {
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && c != '_' && c != '.' && c != '[' && c != ']') return false;
  }
  return !text.empty();
}

Fault fault_of(std::string_view text) {
  constexpr std::string_view of_hosts = "host file: ", of_line = "line ";
  Fault fault;
  if (text.starts_with(of_hosts)) text.remove_prefix(of_hosts.size());
  if (text.starts_with(of_line)) {
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + of_line.size(), end, fault.line);
    text = std::string_view(read.ptr, static_cast<std::size_t>(end - read.ptr));
    if (text.starts_with(": ")) text.remove_prefix(2);
  }
  const std::size_t colon = text.find(": ");
  if (colon != std::string_view::npos && is_field(text.substr(0, colon))) {
    fault.field = text.substr(0, colon);
    text.remove_prefix(colon + 2);
  }
  fault.what = text;
  return fault;
}

struct Judged {
  std::string kind;  // topology, hosts
  std::vector<control::HostSlots> hosts;
  std::uint32_t ranks = 0;  // of a topology
  std::string error;
};

std::string kind_of(const ControlCheckOptions& options, std::string_view content) {
  if (options.kind != "auto") return options.kind;
  const std::size_t first = content.find_first_not_of(" \t\r\n");
  const bool begins_as_json = first != std::string_view::npos && (content[first] == '{' || content[first] == '[');
  return begins_as_json || options.file.ends_with(".json") ? "topology" : "hosts";
}

Judged judge(const ControlCheckOptions& options, std::string_view content) {
  Judged judged;
  judged.kind = kind_of(options, content);
  if (judged.kind == "topology") {
    if (const auto topology = control::parse_topology(content)) {
      judged.hosts = control::host_slots(*topology);
      judged.ranks = topology->world();
    } else {
      judged.error = topology.error().what;
    }
  } else if (auto hosts = control::parse_host_file(content)) {
    judged.hosts = std::move(*hosts);
  } else {
    judged.error = hosts.error().what;
  }
  return judged;
}

void write_json(const Context& context, const ControlCheckOptions& options, const Judged& judged) {
  if (context.common.json.empty()) return;
  std::ostringstream text;
  {
    const Fault fault = fault_of(judged.error);
    report::JsonWriter json(text);
    json.begin_object().member("schema", "tenter.control_check/1").member("command", "control check");
    json.member("file", options.file).member("kind", judged.kind);
    json.member("verdict", judged.error.empty() ? "pass" : "fail");
    json.member("line", fault.line).member("field", fault.field).member("error", fault.what);
    json.key("hosts").begin_array();
    for (const control::HostSlots& host : judged.hosts)
      json.begin_object().member("host", host.host).member("slots", host.slots).end_object();
    json.end_array().end_object();
  }
  write_result_text(context, text.str() + "\n", "");
}

std::string hosts_text(const Judged& judged) {
  std::string text;
  for (const control::HostSlots& host : judged.hosts)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ", ", host.host, host.slots);
  return text;
}

}  // namespace

int control_check(const Context& context, const ControlCheckOptions& options) {
  watch_interrupt();
  const auto content = os::read_file(options.file, file_bytes_max);
  if (!content) return usage_error("topology or host file " + content.error().what);
  const Judged judged = judge(options, *content);
  write_json(context, options, judged);
  if (!judged.error.empty()) {
    tell("{}: {}: {}\n", program_name(), shown_text(options.file), shown_text(judged.error));
    return control_exit::failed;
  }
  if (context.human_output()) {
    const std::string ranks = judged.ranks == 0 ? "" : fmt::format("{} ranks, ", judged.ranks);
    fmt::print("{}: ok: {} of {}{}\n", shown_text(options.file), judged.kind == "topology" ? "topology" : "host file", ranks,
               hosts_text(judged));
  }
  return control_exit::all_ok;
}

}  // namespace tenter::cli
