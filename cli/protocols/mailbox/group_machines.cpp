#include "cli/protocols/mailbox/group_machines.hpp"

namespace tenter::protocols {

using namespace mailbox;

namespace {

// Names are literals: comparing where they are is enough, unless a variant copied one.
template <class State, State last>
std::uint8_t number_of(std::string_view name) {
  static const auto names = [] {
    std::array<std::string_view, static_cast<std::size_t>(last) + 1> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = to_string(static_cast<State>(i));
    return all;
  }();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].data() == name.data()) return static_cast<std::uint8_t>(i);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<std::uint8_t>(i);
  return static_cast<std::uint8_t>(last);
}

}  // namespace

std::uint8_t state_number(MachineKind kind, std::string_view name) {
  switch (kind) {
    case MachineKind::channel:
      return number_of<ChannelState, ChannelState::closed>(name);
    case MachineKind::rendezvous:
      return number_of<RendezvousState, RendezvousState::ended>(name);
    case MachineKind::launch:
      return number_of<LaunchState, LaunchState::ended>(name);
    case MachineKind::member:
      return number_of<MemberState, MemberState::left>(name);
    case MachineKind::dispatcher:
      return number_of<DispatcherState, DispatcherState::left>(name);
  }
  return 0;
}

void Judged::fail(const char* property, const std::string& text) const {
  const sim::Process& p = view.world().process(step.process);
  const AnyMachine& machine = p.machines[number(step.role)];
  findings.safety(property,
                  p.name + ", " + std::string(machine.name()) + " in state " + std::string(machine.state_name()) + ": " + text);
}

}  // namespace tenter::protocols
