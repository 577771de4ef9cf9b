// Whether the answer of a scripted call is what its user may expect, in either world. Empty: nothing is wrong.
#pragma once
#include <string>

#include "cli/protocols/mailbox/group_workload.hpp"

namespace tenter::protocols {

std::string name_of_call(const Expected& call);                           // for messages
std::string wrong_answer(const Expected& call, const Note& outcome);      // of status ok: the replies are its own, in order
std::string wrong_error(const Expected& call, const Note& outcome);       // of another status: the error list parses and says why
std::string unhealthy_answer(const Expected& call, const Note& outcome);  // where there was no fault

// L1, MP10: within the call's patience and a stated slack, whatever the outcome.
std::string overdue_answer(const Expected& call, Duration took);

}  // namespace tenter::protocols
