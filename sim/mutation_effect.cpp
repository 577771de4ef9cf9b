#include "sim/mutation_effect.hpp"

#include <algorithm>

#include "sim/world.hpp"

namespace tenter::sim {
namespace {

template <class A>
const A* as(const Action& action) {
  return std::get_if<A>(&action);
}

template <class... A>
bool is_one_of(const Action& action) {
  return (std::holds_alternative<A>(action) || ...);
}

// The op of an action or an event, where it has one.
template <class V>
const Op* op_of(const V& value) {
  return std::visit(
      [](const auto& v) -> const Op* {
        if constexpr (requires { v.op; })
          return &v.op;
        else
          return nullptr;
      },
      value);
}

// Nobody outside the process sees these, and what they start comes back as events, which are delivered after the whole step.
bool stays_inside(const Action& a) {
  return is_one_of<action::Arm, action::Cancel, action::Watch, action::Unwatch, action::Tell, action::DrawRandom,
                   action::DescribeHost>(a);
}
bool of_the_page(const Action& a) {
  return is_one_of<action::CreatePage, action::OpenPage, action::ClosePage, action::UnlinkPage, action::WriteRegion,
                   action::CopyIn, action::Publish, action::PublishQuiet, action::PublishIf, action::Watch, action::Unwatch>(a);
}

std::optional<Word> stored_word(const Action& a) {
  if (const auto* publish = as<action::Publish>(a)) return publish->word;
  if (const auto* quiet = as<action::PublishQuiet>(a)) return quiet->word;
  if (const auto* swap = as<action::PublishIf>(a)) return swap->word;
  return std::nullopt;
}

struct Range {
  std::uint64_t from = 0, to = 0;
  bool overlaps(const Range& other) const { return from < other.to && other.from < to; }
};
std::optional<Range> plain_range(const Action& a) {
  if (const auto* write = as<action::WriteRegion>(a)) return Range{write->offset, write->offset + write->content.size()};
  if (const auto* copy = as<action::CopyIn>(a)) return Range{copy->offset, copy->offset + copy->bytes};
  return std::nullopt;
}

// Two actions on the page. A publish releases every plain store before it and may be answered by the peer at once, so it changes
// places with neither a store nor another publish.
bool commute_on_the_page(const Action& a, const Action& b) {
  const auto ranges = std::pair{plain_range(a), plain_range(b)};
  if (ranges.first && ranges.second) {  // unordered until the next publish; two reads may meet
    const bool reads = as<action::CopyIn>(a) && as<action::CopyIn>(b);
    return reads || !ranges.first->overlaps(*ranges.second);
  }
  const bool unwatches = as<action::Unwatch>(a) || as<action::Unwatch>(b);
  const bool watches = as<action::Watch>(a) || as<action::Watch>(b);
  const Action& other = as<action::Watch>(a) || as<action::Unwatch>(a) ? b : a;
  if (watches && unwatches) return *op_of(a) != *op_of(b);
  if (unwatches) return true;  // its watch is silent afterwards, wherever it stands
  if (!watches) return false;
  if (as<action::Watch>(a) && as<action::Watch>(b)) return *op_of(a) != *op_of(b);
  const auto* watch = as<action::Watch>(a) ? as<action::Watch>(a) : as<action::Watch>(b);
  const auto stored = stored_word(other);
  return stored && *stored != watch->word;  // a look at another word sees the same, sooner or later
}

bool commute_timers(const Action& a, const Action& b) {
  const Op* first = op_of(a);
  const Op* second = op_of(b);
  return *first != *second;
}

bool is_timer(const Action& a) { return is_one_of<action::Arm, action::Cancel>(a); }

bool commute_kills(const action::KillProcesses& a, const action::KillProcesses& b) {
  return std::none_of(a.processes.begin(), a.processes.end(), [&](const ProcessId& id) {
    return std::find(b.processes.begin(), b.processes.end(), id) != b.processes.end();
  });
}

}  // namespace

bool commute(const Action& a, const Action& b) {
  if (as<action::ExitProcess>(a) || as<action::ExitProcess>(b)) return false;  // nothing after it is performed
  if (is_timer(a) && is_timer(b)) return commute_timers(a, b);
  if (is_timer(a) || is_timer(b)) return true;
  if (const auto* tell = as<action::Tell>(a), *other = as<action::Tell>(b); tell && other) return tell->to != other->to;
  if (const auto* complete = as<action::Complete>(a), *other = as<action::Complete>(b); complete && other)
    return complete->ticket != other->ticket;  // two calls of two user threads
  if (const auto* kill = as<action::KillProcesses>(a), *other = as<action::KillProcesses>(b); kill && other)
    return commute_kills(*kill, *other);  // signals to different processes arrive when they arrive
  if (of_the_page(a) && of_the_page(b)) return commute_on_the_page(a, b);
  if (as<action::ClosePage>(a) || as<action::ClosePage>(b)) return true;  // the other is not of the page: see above
  // A user thread that has its answer sees no page, but may look for files and processes.
  const auto unseen_by_users = [](const Action& x) {
    return stays_inside(x) || (of_the_page(x) && !is_one_of<action::UnlinkPage, action::CreatePage>(x));
  };
  if (as<action::Complete>(a)) return unseen_by_users(b);
  if (as<action::Complete>(b)) return unseen_by_users(a);
  return stays_inside(a) || stays_inside(b);
}

const char* reason_of(Neutral neutral) {
  constexpr std::array reasons = {"it changed something",
                                  "the machine ignores the event in that state: nothing done, nothing kept",
                                  "the event may come without a reason, by its contract",
                                  "there was nothing to do: the timer not armed, the word not watched, the page not open, the "
                                  "processes gone, the value there",
                                  "the timer is armed for that very time already",
                                  "done twice is done once, by the port's contract",
                                  "the second answer is ignored by the machine: its operation is not awaited any more",
                                  "the process has ended by then",
                                  "no port promises an order between the two actions"};
  return reasons[static_cast<std::size_t>(neutral)];
}

std::string MutationEffect::reason() const {
  std::string text;
  for (std::size_t i = 1; i < by.size(); ++i)
    if (by[i] != 0)
      text +=
          (text.empty() ? "" : "; ") + std::string(reason_of(static_cast<Neutral>(i))) + " (" + std::to_string(by[i]) + " times)";
  return text;
}

// ---------------------------------------------------------------- events

void MutationWatch::repeated(const Event& event, bool ignored) {
  if (ignored) return effect_.note(Neutral::event_ignored);
  effect_.note(std::holds_alternative<event::FilesChanged>(event) ? Neutral::without_reason : Neutral::no);
}

void MutationWatch::hidden(const AnyMachine& machine, const Event& event) {
  AnyMachine copy = machine;
  Outbox out;
  copy.deliver(event, out);
  effect_.note(out.actions().empty() && copy.digest() == machine.digest() ? Neutral::event_ignored : Neutral::no);
}

bool MutationWatch::expects(ProcessIndex process, Role role, const Event& event) {
  for (SecondAnswer& second : expected_) {
    if (second.process != process || second.role != role) continue;
    const auto* told = std::get_if<event::Told>(&event);
    const Op* op = op_of(event);
    const bool fits = second.told ? told && told->from == second.from && told->note == second.note : op && *op == second.op;
    if (!fits) continue;
    if (!std::exchange(second.first_came, true)) return false;
    const auto* swapped = std::get_if<event::Swapped>(&event);
    if (swapped && second.expected == swapped->seen) second_answer(false);  // it stored: the second one was no mere question
    second = expected_.back();
    expected_.pop_back();
    return true;
  }
  return false;
}

// It was counted as ignored when the question was repeated.
void MutationWatch::second_answer(bool ignored) {
  if (ignored) return;
  --effect_.by[static_cast<std::size_t>(Neutral::asked_twice)];
  ++effect_.by[static_cast<std::size_t>(Neutral::no)];
}

// ---------------------------------------------------------------- actions

void MutationWatch::actions(const World& world, const Process& p, Role role, const Mutation& mutation,
                            const std::vector<Action>& actions) {
  if (mutation.index >= actions.size()) return;
  const Action& action = actions[mutation.index];
  if (name_of(action) != mutation.action) return;
  switch (mutation.kind) {
    case MutationKind::drop_action:
      return effect_.note(world.neutral_if_dropped(p, role, std::span(actions).first(mutation.index + 1)));
    case MutationKind::repeat_action:
      return effect_.note(repeated_action(p, role, action));
    case MutationKind::swap_actions:
      if (mutation.index + 1 == actions.size()) return;  // the last one here: not applied
      return effect_.note(commute(action, actions[mutation.index + 1]) ? Neutral::commutes : Neutral::no);
    case MutationKind::shift_value:
      return effect_.note(Neutral::no);
    default:
      return;
  }
}

// The contract says of these that a repetition at once changes nothing.
Neutral MutationWatch::repeated_action(const Process& p, Role role, const Action& action) {
  if (as<action::ExitProcess>(action)) return Neutral::never_performed;
  if (is_one_of<action::Arm, action::Cancel, action::Watch, action::Unwatch, action::ClosePage, action::UnlinkPage,
                action::WriteRegion, action::WatchFiles>(action))
    return Neutral::same_again;
  if (const auto* kill = as<action::KillProcesses>(action))  // who was asked to end may take a second request as another one
    return kill->signal == 9 ? Neutral::same_again : Neutral::no;
  if (const auto* tell = as<action::Tell>(action)) {
    expected_.push_back({p.index, tell->to, {}, true, role, tell->note, false, std::nullopt});
    return Neutral::asked_twice;
  }
  // Reads, exclusive creations, and what finds things as the first one left them: the second answer is all that there is.
  if (is_one_of<action::CopyIn, action::ReadFile, action::ListFiles, action::InspectProcesses, action::DescribeHost,
                action::DrawRandom, action::WatchProcess, action::MakeDirectory, action::CreatePage, action::PublishFile,
                action::RemoveFile, action::RemoveDirectory, action::Duplicate, action::PublishIf>(action)) {
    const auto* swap = as<action::PublishIf>(action);
    expected_.push_back(
        {p.index, role, *op_of(action), false, {}, {}, false, swap ? std::optional(swap->expected) : std::nullopt});
    return Neutral::asked_twice;
  }
  return Neutral::no;
}

}  // namespace tenter::sim
