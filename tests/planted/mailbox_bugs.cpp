#include "tests/planted/mailbox_bugs.hpp"

#include <algorithm>

#include "core/mailbox/layout.hpp"
#include "core/mailbox/manifest.hpp"
#include "tests/planted/planted_group.hpp"

namespace tenter::planted {
namespace {

using namespace mailbox;

// ---- the parent's side

bool request_published_before_payload(std::string_view, const Event&, Actions& actions, bool after) {
  if (after && find<action::Publish>(actions) && find<action::WriteRegion>(actions)) first<action::Publish>(actions);
  return true;
}
bool request_without_wake(std::string_view, const Event&, Actions& actions, bool after) {
  if (!after || !find<action::WriteRegion>(actions)) return true;
  for (Action& action : actions)
    if (const auto* publish = std::get_if<action::Publish>(&action)) action = action::PublishQuiet{publish->word, publish->value};
  return true;
}
bool sequence_written_after_the_word(std::string_view, const Event&, Actions& actions, bool after) {
  const auto fields = std::find_if(actions.begin(), actions.end(), [](const Action& action) {
    const auto* write = std::get_if<action::WriteRegion>(&action);
    return write && write->offset == layout::sequence.offset;
  });
  if (after && fields != actions.end()) std::rotate(fields, fields + 1, actions.end());
  return true;
}
bool no_deadline(std::string_view, const Event& event, Actions& actions, bool after) {
  if (after && as<event::Submitted>(event)) drop<action::Arm>(actions);
  return true;
}
bool answered_twice(std::string_view, const Event& event, Actions& actions, bool after) {
  if (after && as<event::Copied>(event))
    if (const auto* complete = find<action::Complete>(actions)) actions.push_back(*complete);
  return true;
}
bool replies_in_reverse(std::string_view, const Event&, Actions& actions, bool after) {
  if (!after) return true;
  if (auto* complete = find<action::Complete>(actions); complete && complete->outcome.parts.size() > 1) {
    std::vector<Blob> reversed(complete->outcome.parts.begin(), complete->outcome.parts.end());
    std::reverse(reversed.begin(), reversed.end());
    complete->outcome.parts = Parts(std::move(reversed));
  }
  return true;
}
bool terminal_by_plain_store(std::string_view, const Event&, Actions& actions, bool after) {
  if (!after) return true;
  for (Action& action : actions)
    if (auto* swap = std::get_if<action::PublishIf>(&action);
        swap && swap->word == group_word && swap->value == number(GroupState::terminal))
      swap->value = number(GroupState::ready);  // the mark is lost
  return true;
}

// ---- rank 0's side

bool reply_published_before_it_is_written(std::string_view, const Event&, Actions& actions, bool after) {
  if (after && find<action::PublishIf>(actions) && find<action::WriteRegion>(actions)) first<action::PublishIf>(actions);
  return true;
}
bool done_without_wake(std::string_view, const Event&, Actions& actions, bool after) {
  if (!after) return true;
  for (Action& action : actions)
    if (auto* swap = std::get_if<action::PublishIf>(&action); swap && swap->word == request_word) swap->wake = false;
  return true;
}
bool error_list_cut(std::string_view, const Event&, Actions& actions, bool after) {
  if (!after) return true;
  for (Action& action : actions) {
    auto* write = std::get_if<action::WriteRegion>(&action);
    if (write && write->offset == layout::error_area && write->content.size() > 2)
      write->content = Blob(write->content.bytes().first(write->content.size() - 2));
  }
  return true;
}
bool application_error_is_terminal(std::string_view state, const Event&, Actions& actions, bool after) {
  if (!after || state != "gathering") return true;
  for (const Action& action : actions) {
    const auto* swap = std::get_if<action::PublishIf>(&action);
    if (!swap || swap->value != number(RequestState::task_failed) || swap->word != request_word) continue;
    actions.push_back(action::Publish{group_word, number(GroupState::terminal)});
    break;
  }
  return true;
}
bool wrong_done_word(std::string_view, const Event&, Actions& actions, bool after) {
  if (!after) return true;
  for (Action& action : actions)
    if (auto* swap = std::get_if<action::PublishIf>(&action); swap && swap->value == number(RequestState::task_done))
      swap->value = 9;
  return true;
}
bool not_parked_again(std::string_view state, const Event& event, Actions& actions, bool after) {
  if (after && state == "completing" && as<event::Swapped>(event)) drop<action::Watch>(actions);
  return true;
}
bool ready_before_the_page_is_checked(std::string_view state, const Event& event, Actions& actions, bool after) {
  if (after && state == "opening" && as<event::PageOpened>(event))
    actions.push_back(action::Publish{group_word, number(GroupState::terminal)});
  return true;
}

// ---- every rank

bool gather_skipped_on_an_error(std::string_view, const Event& event, Actions& actions, bool after) {
  const auto* executed = as<event::Executed>(event);
  if (after && executed && executed->status != Status::ok) drop<action::Gather>(actions);
  return true;
}
bool executed_twice(std::string_view, const Event&, Actions& actions, bool after) {
  if (after)
    if (const auto* execute = find<action::Execute>(actions)) actions.push_back(*execute);
  return true;
}
bool gathers_at_the_wrong_root(std::string_view, const Event&, Actions& actions, bool after) {
  if (after)
    if (auto* gather = find<action::Gather>(actions)) gather->root = Rank{number(gather->root) + (actions.size() > 0 ? 1u : 0u)};
  return true;
}
bool communicators_not_freed(std::string_view, const Event&, Actions& actions, bool after) {
  if (!after || !find<action::FreeCommunicator>(actions)) return true;
  drop<action::FreeCommunicator>(actions);
  actions.push_back(action::ExitProcess{0, true});
  return true;
}

// ---- rendezvous and launch

bool departed_count_not_raised(std::string_view, const Event& event, Actions& actions, bool after) {
  if (after && as<event::TimerFired>(event)) drop<action::Complete>(actions);
  return true;
}
bool page_left_behind(std::string_view, const Event&, Actions& actions, bool after) {
  if (after) drop<action::UnlinkPage>(actions);
  return true;
}
bool directory_left_behind(std::string_view, const Event&, Actions& actions, bool after) {
  if (!after) return true;
  for (Action& action : actions)
    if (auto* remove = std::get_if<action::RemoveDirectory>(&action)) remove->path = Blob("somewhere-else");
  return true;
}

constexpr Bug bugs[] = {
    {"request_published_before_payload", "the request word is stored before the payload it announces", "page.data_race",
     Of::channel, request_published_before_payload},
    {"request_without_wake", "the request is stored, the parked rank 0 is not woken", "without a fault nothing fails",
     Of::channel, request_without_wake},
    {"sequence_written_after_the_word", "sequence and lengths are written after the request word", "page.data_race", Of::channel,
     sequence_written_after_the_word},
    {"no_deadline", "a call in flight has no deadline", "every call ends", Of::channel, no_deadline},
    {"answered_twice", "a call is completed twice", "a call is answered once", Of::channel, answered_twice},
    {"replies_in_reverse", "the replies of a PER_RANK request come in another order", "an answer is the request's own",
     Of::channel, replies_in_reverse},
    {"terminal_by_plain_store", "TERMINAL is not kept", "a broken group is TERMINAL in its page", Of::channel,
     terminal_by_plain_store},
    {"reply_published_before_it_is_written", "TASK_DONE is stored before the response vector", "page.data_race", Of::dispatcher,
     reply_published_before_it_is_written},
    {"done_without_wake", "TASK_DONE is stored, the parked parent is not woken", "without a fault nothing fails", Of::dispatcher,
     done_without_wake},
    {"error_list_cut", "the error list is cut in the middle", "an error parses and says why", Of::dispatcher, error_list_cut},
    {"application_error_is_terminal", "a callable's error ends the group", "without a fault nothing fails", Of::dispatcher,
     application_error_is_terminal},
    {"wrong_done_word", "a value that nobody knows is stored into the request word", "the request word keeps its table",
     Of::dispatcher, wrong_done_word},
    {"not_parked_again", "after an answer rank 0 does not watch the request word again", "without a fault nothing fails",
     Of::dispatcher, not_parked_again},
    {"ready_before_the_page_is_checked", "rank 0 spoils the group word while it attaches", "without a fault nothing fails",
     Of::dispatcher, ready_before_the_page_is_checked},
    {"gather_skipped_on_an_error", "a rank whose callable failed does not take part in the gather",
     "without a fault nothing fails", Of::member, gather_skipped_on_an_error},
    {"executed_twice", "a payload is executed twice", "a payload is executed once", Of::member, executed_twice},
    {"gathers_at_the_wrong_root", "a rank gathers at another root", "without a fault nothing fails", Of::member,
     gathers_at_the_wrong_root},
    {"communicators_not_freed", "a rank leaves in order without freeing its communicators", "nothing is left over", Of::member,
     communicators_not_freed},
    {"departed_count_not_raised", "a member whose rendezvous timed out is not answered", "every call ends", Of::rendezvous,
     departed_count_not_raised},
    {"page_left_behind", "the page is not unlinked at the end", "nothing is left over", Of::launch, page_left_behind},
    {"directory_left_behind", "the group's directory is not removed", "nothing is left over", Of::launch, directory_left_behind},
};

}  // namespace

void add_mailbox_bugs(Registry& registry) {
  add_bugs(registry, bugs);
  add_bugs(registry, bugs_of_waits_and_duties());
}

}  // namespace tenter::planted
