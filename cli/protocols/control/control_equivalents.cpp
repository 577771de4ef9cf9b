#include "cli/protocols/control/control_equivalents.hpp"

#include <array>
#include <utility>

namespace tenter::protocols {
namespace {

// `*` stands for any text.
constexpr std::array reasons = {
    std::pair{"relax_order kernel *", "control has no shared page"},
    std::pair{"* pause.*", "a user thread's clock, no machine of control"},
    std::pair{"* hostile_executor.*", "it breaks the rules by itself"},
    std::pair{"drop_action executor.*.* cancel#*",
              "no step hears a timer in the state that follows, or the process ends in this step and its timers with it"},
    std::pair{"drop_action hub.*.* cancel#*",
              "a deadline of a command that has ended finds none, or the process ends in this step and its timers with it"},
    std::pair{"drop_action executor.*.* withdraw_receive#*", "the process ends in this step, and its receive with it"},
    std::pair{"drop_action hub.closing.* withdraw_receive#*",
              "what arrives of a route that is lost or has left fits no receive that is awaited"},
    std::pair{
        "drop_action hub.closing.* abandon_send#*",
        "what is answered of a route that is lost or has left fits no send that is awaited; the rank takes nothing any more"},
    std::pair{"swap_actions hub.closing.* abandon_send#*", "two sends are abandoned in either order"},
    std::pair{"shift_value *.*.* receive_message#* field 3 *",
              "the limit is the largest frame there can be; one byte more is refused by the decoder"},
    std::pair{"shift_value executor.leaving.* arm#* field 1 by 1", "no patience is promised to the nanosecond"},
};

}  // namespace

void add_control_equivalents(sim::Protocol& protocol) {
  for (const auto& [pattern, reason] : reasons) protocol.equivalent(pattern, reason);
}

}  // namespace tenter::protocols
