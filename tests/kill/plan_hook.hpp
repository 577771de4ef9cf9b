// The step hook of the kill tests: at its step, the process tells the log and sends the signal. Read from the environment by the
// tests' own ranks; the product does not know the variable.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "core/names.hpp"
#include "hw/loop/step_hook.hpp"
#include "tests/kill/cells.hpp"

namespace tenter::kill_matrix {

inline constexpr const char* plan_variable = "TENTER_KILL_TEST_PLAN";  // cell:log file

std::string plan_text(const Cell& cell, const std::string& log);

class PlanHook final : public hw::StepHook {
 public:
  // Nothing without a plan in the environment, or one that is not this rank's (by PMI_RANK).
  static std::unique_ptr<PlanHook> from_environment();
  void at(std::string_view machine, std::string_view state, std::string_view event) override;

 private:
  PlanHook(Cell cell, Trigger trigger, std::string log) : cell_(cell), trigger_(std::move(trigger)), log_(std::move(log)) {}
  Cell cell_;
  Trigger trigger_;
  std::string log_;
  std::uint32_t seen_ = 0;
};

ProcessId guardian_of(ProcessId parent);

// The victim, as a rank of the group sees it; pid 0 when it is not known.
ProcessId victim_from_rank(Victim victim);

}  // namespace tenter::kill_matrix
