// What an executor of `tenter control` can be asked to do: functions by name, found by the SHA-256 of the name, as a TASK carries
// it (spec control.md B2.6).
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/blob.hpp"
#include "core/control/registry.hpp"
#include "core/control/slr3.hpp"
#include "core/error.hpp"

namespace tenter::hw {

// Called on the rank's work thread, one at a time. The task is valid during the call. An error is the task's own: the session
// goes on.
using ControlCallable = std::function<Result<Blob>(const control::TaskCall& task)>;
using ControlCallables = std::vector<std::pair<std::string, ControlCallable>>;

// echo: the inline bytes back. vector_add: they are two vectors of float64, little-endian, one after the other; answers the sum.
// checksum: their SHA-256 as 64 hexadecimal digits. sleep: scalar 0 milliseconds, at most a day. fail: an error with the inline
// bytes as its text.
ControlCallables control_callables();

// echo and fail only copy: the switch to a work thread and back costs more (WorkPart::Prompt).
bool is_prompt(const Blob& callable);

control::CallableDigest digest_of_callable(std::string_view name);
// As an Executor is told of them at its start.
std::vector<control::Callable> registered(const ControlCallables& callables);
// A TASK of that callable. Errors: those of control::check_task(); the text names the callable.
Result<Blob> task_payload(std::string_view callable, const std::vector<std::uint64_t>& scalars, Bytes inline_bytes);
// What the Work port of an executor does: `callable` is a name, `payload` a TASK's.
Result<Blob> run_callable(const ControlCallables& callables, const Blob& callable, const Blob& payload);

}  // namespace tenter::hw
