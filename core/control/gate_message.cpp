#include "core/control/gate_message.hpp"

#include <algorithm>

#include "core/control/json_value.hpp"
#include "core/json_string.hpp"
#include "core/text.hpp"
#include "core/utf8.hpp"

namespace tenter::control {
namespace {

// An error text may become six times as long in JSON (\u00ff); beside it there are the other members.
constexpr std::size_t error_bytes_max = 8'192;

Blob framed(const std::string& body) {
  return Blob(gate_prefix_bytes + body.size(), [&](MutableBytes to) {
    for (std::size_t i = 0; i < gate_prefix_bytes; ++i) to[i] = static_cast<std::byte>(body.size() >> (8 * (3 - i)));
    std::transform(body.begin(), body.end(), to.begin() + gate_prefix_bytes, [](char c) { return static_cast<std::byte>(c); });
  });
}

void member(std::string& to, std::string_view name, std::string_view text) {
  to += to.empty() ? "{" : ", ";
  json::append_string(to, name);
  to += ": ";
  json::append_string(to, text);
}
void member(std::string& to, std::string_view name, std::uint64_t value) {
  to += to.empty() ? "{" : ", ";
  json::append_string(to, name);
  to += ": " + text_of(value);
}

tl::unexpected<Error> wrong(std::string_view name, std::string_view rule) {
  return error(Status::invalid, "gate message: '" + std::string(name) + "' " + std::string(rule));
}

Result<json::Value> object_of(Bytes body) {
  auto value = json::parse({reinterpret_cast<const char*>(body.data()), body.size()});
  if (!value || !value->is(json::Kind::object)) return error(Status::invalid, "gate message: no JSON object");
  return value;
}

Result<std::string> text_member(const json::Value& object, std::string_view name, std::size_t limit) {
  const json::Value* const value = object.find(name);
  if (value == nullptr) return wrong(name, "is missing");
  if (!value->is(json::Kind::string)) return wrong(name, "is " + std::string(json::kind_text(value->kind)) + ", not a string");
  if (value->text.size() > limit) return wrong(name, "is longer than " + text_of(std::uint64_t{limit}) + " bytes");
  return value->text;
}

Result<std::uint64_t> number_member(const json::Value& object, std::string_view name, std::int64_t limit) {
  const json::Value* const value = object.find(name);
  if (value == nullptr) return wrong(name, "is missing");
  if (!value->is(json::Kind::integer)) return wrong(name, "is " + std::string(json::kind_text(value->kind)) + ", not an integer");
  if (value->integer < 0 || value->integer > limit) return wrong(name, "is out of range");
  return static_cast<std::uint64_t>(value->integer);
}

constexpr std::int64_t number_max = 9'223'372'036'854'775'807;

constexpr std::uint64_t pid_max = 0x7FFF'FFFF;  // more would be negative for kill(2), which then means a group

// Where a member may be missing: the reference does not send it.
Result<std::uint64_t> number_or_0(const json::Value& object, std::string_view name, std::uint64_t most = number_max) {
  if (object.find(name) == nullptr) return std::uint64_t{0};
  return number_member(object, name, most);
}
Result<std::string> text_or_empty(const json::Value& object, std::string_view name, std::size_t limit) {
  if (object.find(name) == nullptr) return std::string();
  return text_member(object, name, limit);
}

Result<GateState> state_of(const std::string& text) {
  for (const GateState state : {GateState::ready, GateState::failed, GateState::joined})
    if (text == to_string(state)) return state;
  return wrong("state", "is not ready, failed or joined");
}

}  // namespace

std::string_view to_string(GateState state) {
  constexpr std::string_view names[] = {"ready", "failed", "joined", "go_mpi"};
  return names[static_cast<std::size_t>(state)];
}

Blob write_gate_report(const GateReport& report) {
  const std::string repaired = utf8_repaired(std::string_view(report.error).substr(0, error_bytes_max + 4));
  std::string body;
  member(body, "token", report.token.text());
  member(body, "rank", report.rank);
  member(body, "state", to_string(report.state));
  member(body, "error", utf8_cut(repaired, error_bytes_max));
  member(body, "pid", report.process.pid);
  member(body, "start_time", report.process.start_time);
  member(body, "host", report.host);
  if (report.version) {
    member(body, "version", *report.version);
    member(body, "features", report.features);
  }
  if (!report.address.empty()) member(body, "address", report.address);
  return framed(body + "}");
}

Blob write_gate_go(std::string_view token, std::string_view address) {
  std::string body;
  member(body, "token", token);
  member(body, "state", to_string(GateState::go));
  if (!address.empty()) member(body, "address", address);
  return framed(body + "}");
}

Result<std::uint32_t> gate_body_bytes(Bytes prefix) {
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < gate_prefix_bytes; ++i) length = (length << 8) | std::to_integer<std::uint32_t>(prefix[i]);
  if (length == 0 || length > gate_message_bytes_max)
    return error(Status::invalid, "gate message: length " + text_of(length) + " at offset 0, expected 1 to 65536");
  return length;
}

Result<GateReport> read_gate_report(Bytes body) {
  const auto object = object_of(body);
  if (!object) return tl::unexpected(object.error());
  const auto token = text_member(*object, "token", gate_token_bytes_max);
  if (!token) return tl::unexpected(token.error());
  const auto rank = number_member(*object, "rank", 0xFFFF'FFFE);
  if (!rank) return tl::unexpected(rank.error());
  const auto state = text_member(*object, "state", 16).and_then(state_of);
  if (!state) return tl::unexpected(state.error());
  const auto error = text_or_empty(*object, "error", gate_message_bytes_max);
  if (!error) return tl::unexpected(error.error());
  const auto pid = number_or_0(*object, "pid", pid_max);
  if (!pid) return tl::unexpected(pid.error());
  const auto start_time = number_or_0(*object, "start_time");
  if (!start_time) return tl::unexpected(start_time.error());
  const auto host = text_or_empty(*object, "host", 255);
  if (!host) return tl::unexpected(host.error());
  const auto version = number_or_0(*object, "version", 0xFFFF'FFFF);
  if (!version) return tl::unexpected(version.error());
  const auto features = number_or_0(*object, "features");
  if (!features) return tl::unexpected(features.error());
  GateReport report{
      Blob(std::string_view(*token)), static_cast<std::uint32_t>(*rank), *state, *error, {*pid, *start_time}, *host};
  if (object->find("version") != nullptr) {
    report.version = static_cast<std::uint32_t>(*version);
    report.features = *features;
  }
  const auto address = text_or_empty(*object, "address", gate_address_bytes_max);
  if (!address) return tl::unexpected(address.error());
  report.address = *address;
  return report;
}

Result<GateGo> read_gate_go(Bytes body) {
  const auto object = object_of(body);
  if (!object) return tl::unexpected(object.error());
  const auto token = text_member(*object, "token", gate_token_bytes_max);
  if (!token) return tl::unexpected(token.error());
  const auto state = text_member(*object, "state", 16);
  if (!state) return tl::unexpected(state.error());
  if (*state != to_string(GateState::go)) return wrong("state", "is not go_mpi");
  const auto address = text_or_empty(*object, "address", gate_address_bytes_max);
  if (!address) return tl::unexpected(address.error());
  return GateGo{Blob(std::string_view(*token)), *address};
}

bool same_token(Bytes a, Bytes b) {
  if (a.size() != b.size()) return false;
  std::byte difference{0};
  for (std::size_t i = 0; i < a.size(); ++i) difference |= a[i] ^ b[i];
  return difference == std::byte{0};
}

}  // namespace tenter::control
