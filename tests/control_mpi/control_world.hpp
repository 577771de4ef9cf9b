// One control world under mpiexec for a scenario: rank 0 is given to it, the others serve.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/control/controller.hpp"
#include "hw/control/mpi_carrier.hpp"

namespace tenter::hw::control_world {

inline constexpr std::uint32_t window = 4;
inline constexpr Duration beat = milliseconds(200);
inline constexpr std::uint32_t silent_beats = 4;

// Bytes by which each task is known.
Blob numbered_bytes(std::uint64_t which, std::size_t bytes);
Blob task(std::string_view callable, const std::vector<std::uint64_t>& scalars = {}, Bytes inline_bytes = {});
std::uint64_t number_in(const Blob& result);

// echo, fail, sleep_ms and vector_add of hw/group/callables.hpp; numbered (which, bytes): numbered_bytes(); pid; cpu_us: of the
// process so far; executed: tasks of this rank but for these questions.
Result<Blob> call(const Blob& name, const Blob& payload);
control::HubConfig hub_config(std::uint32_t executors);
control::ExecutorConfig executor_config(std::uint32_t rank, std::uint32_t world);

std::uint64_t own_cpu_us();

// Says what is wrong, once it is.
class Judge {
 public:
  explicit Judge(std::string scenario) : scenario_(std::move(scenario)) {}
  bool expect(bool holds, const std::string& what);
  // What must not happen before say() has printed: it can end this process.
  void after_the_verdict(std::function<void()> act) { afterwards_ = std::move(act); }
  // The last line, after which nothing more can go wrong. True when nothing did.
  bool say() const;

 private:
  std::string scenario_;
  std::function<void()> afterwards_;
  std::uint32_t wrong_ = 0;
};

}  // namespace tenter::hw::control_world
