// The mailbox as the simulator runs it: a parent with its three machines, a launcher, and ranks. Planted bugs are the same
// scenario with one machine made by another factory.
#pragma once
#include <functional>

#include "core/mailbox/channel.hpp"
#include "core/mailbox/dispatcher.hpp"
#include "core/mailbox/launch.hpp"
#include "core/mailbox/member.hpp"
#include "core/mailbox/rendezvous.hpp"
#include "sim/scenario.hpp"

namespace tenter::protocols {

struct GroupMachines {
  std::function<AnyMachine(mailbox::ChannelConfig)> channel;
  std::function<AnyMachine(mailbox::RendezvousConfig)> rendezvous;
  std::function<AnyMachine(mailbox::LaunchConfig)> launch;
  std::function<AnyMachine(mailbox::MemberConfig)> member;
  std::function<AnyMachine(mailbox::DispatcherConfig)> dispatcher;
};
GroupMachines shipped_machines();

struct GroupShape {
  bool faults_from_the_start = false;  // else from READY on
  bool faults = true;
  bool scribbles = false;           // somebody else writes into the page
  std::uint32_t requests_max = 32;  // drawn from 0 on, so that a failure that needs none shrinks to none
  std::uint32_t ranks = 0;          // 0: chosen, 1 to 4
};
void build_group(sim::Scenario& scenario, const GroupMachines& machines, const GroupShape& shape);

}  // namespace tenter::protocols
