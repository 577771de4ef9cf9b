#include "cli/protocols/mailbox/contract_monitor.hpp"

namespace tenter::protocols {
namespace {

MachineKind kind_of_machine(const sim::Step& step) {  // the parent is the scenario's first process
  if (step.process == 0) return static_cast<MachineKind>(number(step.role));
  return step.role == mailbox::member_role ? MachineKind::member : MachineKind::dispatcher;
}

}  // namespace

std::uint8_t ContractMonitor::state_of(MachineKind kind, std::string_view name) {
  Place& last = last_after_[static_cast<std::size_t>(kind)];
  if (last.name.data() != name.data()) last = {name, state_number(kind, name)};
  return last.state;
}

void ContractMonitor::on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) {
  if (step.process >= exiting_.size()) exiting_.resize(step.process + 1, false);
  if (exiting_[step.process]) return;
  const MachineKind kind = kind_of_machine(step);
  const std::string_view after = view.world().process(step.process).machines[number(step.role)].state_name();
  Judged judged{view, step, findings, kind, state_of(kind, step.before), 0, {}};
  judged.after = state_of(kind, after);
  std::visit(
      [&](const auto& e) {
        judged.now = e.now;
        if constexpr (requires { waits_.came(judged, e); }) waits_.came(judged, e);
        if constexpr (requires { page_.came(judged, e); }) page_.came(judged, e);
        if constexpr (requires { duties_.came(judged, e); }) duties_.came(judged, e);
      },
      step.event);
  for (const Action& action : step.actions)
    std::visit(
        [&](const auto& a) {
          if constexpr (requires { waits_.made(judged, a); }) waits_.made(judged, a);
          if constexpr (requires { page_.made(judged, a); }) page_.made(judged, a);
          if constexpr (requires { duties_.made(judged, a); }) duties_.made(judged, a);
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(a)>, action::ExitProcess>) exiting_[step.process] = true;
        },
        action);
  page_.after(judged);
  duties_.after(judged);
  if (!exiting_[step.process]) waits_.after(judged);
}

}  // namespace tenter::protocols
