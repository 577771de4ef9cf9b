// What a rank of a group does from start to end: MPI, the doorbell, the machines Member and (rank 0) Dispatcher on hardware
// parts.
#pragma once
#include <functional>

#include "hw/group/callables.hpp"
#include "hw/group/group_files.hpp"
#include "hw/loop/step_hook.hpp"

namespace tenter::hw {

// The environment of a rank, set by the group's parent; and directory_variable (group_files.hpp).
inline constexpr const char* parent_variable = "TENTER_GROUP_PARENT";  // pid:start_time
inline constexpr const char* world_variable = "TENTER_GROUP_WORLD";    // ranks that the parent asked for

// Serves `callables` until the group ends; the return value is the process's exit code: 0 after an orderly shutdown. To be
// called by main, on its thread, before anything else of the process uses MPI. After TERMINAL it does not return but leaves
// without MPI_Finalize. What goes wrong before the group could know is told on standard error. `hook`: a test's.
// The group's guardian is this call too, in a process of its own that is no rank (guardian.hpp).
int run_member(const Callables& callables, StepHook* hook = nullptr);
// The same with one function for whatever is asked: 32 bytes of digest, or "control/N". Called on a work thread, or on the loop
// when `on_loop` says so.
using ServeCall = std::function<Result<Blob>(const Blob& callable, const Blob& argument)>;
using ServesOnLoop = std::function<bool(const Blob& callable)>;
int run_member(const ServeCall& call, StepHook* hook = nullptr, const ServesOnLoop& on_loop = {});

}  // namespace tenter::hw
