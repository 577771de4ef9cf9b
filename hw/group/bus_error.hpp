// What is said when the memory of a mapped page is taken away (truncate(2) by another program of this user): the kernel sends
// SIGBUS at the next access, and a process that dies of it alone says nothing.
// docs/decisions/0008-a-truncated-page-ends-the-process.md
#pragma once
#include <string>

namespace tenter::hw {

// From now on SIGBUS writes a line "who: bus error at 0x…: … page …" to standard error and then ends the process as it would
// have. `who` and `page` are cut at 200 bytes. The last call counts; an action that somebody else set is replaced. For a
// process that is ours whole, so not for the library.
void tell_bus_errors(const std::string& who, const std::string& page);

}  // namespace tenter::hw
