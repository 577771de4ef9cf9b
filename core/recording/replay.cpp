#include "core/recording/replay.hpp"

#include "core/traced.hpp"

namespace tenter::recording {
namespace {

std::string text_of_actions(const std::vector<Action>& actions) {
  std::string text;
  for (const Action& action : actions) text += (text.empty() ? "" : "; ") + text_of(action);
  return text.empty() ? "none" : text;
}

std::string text_of_state(const AnyMachine& machine) {
  return std::string(machine.name()) + " in " + std::string(machine.state_name());
}

}  // namespace

std::uint32_t digest_of_actions(const std::vector<Action>& actions) {
  Digest digest;
  for (const Action& action : actions) std::visit([&](const auto& a) { digest_action(digest, a); }, action);
  return short_digest(digest.value());
}

ReplayResult replay(LogReader& log, std::vector<AnyMachine>& machines) {
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
    std::string state = "no machine of this role";
    if (number(role) < machines.size()) {
      AnyMachine& machine = machines[number(role)];
      state = text_of_state(machine);
      machine.deliver(event, out);
    }
    const std::uint32_t got = digest_of_actions(out.actions());
    if (got != expected) {
      result.difference =
          Difference{result.steps, role, text_of(event), expected, got, text_of_actions(out.actions()), std::move(state)};
      return result;
    }
    ++result.steps;
  }
  result.complete = log.complete();
  return result;
}

}  // namespace tenter::recording
