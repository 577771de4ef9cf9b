// Configurations and payloads for the tests of control's machines.
#pragma once
#include <string>
#include <vector>

#include "core/control/executor.hpp"
#include "core/control/hub.hpp"

namespace tenter::control::test {

inline constexpr std::uint64_t session = 0x1122'3344'5566'7788;

inline Blob blob(std::string_view text) { return Blob(text); }
inline Blob sized(std::size_t bytes) {
  return Blob(bytes, [](MutableBytes to) { std::fill(to.begin(), to.end(), std::byte{7}); });
}

inline CallableDigest digest_number(std::uint8_t number) {
  CallableDigest digest{};
  digest[0] = std::byte{number};
  return digest;
}
inline constexpr std::uint8_t echo_number = 1;

// A task for the callable that every executor has.
inline Blob task_payload(std::size_t inline_bytes = 8, std::uint8_t callable = echo_number) {
  TaskCall call;
  call.callable = digest_number(callable);
  const Blob content = sized(inline_bytes);
  call.inline_bytes = content.bytes();
  return write_task(call).value();
}

inline HubConfig hub_config(std::uint32_t executors, std::uint32_t window = 1) {
  HubConfig config;
  config.session = session;
  config.profiles = std::vector<std::string>(executors, "sim");
  config.window = window;
  return config;
}
inline ExecutorConfig executor_config() {
  ExecutorConfig config;
  config.session = session;
  config.callables = {{digest_number(echo_number), blob("builtin:echo"), true}};
  return config;
}

// A callable of the registry, by its number.
inline Blob name_of_callable(std::uint8_t number, CallableKind kind = CallableKind::python_import,
                             TargetRegistry registry = TargetRegistry::task_dispatcher) {
  return write_callable_name({registry, kind, digest_number(number)});
}
inline Blob callable_to_prepare(std::uint8_t number, std::string_view qualified = "module:function") {
  CallablePayload payload;
  payload.name.digest = digest_number(number);
  const Blob bytes(qualified);
  payload.payload = bytes.bytes();
  return write_callable_payload(payload);
}

}  // namespace tenter::control::test
