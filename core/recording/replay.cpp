#include "core/recording/replay.hpp"

#include "core/traced.hpp"

namespace tenter::recording {
namespace {

std::string text_of_state(std::string_view machine, std::string_view state) {
  return std::string(machine) + (state.empty() ? "" : " in ") + std::string(state);
}

}  // namespace

std::string text_of_actions(const std::vector<Action>& actions) {
  std::string text;
  for (const Action& action : actions) text += (text.empty() ? "" : "; ") + text_of(action);
  return text.empty() ? "none" : text;
}

std::uint32_t digest_of_actions(const std::vector<Action>& actions) {
  Digest digest;
  for (const Action& action : actions) std::visit([&](const auto& a) { digest_action(digest, a); }, action);
  return short_digest(digest.value());
}

ReplayResult replay(LogReader& log, std::vector<AnyMachine>& machines, const ReplayObserver& observer) {
  ReplayResult result;
  while (true) {
    const auto record = log.next();
    if (!record) {
      result.damage = record.error();
      result.cut = log.cut();
      return result;
    }
    if (!*record) break;
    const auto& [role, event, expected] = **record;
    Outbox out;
    std::string_view machine = "no machine of this role", state = "";
    if (number(role) < machines.size()) {
      machine = machines[number(role)].name();
      state = machines[number(role)].state_name();
      machines[number(role)].deliver(event, out);
    }
    const std::uint32_t got = digest_of_actions(out.actions());
    if (got != expected) {
      result.difference = Difference{
          result.steps, role, text_of(event), expected, got, text_of_actions(out.actions()), text_of_state(machine, state)};
      return result;
    }
    if (observer) observer({role, machine, state, event, out.actions()});
    ++result.steps;
  }
  result.complete = log.complete();
  return result;
}

}  // namespace tenter::recording
