#include "hw/control/builtin_callables.hpp"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/control/supervisor_values.hpp"
#include "core/wire.hpp"
#include "hw/group/sha256.hpp"
#include "hw/os/status.hpp"
#include "hw/posix/descriptor.hpp"

namespace tenter::hw {
namespace {

constexpr std::uint64_t longest_sleep_ms = 86'400'000;  // a day

Result<Blob> echo(const control::TaskCall& task) { return Blob(task.inline_bytes); }

Result<Blob> fail(const control::TaskCall& task) {
  const std::string text(reinterpret_cast<const char*>(task.inline_bytes.data()), task.inline_bytes.size());
  return error(Status::failed, text.empty() ? "asked to fail" : text);
}

Result<Blob> checksum(const control::TaskCall& task) {
  const auto digest = sha256_of(task.inline_bytes);
  if (!digest) return tl::unexpected(digest.error());
  return Blob(std::string_view(control::hex_text(*digest)));
}

Result<Blob> sleep(const control::TaskCall& task) {
  if (task.scalars.size() != 1 || task.scalars[0] > longest_sleep_ms)
    return error(Status::invalid, "one scalar is wanted, the milliseconds, at most 86400000");
  const Descriptor timer(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
  if (!timer) return os::system_error("timerfd_create", errno);
  if (task.scalars[0] == 0) return Blob();  // a timer of 0 would never fire
  itimerspec once{};
  once.it_value.tv_sec = static_cast<time_t>(task.scalars[0] / 1000);
  once.it_value.tv_nsec = static_cast<long>(task.scalars[0] % 1000) * 1'000'000;
  if (timerfd_settime(timer.get(), 0, &once, nullptr) != 0) return os::system_error("timerfd_settime", errno);
  std::uint64_t fired = 0;
  while (read(timer.get(), &fired, sizeof fired) < 0) {  // a signal does not end the task early
    if (errno != EINTR) return os::system_error("read of a timer", errno);
  }
  return Blob();
}

double float64_at(Bytes bytes, std::size_t index) {
  const auto bits = wire::load<std::uint64_t>(bytes.data() + index * 8);
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

Result<Blob> vector_add(const control::TaskCall& task) {
  const Bytes bytes = task.inline_bytes;
  if (bytes.size() % 16 != 0)
    return error(Status::invalid, std::to_string(bytes.size()) + " bytes are not two vectors of float64 of one length");
  const std::size_t rows = bytes.size() / 16;
  return Blob(rows * 8, [&](MutableBytes to) {
    for (std::size_t i = 0; i < rows; ++i) {
      const double sum = float64_at(bytes, i) + float64_at(bytes, rows + i);
      std::uint64_t bits = 0;
      std::memcpy(&bits, &sum, sizeof bits);
      wire::store(to.data() + i * 8, bits);
    }
  });
}

}  // namespace

ControlCallables control_callables() {
  return {{"echo", echo}, {"vector_add", vector_add}, {"checksum", checksum}, {"sleep", sleep}, {"fail", fail}};
}

bool is_prompt(const Blob& callable) { return callable.text() == "echo" || callable.text() == "fail"; }

control::CallableDigest digest_of_callable(std::string_view name) {
  return sha256_of(std::as_bytes(std::span(name.data(), name.size()))).value();
}

std::vector<control::Callable> registered(const ControlCallables& callables) {
  std::vector<control::Callable> all;
  for (const auto& [name, callable] : callables) all.push_back({digest_of_callable(name), Blob(std::string_view(name)), true});
  return all;
}

Result<Blob> task_payload(std::string_view callable, const std::vector<std::uint64_t>& scalars, Bytes inline_bytes) {
  control::TaskCall task;
  task.callable = digest_of_callable(callable);
  task.scalars = scalars;
  task.inline_bytes = inline_bytes;
  auto payload = control::write_task(task);
  if (!payload) return error(payload.error().status, "task " + std::string(callable) + ": " + payload.error().what);
  return payload;
}

Result<Blob> run_callable(const ControlCallables& callables, const Blob& callable, const Blob& payload) {
  const auto found =
      std::find_if(callables.begin(), callables.end(), [&](const auto& one) { return one.first == callable.text(); });
  if (found == callables.end()) return error(Status::not_found, "there is no callable " + std::string(callable.text()));
  const auto task = control::read_task(payload.bytes());
  if (!task) return tl::unexpected(task.error());
  return found->second(*task);
}

}  // namespace tenter::hw
