#include <algorithm>
#include <charconv>

#include "core/control/topology.hpp"
#include "core/text.hpp"

namespace tenter::control {
namespace {

constexpr std::uint32_t slots_max = 65'536;

tl::unexpected<Error> at_line(std::uint32_t line, const std::string& what) {
  return error(Status::invalid, "host file: line " + text_of(line) + ": " + what);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '_';
}

Result<HostSlots> parse_line(std::string_view text, std::uint32_t line) {
  if (text.ends_with('\r')) return at_line(line, "it ends with a carriage return");
  if (text.empty()) return at_line(line, "it is empty");
  if (text.front() == '#') return at_line(line, "a comment; launchers differ in what they take for one");
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return at_line(line, "no ':' between host and slots");
  HostSlots host{std::string(text.substr(0, colon)), 0};
  if (auto good = check_host_name(host.host); !good) return at_line(line, good.error().what);
  const std::string_view digits = text.substr(colon + 1);
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit))
    return at_line(line, "slots of host " + host.host + " are not a number");
  const auto failure = std::from_chars(digits.data(), digits.data() + digits.size(), host.slots).ec;
  if (failure != std::errc{} || host.slots == 0 || host.slots > slots_max)
    return at_line(line, "slots of host " + host.host + " are " + std::string(digits.substr(0, 20)) + ", expected 1 to 65536");
  return host;
}

}  // namespace

Result<void> check_host_name(std::string_view host) {
  const auto wrong = [&](std::string_view why) -> Result<void> {
    std::string shown;
    for (const char c : host.substr(0, 40)) shown += is_name_character(c) || (c > ' ' && c < 0x7f) ? c : '?';
    return error(Status::invalid, "host '" + shown + (host.size() > 40 ? "...'" : "'") + " " + std::string(why));
  };
  if (host.empty()) return wrong("is empty");
  if (host.size() > host_bytes_max) return wrong("is longer than 255 bytes");
  if (host.front() == '-' || host.front() == '.') return wrong("begins with '-' or '.'");
  if (!std::all_of(host.begin(), host.end(), is_name_character))
    return wrong("has a character that is no letter, digit, '.', '-' or '_'; for an IPv6 address use a name");
  if (std::all_of(host.begin(), host.end(), [](char c) { return c == '0' || c == '.'; }))
    return wrong("is every address of a machine and none of another's");  // P-C9b
  return {};
}

bool is_loopback(std::string_view host) {
  constexpr std::string_view name = "localhost";
  const std::string_view front = host.substr(0, name.size()), rest = host.substr(front.size());
  const auto same = [](char a, char b) { return a == b || (a >= 'A' && a <= 'Z' && a - 'A' + 'a' == b); };
  if (std::equal(front.begin(), front.end(), name.begin(), name.end(), same) && (rest.empty() || rest == ".")) return true;
  return host.starts_with("127.") && std::all_of(host.begin(), host.end(), [](char c) { return is_digit(c) || c == '.'; });
}

std::vector<HostSlots> host_slots(const Topology& topology) {
  std::vector<HostSlots> hosts{{topology.controller_host, 1}};
  for (const ExecutorPlace& executor : topology.executors) {
    if (hosts.back().host == executor.host)
      ++hosts.back().slots;
    else
      hosts.push_back({executor.host, 1});
  }
  return hosts;
}

Result<std::vector<HostSlots>> parse_host_file(std::string_view text) {
  std::vector<HostSlots> hosts;
  if (text.empty()) return at_line(1, "the file is empty");
  for (std::uint32_t line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return at_line(line, "it has no end of line");
    auto host = parse_line(text.substr(0, end), line);
    if (!host) return tl::unexpected(host.error());
    if (std::any_of(hosts.begin(), hosts.end(), [&](const HostSlots& h) { return h.host == host->host; }))
      return at_line(line, "host " + host->host + " is there twice; launchers merge such lines");
    hosts.push_back(std::move(*host));
    text.remove_prefix(end + 1);
  }
  return hosts;
}

std::string print_host_file(const std::vector<HostSlots>& hosts) {
  std::string text;
  for (const HostSlots& host : hosts) text += host.host + ":" + text_of(host.slots) + "\n";
  return text;
}

}  // namespace tenter::control
