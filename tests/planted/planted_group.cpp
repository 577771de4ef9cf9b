#include "tests/planted/planted_group.hpp"

namespace tenter::planted {

using namespace mailbox;

GroupMachines with(Of which, Edit edit) {
  GroupMachines machines = protocols::shipped_machines();
  switch (which) {
    case Of::channel:
      machines.channel = [edit](ChannelConfig c) { return AnyMachine(Variant(Channel(c), edit)); };
      break;
    case Of::rendezvous:
      machines.rendezvous = [edit](RendezvousConfig c) { return AnyMachine(Variant(Rendezvous(c), edit)); };
      break;
    case Of::launch:
      machines.launch = [edit](LaunchConfig c) { return AnyMachine(Variant(Launch(c), edit)); };
      break;
    case Of::member:
      machines.member = [edit](MemberConfig c) { return AnyMachine(Variant(Member(c), edit)); };
      break;
    case Of::dispatcher:
      machines.dispatcher = [edit](DispatcherConfig c) { return AnyMachine(Variant(Dispatcher(c), edit)); };
      break;
  }
  return machines;
}

void add_bugs(Registry& registry, std::span<const Bug> bugs) {
  sim::Protocol& protocol = registry.protocol("mailbox");
  for (const Bug& bug : bugs) {
    const GroupMachines machines = with(bug.of, bug.edit);
    GroupShape shape;
    shape.faults_from_the_start = bug.from_the_start;
    protocol.planted({bug.name, bug.about, bug.property,
                      [machines, shape](sim::Scenario& s) { protocols::build_group(s, machines, shape); }, 10'000});
  }
}

}  // namespace tenter::planted
