#include "tests/control_mpi/control_world.hpp"

#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "core/wire.hpp"
#include "hw/group/callables.hpp"

namespace tenter::hw::control_world {
namespace {

std::atomic<std::uint64_t> executed{0};

Blob of_number(std::uint64_t value) { return wire::Writer().u64(value).blob(); }

Callables all_callables() {
  Callables all = builtin_callables();
  const auto scalars_of = [](const Blob& argument) { return read_argument(argument).value().scalars; };
  all.add("numbered", [=](const Blob& argument) -> Result<Blob> {
    const auto scalars = scalars_of(argument);
    return numbered_bytes(scalars.at(0), scalars.at(1));
  });
  all.add("pid", [](const Blob&) -> Result<Blob> { return of_number(static_cast<std::uint64_t>(getpid())); });
  all.add("cpu_us", [](const Blob&) -> Result<Blob> { return of_number(own_cpu_us()); });
  all.add("executed", [](const Blob&) -> Result<Blob> { return of_number(executed.load()); });
  return all;
}

control::CallableDigest digest_of(std::string_view name) {
  return sha256_of(std::as_bytes(std::span(name.data(), name.size()))).value();
}

}  // namespace

Blob numbered_bytes(std::uint64_t which, std::size_t bytes) {
  return Blob(bytes, [&](MutableBytes to) {
    std::uint64_t state = 0x9E3779B97F4A7C15ull * (which + 1);
    for (std::byte& byte : to) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      byte = static_cast<std::byte>(state >> 56);
    }
  });
}

Blob task(std::string_view callable, const std::vector<std::uint64_t>& scalars, Bytes inline_bytes) {
  control::TaskCall call;
  call.callable = digest_of(callable);
  call.scalars = scalars;
  call.inline_bytes = inline_bytes;
  return control::write_task(call).value();
}

std::uint64_t number_in(const Blob& result) {
  return result.size() == 8 ? wire::load<std::uint64_t>(result.bytes().data()) : ~std::uint64_t{0};
}

Result<Blob> call(const Blob& name, const Blob& payload) {
  static const Callables all = all_callables();
  const auto task = control::read_task(payload.bytes());
  if (!task) return tl::unexpected(task.error());
  if (name.text() != "executed" && name.text() != "cpu_us" && name.text() != "pid") executed.fetch_add(1);
  wire::Writer argument;
  argument.u32(static_cast<std::uint32_t>(task->scalars.size()));
  for (const std::uint64_t scalar : task->scalars) argument.u64(scalar);
  argument.bytes(task->inline_bytes);
  return all.run(callable_key(name.text()), argument.blob());
}

control::HubConfig hub_config(std::uint32_t executors) {
  control::HubConfig config;
  config.session = 0x5E55;
  config.profiles.assign(executors, "sim");
  config.window = window;
  config.heartbeat_interval = beat;
  config.silent_ticks_max = silent_beats;
  return config;
}

control::ExecutorConfig executor_config(std::uint32_t rank, std::uint32_t world) {
  control::ExecutorConfig config;
  config.session = 0x5E55;
  config.worker = rank - 1;
  config.world = world;
  config.heartbeat_interval = beat;
  config.silent_ticks_max = 50;  // of the controller: the machine may be busy
  for (const std::string& name : all_callables().names())
    config.callables.push_back({digest_of(name), Blob(std::string_view(name)), true});
  return config;
}

std::uint64_t own_cpu_us() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(used.tv_nsec) / 1'000;
}

bool Judge::expect(bool holds, const std::string& what) {
  if (!holds && ++wrong_ <= 10) std::fprintf(stderr, "%s: wrong: %s\n", scenario_.c_str(), what.c_str());
  return holds;
}

bool Judge::say() const {
  std::printf("%s: %s\n", scenario_.c_str(), wrong_ == 0 ? "passed" : "failed");
  std::fflush(stdout);
  if (afterwards_) afterwards_();
  return wrong_ == 0;
}

}  // namespace tenter::hw::control_world
