#include <algorithm>

#include "core/control/topology.hpp"
#include "core/text.hpp"
#include "core/utf8.hpp"

namespace tenter::control {
namespace {

tl::unexpected<Error> wrong(const std::string& field, const std::string& what) {
  return error(Status::invalid, field + ": " + what);
}
std::string executor_field(std::size_t i, std::string_view field) {
  return "executors[" + text_of(std::uint64_t{i}) + "]." + std::string(field);
}

Result<void> check_time(const std::string& field, Duration time) {
  if (time >= milliseconds(1) && time <= seconds(timeout_seconds_max) && number(time) % 1'000 == 0) return {};
  return wrong(field, text_of(number(time)) + " ns, expected whole microseconds, 0.001 to 31536000 s");
}

Result<void> check_name(const std::string& field, const std::string& text, std::size_t limit = name_bytes_max) {
  if (text.empty()) return wrong(field, "is empty");
  if (text.size() > limit) return wrong(field, "is longer than " + text_of(std::uint64_t{limit}) + " bytes");
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (utf8_run(text, 0) != text.size() || std::any_of(text.begin(), text.end(), control))
    return wrong(field, "has a control character, or is no UTF-8");
  return {};
}

Result<void> check_host(const std::string& field, const std::string& host) {
  if (auto good = check_host_name(host); !good) return wrong(field, good.error().what);
  return {};
}

Result<void> check_executor(const ExecutorPlace& e, std::size_t i) {
  const auto field = [i](std::string_view name) { return executor_field(i, name); };
  if (e.rank != i + 1)
    return wrong(field("rank"), text_of(e.rank) + ", expected " + text_of(std::uint64_t{i + 1}) +
                                    ": ranks are 1 to N in order; 0 is the controller");
  if (e.worker != i)
    return wrong(field("worker_id"), text_of(e.worker) + ", expected " + text_of(std::uint64_t{i}) + ": rank - 1");
  if (auto good = check_host(field("host"), e.host); !good) return good;
  if (auto good = check_name(field("platform"), e.platform); !good) return good;
  if (auto good = check_name(field("runtime"), e.runtime); !good) return good;
  if (auto good = check_name(field("comm_profile"), e.profile, string_bytes_max); !good) return good;
  for (std::size_t d = 0; d < e.devices.size(); ++d)
    if (std::count(e.devices.begin(), e.devices.end(), e.devices[d]) > 1)
      return wrong(field("device_ids"), text_of(e.devices[d]) + " is there twice");
  if (e.global_ranks.size() != e.devices.size())
    return wrong(field("global_device_ranks"),
                 text_of(std::uint64_t{e.global_ranks.size()}) + " for " + text_of(std::uint64_t{e.devices.size()}) + " devices");
  return {};
}

Result<void> check_global_ranks(const Topology& topology) {
  std::vector<std::uint32_t> all;
  for (const ExecutorPlace& e : topology.executors) all.insert(all.end(), e.global_ranks.begin(), e.global_ranks.end());
  std::sort(all.begin(), all.end());
  const auto twice = std::adjacent_find(all.begin(), all.end());
  if (twice == all.end()) return {};
  for (std::size_t i = topology.executors.size(); i-- > 0;) {
    const auto& ranks = topology.executors[i].global_ranks;
    if (std::find(ranks.begin(), ranks.end(), *twice) != ranks.end())
      return wrong(executor_field(i, "global_device_ranks"), text_of(*twice) + " is there twice");
  }
  return {};
}

// P-C8: launchers merge the lines of a host that comes back, so its later ranks would land elsewhere.
Result<void> check_hosts(const Topology& topology) {
  const std::vector<HostSlots> hosts = host_slots(topology);
  std::size_t executor = hosts.front().slots - 1;  // the first one of the next host
  for (std::size_t i = 1; i < hosts.size(); executor += hosts[i++].slots) {
    const auto before = std::find_if(hosts.begin(), hosts.begin() + static_cast<std::ptrdiff_t>(i),
                                     [&](const HostSlots& h) { return h.host == hosts[i].host; });
    if (before != hosts.begin() + static_cast<std::ptrdiff_t>(i))
      return wrong(executor_field(executor, "host"), hosts[i].host + " comes back after another host");
  }
  if (hosts.size() > 1 && is_loopback(topology.controller_host))  // P-C10
    return wrong("controller_host", topology.controller_host + " is this machine's loopback, and there is another host, " +
                                        hosts[1].host + ", which cannot reach it");
  return {};
}

}  // namespace

Result<void> check_topology(const Topology& topology) {
  if (auto good = check_host("controller_host", topology.controller_host); !good) return good;
  if (auto good = check_time("startup_timeout_s", topology.startup_timeout); !good) return good;
  if (auto good = check_time("session_timeout_s", topology.session_timeout); !good) return good;
  if (auto good = check_time("heartbeat_interval_s", topology.heartbeat_interval); !good) return good;
  if (topology.pending_bytes_max < frame_bytes_max || topology.pending_bytes_max > (std::uint64_t{1} << 40))
    return wrong("max_pending_frame_bytes",
                 text_of(topology.pending_bytes_max) + ", expected 16777256 (one largest frame) to 2^40");
  for (std::size_t i = 0; i < topology.launcher_arguments.size(); ++i)
    if (auto good = check_name("launcher_args[" + text_of(std::uint64_t{i}) + "]", topology.launcher_arguments[i], 4'096); !good)
      return good;
  if (topology.executors.empty()) return wrong("executors", "there is none");
  if (topology.executors.size() > executors_max) return wrong("executors", "more than 65535");
  for (std::size_t i = 0; i < topology.executors.size(); ++i)
    if (auto good = check_executor(topology.executors[i], i); !good) return good;
  if (auto good = check_global_ranks(topology); !good) return good;
  return check_hosts(topology);
}

}  // namespace tenter::control
