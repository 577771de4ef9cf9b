#include "cli/main.hpp"
#include "cli/protocols/control/protocol.hpp"
#include "cli/protocols/mailbox/protocol.hpp"
#include "cli/protocols/store/protocol.hpp"
#if TENTER_CLI_HAS_MAILBOX
#include "cli/mailbox_commands.hpp"
#endif

namespace tenter {

Registry builtin() {
  Registry registry;
  protocols::add_mailbox(registry);
  protocols::add_mailbox_roles(registry);
  protocols::add_store(registry);
  protocols::add_store_roles(registry);
  protocols::add_control(registry);
  protocols::add_start(registry);
  protocols::add_control_roles(registry);
#if TENTER_CLI_HAS_MAILBOX
  cli::add_mailbox_hardware(registry);
#endif
  return registry;
}

}  // namespace tenter
