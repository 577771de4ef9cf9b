// Bugs of the mailbox that reviews, bug reports and the reference's defects name, each with the property that must find it.
#pragma once
#include "cli/registry.hpp"

namespace tenter::planted {

void add_mailbox_bugs(Registry& registry);

}  // namespace tenter::planted
