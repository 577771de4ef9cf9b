#include "cli/protocols/store/store_equivalents.hpp"

#include <array>
#include <utility>

namespace tenter::protocols {
namespace {

// `*` stands for any text.
constexpr std::array reasons = {
    std::pair{"relax_order kernel *", "the store has no shared page"},
    std::pair{"repeat_action reader.serving.read_done fill_buffer#*",
              "the same bytes go to the same place of a buffer that is the Reader's until the answer"},
    std::pair{"swap_actions reader.serving.read_done fill_buffer#*",
              "pieces go to different places of a buffer that is the Reader's until the answer, and never change places with it: "
              "its timer is cancelled between"},
    std::pair{"repeat_action publisher.*.* store_region#*", "the same bytes are stored at the same place once more"},
    std::pair{"swap_actions reader.*.* insert_peer#*", "insertions are told apart by their operation; no order is promised"},
    std::pair{"swap_actions reader.*.* read_remote#*", "reads in flight are answered in any order anyway"},
    std::pair{"shift_value reader.serving.fabric_done read_remote#* field 8 *",
              "a probe names no buffer, so its place in one is not looked at"},
    std::pair{"shift_value joiner.*.* read_file#* field 2 *",
              "the limit is the largest record there can be; one byte more is refused by the decoder"},
    std::pair{"shift_value publisher.*.* read_file#* field 2 *",
              "the limit is the largest record or beat there can be; one byte more is refused by the decoder"},
    std::pair{"drop_action beacon.*.* cancel#*",
              "a period that ends while the Beacon is silent is ignored, and the next announcement moves the timer"},
    std::pair{"drop_action joiner.*.* cancel#*", "a deadline or look of a join that has ended fits no operation that is awaited"},
    std::pair{"drop_action leases.*.* cancel#*", "a timer of a wait that has ended fits no operation that is awaited"},
    std::pair{"drop_action publisher.attaching.told cancel#*", "the timer's operation is not awaited once the add has ended"},
    std::pair{"repeat_event publisher.attaching.timer_fired",
              "the Reader is told twice to detach a number that is used once; a second `detached` of it fits no step"},
    std::pair{"repeat_action publisher.attaching.timer_fired tell#0",
              "the Reader is told twice to detach a number that is used once; a second `detached` of it fits no step"},
    std::pair{"drop_action reader.*.* cancel#*", "a deadline of a get that was answered fits no get that is there"},
};

}  // namespace

void add_store_equivalents(sim::Protocol& protocol) {
  for (const auto& [pattern, reason] : reasons) protocol.equivalent(pattern, reason);
}

}  // namespace tenter::protocols
