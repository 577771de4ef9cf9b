// A scenario of plain processes on hardware, for protocols whose registry names no run of their own: every process is a real one,
// forked from this, whose machines act on a real page, real files and timers.
#pragma once
#include "cli/registry.hpp"
#include "sim/protocol.hpp"

namespace tenter::cli {

// Whether the scenario is of plain processes only: one with users or launchers needs a run of its own (Registry::hardware).
bool can_run_on_hardware(const sim::ScenarioFunction& scenario);

// options.requests: how many runs, seeds from options.seed on. A process ends by exit_process or when nothing is left that could
// deliver an event to it; every one must end with code 0 within options.patience. Stops at the first run that fails.
// Precondition: can_run_on_hardware(scenario).
HardwareOutcome run_on_hardware(const sim::ScenarioFunction& scenario, const HardwareOptions& options);

}  // namespace tenter::cli
