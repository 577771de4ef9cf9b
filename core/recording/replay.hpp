// Isolated replay: every machine of a process is fed what the recording says it was told, and must answer with the same actions.
// Nothing else of the world is needed; other processes are not run.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine.hpp"
#include "core/recording/log.hpp"

namespace tenter::recording {

struct Difference {
  std::uint64_t step = 0;  // 0-based record
  Role role{};
  std::string event;                    // as text
  std::uint32_t expected = 0, got = 0;  // short digests of the actions: recorded, replayed
  std::string actions;                  // replayed, as text
  std::string state;                    // of the machine, before the event
};

struct ReplayResult {
  std::uint64_t steps = 0;  // records that were fed and agreed
  std::optional<Difference> difference;
  std::optional<Error> damage;  // the log cannot be read further: where and why
  bool cut = false;             // that is all: the log ends inside a record, every record before it is whole
  bool complete = false;        // the log has its end; else the process was killed
  bool equal() const { return !difference && (!damage || cut); }
};

std::string text_of_actions(const std::vector<Action>& actions);  // "none" without any

// The short digest of actions in their order, as Traced (core/traced.hpp) and short_digest make it.
std::uint32_t digest_of_actions(const std::vector<Action>& actions);

// One record that was fed and agreed.
struct ReplayStep {
  Role role{};
  std::string_view machine, state;  // before the event
  const Event& event;
  const std::vector<Action>& actions;
};
using ReplayObserver = std::function<void(const ReplayStep&)>;

// machines[i] plays role i. Stops at the first difference. `observer` may be empty.
ReplayResult replay(LogReader& log, std::vector<AnyMachine>& machines, const ReplayObserver& observer = {});

}  // namespace tenter::recording
