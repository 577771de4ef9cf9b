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
};

}  // namespace

void add_control_equivalents(sim::Protocol& protocol) {
  for (const auto& [pattern, reason] : reasons) protocol.equivalent(pattern, reason);
}

}  // namespace tenter::protocols
