// Which ranks run where: read, checked and printed. Spec B1.4; X13, B36, B41: everything is judged before anything is created,
// and every refusal names line and field.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/control/slr3.hpp"
#include "core/describe.hpp"
#include "core/error.hpp"
#include "core/names.hpp"

namespace tenter::control {

struct ExecutorPlace {
  std::uint32_t rank = 1;
  std::uint32_t worker = 0;  // rank - 1
  std::string host = "localhost";
  std::string platform = "cpu";
  std::string runtime = "tensormap_and_ringbuffer";
  std::vector<std::uint32_t> devices = {};
  std::uint32_t sub_workers = 0;
  std::string profile = "sim";
  std::vector<std::uint32_t> global_ranks = {};  // one a device, unique over all executors
  friend bool operator==(const ExecutorPlace&, const ExecutorPlace&) = default;
  TENTER_DESCRIBE(executor_place, rank, worker, host, platform, runtime, devices, sub_workers, profile, global_ranks)
};

struct Topology {
  std::string controller_host = "localhost";  // of rank 0
  std::vector<ExecutorPlace> executors;       // ranks 1..N in order
  // Whole microseconds.
  Duration startup_timeout = seconds(60), session_timeout = seconds(30), heartbeat_interval = seconds(1);
  std::uint64_t pending_bytes_max = 64u << 20;  // never below one largest frame
  std::vector<std::string> launcher_arguments;
  std::uint32_t world() const { return static_cast<std::uint32_t>(executors.size()) + 1; }
  friend bool operator==(const Topology&, const Topology&) = default;
  TENTER_DESCRIBE(topology, controller_host, executors, startup_timeout, session_timeout, heartbeat_interval, pending_bytes_max,
                  launcher_arguments)
};

inline constexpr std::uint32_t executors_max = 65'535;
inline constexpr std::uint32_t host_bytes_max = 255, name_bytes_max = 255;
inline constexpr std::uint32_t timeout_seconds_max = 31'536'000;  // a year; a millisecond at least

// "line 7: executors[1].host: '…' …". Unknown members are refused: a misspelt one would silently be its default.
Result<Topology> parse_topology(std::string_view text);
// The same rules for one that was made in memory; texts name the field.
Result<void> check_topology(const Topology& topology);
// A file that parse_topology() gives back as it is.
std::string print_topology(const Topology& topology);

// One machine as its launcher is given it: consecutive ranks of one host.
struct HostSlots {
  std::string host;
  std::uint32_t slots = 1;
  friend bool operator==(const HostSlots&, const HostSlots&) = default;
};
std::vector<HostSlots> host_slots(const Topology& topology);

// Host files, "host:slots" a line (B4.7; X14). Hydra itself divides by 0 for the slots of some of what is refused here.
Result<std::vector<HostSlots>> parse_host_file(std::string_view text);
std::string print_host_file(const std::vector<HostSlots>& hosts);

// Letters, digits, '.', '-', '_'; at most 255; not beginning with '-' or '.'. The text says what is wrong with it.
Result<void> check_host_name(std::string_view host);
bool is_loopback(std::string_view host);  // "localhost", 127.x.x.x

}  // namespace tenter::control
