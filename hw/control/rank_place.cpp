#include "hw/control/rank_place.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <optional>

#include "core/control/launcher.hpp"
#include "hw/group/parent_watch.hpp"
#include "hw/posix/host_part.hpp"

namespace tenter::hw {
namespace {

Result<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0')
    return error(Status::invalid, std::string("start: the environment has no ") + name +
                                      "; ranks are started by `tenter control run`, not by hand");
  return std::string(value);
}

template <class T>
bool read_number(std::string_view text, T& to, int base = 10) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), to, base);
  return !text.empty() && read.ec == std::errc{} && read.ptr == text.data() + text.size();
}

tl::unexpected<Error> no_order(std::string_view word) {
  return error(Status::invalid, std::string("start: ") + order_variable + " has no good '" + std::string(word) + "'");
}

}  // namespace

ProcessId own_process() {
  const auto pid = static_cast<std::uint64_t>(getpid());
  return {pid, start_time_of(pid)};
}

std::string own_host() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

// The folder is last, because a blank may be in it.
std::string write_rank_order(const RankOrder& order) {
  std::array<char, 17> session{};
  (void)std::to_chars(session.data(), session.data() + session.size() - 1, order.session, 16);
  return "transport=" + std::string(to_string(order.transport)) + " session=" + session.data() +
         " window=" + std::to_string(order.window) + " supervisor=" + write_process_id(order.supervisor) + " host=" + order.host +
         " folder=" + order.folder;
}

Result<RankOrder> read_rank_order(std::string_view text) {
  const auto word = [&](std::string_view name, bool last = false) -> std::optional<std::string_view> {
    const std::string head = std::string(name) + "=";
    if (!text.starts_with(head)) return std::nullopt;
    text.remove_prefix(head.size());
    const std::size_t end = last ? text.size() : std::min(text.find(' '), text.size());
    const std::string_view value = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return value;
  };
  RankOrder order;
  const auto transport = word("transport");
  if (transport != "mpi" && transport != "tcp") return no_order("transport");
  order.transport = transport == "mpi" ? ControlTransport::mpi : ControlTransport::tcp;
  if (!read_number(word("session").value_or(""), order.session, 16) || order.session == 0) return no_order("session");
  if (!read_number(word("window").value_or(""), order.window) || order.window == 0) return no_order("window");
  const auto supervisor = read_process_id(word("supervisor").value_or(""));
  if (!supervisor) return no_order("supervisor");
  order.supervisor = *supervisor;
  const auto host = word("host");
  if (!host) return no_order("host");
  order.host = *host;
  const auto folder = word("folder", true);
  if (!folder || !folder->starts_with('/')) return no_order("folder");
  order.folder = *folder;
  return order;
}

Result<std::uint32_t> rank_by_launcher() {
  const char* const ours[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "MV2_COMM_WORLD_RANK"};
  std::optional<std::uint32_t> rank;
  const char* said_by = nullptr;
  const auto look = [&](const char* name) -> Result<void> {
    const char* const text = std::getenv(name);
    if (text == nullptr) return {};
    std::uint32_t value = 0;
    if (!read_number(std::string_view(text), value)) return error(Status::invalid, std::string("start: ") + name + " is no rank");
    if (rank && *rank != value)
      return error(Status::mismatch, std::string("start: ") + said_by + " and " + name + " are two ranks");
    rank = value;
    said_by = name;
    return {};
  };
  for (const char* name : ours)
    if (auto good = look(name); !good) return tl::unexpected(good.error());
  if (!rank)
    if (auto good = look("SLURM_PROCID"); !good) return tl::unexpected(good.error());
  if (!rank) return error(Status::not_found, "start: no launcher has told this process its rank (PMI_RANK and the like)");
  return *rank;
}

Result<RankPlace> rank_place() {
  RankPlace place;
  auto token = variable(control::token_variable.data());
  (void)unsetenv(control::token_variable.data());
  if (!token) return tl::unexpected(token.error());
  place.token = control::Hidden(*token);
  auto gate = variable(control::gate_variable.data());
  if (!gate) return tl::unexpected(gate.error());
  place.gate = std::move(*gate);
  auto order = variable(order_variable).and_then([](const std::string& text) { return read_rank_order(text); });
  if (!order) return tl::unexpected(order.error());
  place.order = std::move(*order);
  auto topology = variable(topology_variable).and_then([](const std::string& text) { return control::parse_topology(text); });
  if (!topology) return error(topology.error().status, std::string(topology_variable) + ": " + topology.error().what);
  place.topology = std::move(*topology);
  if (const char* record = std::getenv(record_variable)) place.record = record;
  const auto rank = rank_by_launcher();
  if (!rank) return tl::unexpected(rank.error());
  if (*rank >= place.topology.world())
    return error(Status::mismatch, "start: the launcher says rank " + std::to_string(*rank) + ", the topology has " +
                                       std::to_string(place.topology.world()));
  place.rank = *rank;
  return place;
}

Result<std::vector<std::pair<std::string, std::string>>> rank_environment(const RankOrder& order,
                                                                          const control::Topology& topology) {
  std::string line = control::print_topology(topology);
  std::replace(line.begin(), line.end(), '\n', ' ');  // names hold none, so only between members
  if (line.size() > topology_bytes_max)
    return error(Status::no_space, "the topology has " + std::to_string(line.size()) + " bytes as one line, ranks take at most " +
                                       std::to_string(topology_bytes_max));
  return std::vector<std::pair<std::string, std::string>>{{order_variable, write_rank_order(order)}, {topology_variable, line}};
}

}  // namespace tenter::hw
