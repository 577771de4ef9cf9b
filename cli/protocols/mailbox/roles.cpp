// The mailbox's machines, so that `sim replay DIR` makes them from a recording of a group (hw/group/group_recording.hpp).
#include "cli/protocols/mailbox/protocol.hpp"
#include "core/mailbox/channel.hpp"
#include "core/mailbox/dispatcher.hpp"
#include "core/mailbox/launch.hpp"
#include "core/mailbox/member.hpp"
#include "core/mailbox/rendezvous.hpp"

namespace tenter::protocols {

void add_mailbox_roles(Registry& registry) {
  registry.role<mailbox::Channel, mailbox::ChannelConfig>()
      .role<mailbox::Rendezvous, mailbox::RendezvousConfig>()
      .role<mailbox::Launch, mailbox::LaunchConfig>()
      .role<mailbox::Member, mailbox::MemberConfig>()
      .role<mailbox::Dispatcher, mailbox::DispatcherConfig>();
}

}  // namespace tenter::protocols
