// What the lists of the mailbox's planted bugs share: a group with one machine as a variant, and a row of such a list.
#pragma once
#include <span>

#include "cli/protocols/mailbox/group_scenario.hpp"
#include "cli/registry.hpp"
#include "tests/planted/variant.hpp"

namespace tenter::planted {

using protocols::GroupMachines;
using protocols::GroupShape;
using Actions = std::vector<Action>;

enum class Of : std::uint8_t { channel, rendezvous, launch, member, dispatcher };

struct Bug {
  const char* name;
  const char* about;
  const char* property;  // that must find it
  Of of;
  Edit edit;
  bool from_the_start = false;  // faults may come before READY
};

// The shipped machines, one of them edited.
GroupMachines with(Of which, Edit edit);
void add_bugs(Registry& registry, std::span<const Bug> bugs);

// Bugs of the waits and of the duties between the machines; some of them only the monitor "contract" can name.
std::span<const Bug> bugs_of_waits_and_duties();

}  // namespace tenter::planted
