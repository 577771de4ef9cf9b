// Registers the mailbox: scenarios and properties.
#pragma once
#include "cli/registry.hpp"

namespace tenter::protocols {

void add_mailbox(Registry& registry);
void add_mailbox_roles(Registry& registry);

}  // namespace tenter::protocols
