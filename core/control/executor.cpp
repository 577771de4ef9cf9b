#include "core/control/executor.hpp"

namespace tenter::control {

Executor::Executor(ExecutorConfig config) : config_(std::move(config)), registry_(config_.callables) {
  TENTER_CHECK(config_.session != 0 && config_.queued_max >= 1 && number(config_.heartbeat_interval) > 0);
}

// What the first task runs; or why it cannot.
Result<Blob> Executor::callable_of(const QueuedCommand& command) const {
  const auto task = read_task(command.payload.bytes());
  if (!task) return tl::unexpected(task.error());
  const Callable* const callable = registry_.committed(task->callable);
  if (!callable) return error(Status::not_found, "callable " + digest_text(task->callable) + " is not registered");
  for (std::size_t i = 0; i < task->tensors.size(); ++i) {
    const auto& descriptor = task->tensors[i].descriptor;
    if (!descriptor) return error(Status::invalid, "tensor " + text_of(std::uint64_t{i}) + " has no descriptor");
    if (descriptor->space != AddressSpace::host_inline)
      return error(Status::unavailable, "unsupported: tensor " + text_of(std::uint64_t{i}) + " is in the memory of a device");
  }
  return callable->callable;
}

// The five of the registry; the others move device memory, and there is none.
Result<void> Executor::apply(const ControlCall& call) {
  const std::uint32_t expected = call.name == ControlName::comm_init ? domain_control_version : control_version;
  if (call.version != expected)
    return error(Status::mismatch,
                 std::string(to_string(call.name)) + " has version " + text_of(call.version) + ", expected " + text_of(expected));
  if (call.name == ControlName::prepare_register_callable) {
    const auto payload = read_callable_payload(call.command);
    return payload ? registry_.prepare(*payload) : Result<void>(tl::unexpected(payload.error()));
  }
  if (number(call.name) > number(ControlName::prepare_callable))
    return error(Status::unavailable, "unsupported: " + std::string(to_string(call.name)) + " needs a device");
  const auto callable = read_callable_name(call.command);
  if (!callable) return tl::unexpected(callable.error());
  switch (call.name) {
    case ControlName::unregister_callable:
      return registry_.unregister(*callable);
    case ControlName::commit_register_callable:
      return registry_.commit(*callable);
    case ControlName::abort_register_callable:
      return registry_.abort(*callable);
    default:
      return registry_.is_ready(*callable);
  }
}

}  // namespace tenter::control
