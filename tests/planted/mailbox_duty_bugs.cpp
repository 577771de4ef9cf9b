#include "cli/protocols/mailbox/duty_rules.hpp"
#include "cli/protocols/mailbox/page_rules.hpp"
#include "cli/protocols/mailbox/wait_rules.hpp"
#include "core/mailbox/layout.hpp"
#include "core/mailbox/manifest.hpp"
#include "core/mailbox/operation.hpp"
#include "tests/planted/planted_group.hpp"

namespace tenter::planted {
namespace {

using namespace mailbox;

// ---- the lane and the page

bool lane_not_released(std::string_view, const Event&, Actions& actions, bool after) {
  if (after)
    std::erase_if(actions, [](const Action& action) {
      const auto* quiet = std::get_if<action::PublishQuiet>(&action);
      return quiet && quiet->word == request_word;
    });
  return true;
}
bool terminal_is_taken_back(std::string_view state, const Event& event, Actions& actions, bool after) {
  if (after && state == "withdrawing" && as<event::Swapped>(event))
    actions.push_back(action::Publish{group_word, number(GroupState::ready)});
  return true;
}
bool reason_wiped_at_the_publish(std::string_view, const Event&, Actions& actions, bool after) {
  if (after && find<action::WriteRegion>(actions) && find<action::Publish>(actions))
    actions.insert(actions.begin(), action::PublishQuiet{error_length_word, 0});
  return true;
}
bool page_unlinked_before_the_ranks_are_gone(std::string_view, const Event&, Actions& actions, bool after) {
  if (!after) return true;
  if (const auto* file = find<action::PublishFile>(actions))
    if (const auto manifest = read_manifest(file->content.text())) actions.push_back(action::UnlinkPage{Blob(manifest->page)});
  return true;
}

// ---- waits

bool queue_without_a_deadline(std::string_view, const Event&, Actions& actions, bool after) {
  if (after)
    std::erase_if(actions, [](const Action& action) {
      const auto* arm = std::get_if<action::Arm>(&action);
      return arm && kind_of<ChannelOperation>(arm->op) == ChannelOperation::queue_deadline;
    });
  return true;
}
bool woken_for_nothing(std::string_view state, const Event& event, Actions& actions, bool after) {
  const auto* copied = as<event::Copied>(event);
  if (after && state == "taking" && copied && find<action::Complete>(actions)) drop<action::Cancel>(actions);
  return true;
}
bool start_without_a_deadline(std::string_view, const Event& event, Actions& actions, bool after) {
  if (after && as<event::Submitted>(event)) drop<action::Arm>(actions);
  return true;
}

// ---- processes

bool a_process_named_by_its_number_alone(std::string_view, const Event&, Actions& actions, bool after) {
  if (!after) return true;
  for (Action& action : actions)
    if (auto* kill = std::get_if<action::KillProcesses>(&action))
      for (ProcessId& id : kill->processes) id.start_time = 0;
  return true;
}
bool an_exit_is_missed(std::string_view state, const Event& event, Actions&, bool after) {
  return after || !as<event::ProcessExited>(event) || state != "running";
}
bool an_exit_during_the_shutdown_is_missed(std::string_view state, const Event& event, Actions&, bool after) {
  return after || !as<event::ProcessExited>(event) || state != "closing";
}
bool the_parents_end_is_missed(std::string_view, const Event& event, Actions&, bool after) {
  return after || !as<event::ParentExited>(event);
}

constexpr Bug bugs[] = {
    {"lane_not_released", "the parent takes an answer and leaves the request word as it is (S6)", protocols::store_property,
     Of::channel, lane_not_released},
    {"terminal_is_taken_back", "the parent says READY again after it said TERMINAL (MP5)",
     "TERMINAL is sticky and the group word keeps its table", Of::channel, terminal_is_taken_back},
    {"reason_wiped_at_the_publish", "the parent zeroes the error length when it publishes a request (G16)",
     protocols::length_property, Of::channel, reason_wiped_at_the_publish},
    {"page_unlinked_before_the_ranks_are_gone", "the page's name goes as soon as the manifest is there (S10)",
     "without a fault nothing fails", Of::launch, page_unlinked_before_the_ranks_are_gone, true},
    {"queue_without_a_deadline", "the wait for the lane has no end of its own (MP10, G5)", protocols::wait_property, Of::channel,
     queue_without_a_deadline},
    {"woken_for_nothing", "the deadline of a request that was answered stays armed (L3)", protocols::wait_property, Of::channel,
     woken_for_nothing},
    {"start_without_a_deadline", "a start has no deadline (L6)", protocols::wait_property, Of::launch, start_without_a_deadline,
     true},
    {"a_process_named_by_its_number_alone", "a signal goes to a pid, whoever has it now (G13, MP11)", protocols::kill_property,
     Of::launch, a_process_named_by_its_number_alone},
    {"an_exit_is_missed", "nobody looks at a process that ends while the group runs (MP12)", protocols::duty_property, Of::launch,
     an_exit_is_missed},
    {"an_exit_during_the_shutdown_is_missed", "nobody looks at a process that ends during a shutdown (G14)",
     protocols::wait_property, Of::launch, an_exit_during_the_shutdown_is_missed},
    {"the_parents_end_is_missed", "a rank stays when its parent is gone (G9)", protocols::exit_property, Of::member,
     the_parents_end_is_missed},
};

}  // namespace

std::span<const Bug> bugs_of_waits_and_duties() { return bugs; }

}  // namespace tenter::planted
