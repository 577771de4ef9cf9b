#include "cli/main.hpp"
#include "cli/protocols/mailbox/protocol.hpp"

namespace tenter {

Registry builtin() {
  Registry registry;
  protocols::add_mailbox(registry);
  protocols::add_mailbox_roles(registry);
  return registry;
}

}  // namespace tenter
