#include "sim/mutation_effect.hpp"

#include <algorithm>

#include "core/page/memory.hpp"
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
  // Names apart from mappings: who has the page mapped keeps it, and unmapping leaves the name.
  if ((as<action::ClosePage>(a) && as<action::UnlinkPage>(b)) || (as<action::UnlinkPage>(a) && as<action::ClosePage>(b)))
    return true;
  const bool unwatches = as<action::Unwatch>(a) || as<action::Unwatch>(b);
  const bool watches = as<action::Watch>(a) || as<action::Watch>(b);
  const Action& other = as<action::Watch>(a) || as<action::Unwatch>(a) ? b : a;
  if (watches && unwatches) return *op_of(a) != *op_of(b);
  if (unwatches) return true;  // its watch is silent afterwards, wherever it stands
  if (!watches) return false;
  if (as<action::Watch>(a) && as<action::Watch>(b)) return *op_of(a) != *op_of(b);
  const auto* watch = as<action::Watch>(a) ? as<action::Watch>(a) : as<action::Watch>(b);
  // What a watch acquires is told by a later event, so nothing of this step may rest on it: neither a copy nor a plain write.
  if (plain_range(other)) return true;
  const auto stored = stored_word(other);
  return stored && *stored != watch->word;  // a look at another word sees the same, sooner or later
}

bool commute_timers(const Action& a, const Action& b) {
  const Op* first = op_of(a);
  const Op* second = op_of(b);
  return *first != *second;
}

// Two stores to different places: into the page, or into a file.
bool apart(const Action& a, const Action& b) {
  const auto place = [](const Action& x) -> std::optional<Range> {
    if (const auto word = stored_word(x)) return Range{number(*word), number(*word) + std::uint64_t{4}};
    return as<action::WriteRegion>(x) ? plain_range(x) : std::nullopt;
  };
  const auto one = place(a), two = place(b);
  if (one && two) return !one->overlaps(*two);
  return (one && as<action::PublishFile>(b)) || (two && as<action::PublishFile>(a));
}

bool is_timer(const Action& a) { return is_one_of<action::Arm, action::Cancel>(a); }

// Questions: what they are answered with does not change by being asked, and each answer comes by its own op.
bool asks(const Action& a) {
  return is_one_of<action::ReadFile, action::ListFiles, action::InspectProcesses, action::DescribeHost, action::DrawRandom>(a);
}

bool of_comm(const Action& a) {
  return is_one_of<action::SendMessage, action::AbandonSend, action::ReceiveMessage, action::WithdrawReceive>(a);
}
// Messages to one rank on one communicator arrive in the order of their sends, and a receive takes the place of one that was
// withdrawn; there is no other order.
bool commute_messages(const Action& a, const Action& b) {
  if (const auto* send = as<action::SendMessage>(a), *other = as<action::SendMessage>(b); send && other)
    return send->to != other->to || send->communicator != other->communicator;
  const bool receives = as<action::ReceiveMessage>(a) || as<action::ReceiveMessage>(b);
  const bool withdraws = as<action::WithdrawReceive>(a) || as<action::WithdrawReceive>(b);
  return !(receives && withdraws) && *op_of(a) != *op_of(b);
}

std::optional<Connection> stream_of(const Action& a) {
  if (const auto* read = as<action::ReadStream>(a)) return read->connection;
  if (const auto* write = as<action::WriteStream>(a)) return write->connection;
  if (const auto* finish = as<action::FinishStream>(a)) return finish->connection;
  if (const auto* close = as<action::CloseStream>(a)) return close->connection;
  return std::nullopt;
}
// The bytes of two connections are in no order; on one of them, a read asks for what the other side writes.
bool commute_on_streams(const Action& a, const Action& b) {
  if (*stream_of(a) != *stream_of(b)) return true;
  const bool closes = as<action::CloseStream>(a) || as<action::CloseStream>(b);
  const bool reads = as<action::ReadStream>(a) || as<action::ReadStream>(b);
  return reads && !closes && !(as<action::ReadStream>(a) && as<action::ReadStream>(b));
}

bool commute_kills(const action::KillProcesses& a, const action::KillProcesses& b) {
  return std::none_of(a.processes.begin(), a.processes.end(), [&](const ProcessId& id) {
    return std::find(b.processes.begin(), b.processes.end(), id) != b.processes.end();
  });
}

}  // namespace

bool commute(const Action& a, const Action& b) {
  if (a == b) return true;
  if (as<action::ExitProcess>(a) || as<action::ExitProcess>(b)) return false;  // nothing after it is performed
  if (is_timer(a) && is_timer(b)) return commute_timers(a, b);
  if (is_timer(a) || is_timer(b)) return true;
  if (const auto* tell = as<action::Tell>(a), *other = as<action::Tell>(b); tell && other) return tell->to != other->to;
  if (const auto* complete = as<action::Complete>(a), *other = as<action::Complete>(b); complete && other)
    return complete->ticket != other->ticket;  // two calls of two user threads
  if (const auto* kill = as<action::KillProcesses>(a), *other = as<action::KillProcesses>(b); kill && other)
    return commute_kills(*kill, *other);  // signals to different processes arrive when they arrive
  if (of_the_page(a) && of_the_page(b)) return commute_on_the_page(a, b);
  if (of_comm(a) && of_comm(b)) return commute_messages(a, b);
  if (stream_of(a) && stream_of(b)) return commute_on_streams(a, b);
  if (asks(a) && asks(b)) return *op_of(a) != *op_of(b);
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
                                  "no port promises an order between the two actions",
                                  "the directory was emptied before, so nothing in it names the page that is unlinked",
                                  "no other process exists yet that could see the order of the two",
                                  "the machine that is told both ends in the same state, with the same actions, in either order",
                                  "the machine stays as it was and only repeats what it had answered, which changes nothing",
                                  "every copy follows a load-acquire: no machine reads bytes on the strength of a swap alone"};
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

void MutationWatch::repeated(const Process& p, Role role, const Event& event, std::span<const Action> first,
                             std::span<const Action> second, bool stays) {
  if (stays && second.empty()) return effect_.note(Neutral::event_ignored);
  if (std::holds_alternative<event::FilesChanged>(event)) return effect_.note(Neutral::without_reason);
  for (const Action& action : second) {  // what it does once more must be something that may be done twice
    const bool again = stays && std::find(first.begin(), first.end(), action) != first.end();
    if (!again || repeated_action(p, role, action) == Neutral::no) return effect_.note(Neutral::no);
  }
  effect_.note(stays ? Neutral::same_answer : Neutral::no);
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

// It was counted as neutral when the question was repeated.
void MutationWatch::second_answer(bool ignored) {
  if (ignored) return;
  for (const Neutral counted : {Neutral::asked_twice, Neutral::same_answer}) {
    auto& count = effect_.by[static_cast<std::size_t>(counted)];
    if (count == 0) continue;
    --count;
    ++effect_.by[static_cast<std::size_t>(Neutral::no)];
    return;
  }
}

bool MutationWatch::expects_pair(ProcessIndex process, Role role, const Event& event) {
  const auto* told = std::get_if<event::Told>(&event);
  const auto pair = std::find_if(pairs_.begin(), pairs_.end(), [&](const TwoNotes& two) {
    return told && two.process == process && two.to == role && told->from == two.from && told->note == two.first;
  });
  if (pair == pairs_.end()) return false;
  pair_ = *pair;
  pairs_.erase(pair);
  return true;
}

// Both were sent in one step, so the second is in the inbox already; what came between them stays between them.
void MutationWatch::pair_came(const AnyMachine& machine, Role role, const Event& event, const Fifo<Inbound>& behind) {
  std::vector<Event> events{event};
  bool complete = false;
  for (std::size_t i = 0; i < behind.size() && !complete; ++i) {
    if (behind.at(i).role != role) continue;
    events.push_back(behind.at(i).event);
    const auto* told = std::get_if<event::Told>(&events.back());
    complete = told && told->from == pair_.from && told->note == pair_.second;
  }
  if (!complete) return effect_.note(Neutral::no);
  for (Event& e : events) std::visit([&](auto& x) { x.now = std::get<event::Told>(event).now; }, e);
  AnyMachine swapped = machine, shipped = machine;
  Outbox one, two;
  for (const Event& e : events) swapped.deliver(e, one);
  std::swap(events.front(), events.back());
  for (const Event& e : events) shipped.deliver(e, two);
  const bool same = swapped.digest() == shipped.digest() && one.actions() == two.actions();
  effect_.note(same ? Neutral::either_order : Neutral::no);
}

// Two kernel mutants concern swaps alone: without their acquire, and without the acquire of one that failed.
void MutationWatch::relaxed(const Process& p, std::uint32_t order, const Event& event, std::span<const Action> actions) {
  const std::string_view name = page::weakened_orders[(order + 1) % page::weakened_orders.size()].name;
  if (name != "swap_without_acquire" && name != "failed_swap_relaxed") return;
  if (p.index >= by_swap_.size()) by_swap_.resize(p.index + 1, false);
  if (std::holds_alternative<event::WordChanged>(event)) by_swap_[p.index] = false;
  if (std::holds_alternative<event::Swapped>(event)) by_swap_[p.index] = true;
  for (const Action& action : actions)
    if (as<action::CopyIn>(action)) effect_.note(by_swap_[p.index] ? Neutral::no : Neutral::after_a_load);
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
      return swapped(world, p, role, actions, mutation.index);
    case MutationKind::shift_value:
      return effect_.note(Neutral::no);
    default:
      return;
  }
}

void MutationWatch::swapped(const World& world, const Process& p, Role role, const std::vector<Action>& actions, std::size_t at) {
  const Action& a = actions[at];
  const Action& b = actions[at + 1];
  if (commute(a, b)) return effect_.note(Neutral::commutes);
  if (world.alone(p) && apart(a, b)) return effect_.note(Neutral::nobody_there);
  const auto* tell = as<action::Tell>(a);
  const auto* other = as<action::Tell>(b);
  if (tell && other && tell->to == other->to) {  // judged when they come, the other one first now
    pairs_.push_back({p.index, tell->to, role, other->note, tell->note});
    return;
  }
  const auto* directory = as<action::RemoveDirectory>(as<action::UnlinkPage>(a) ? b : a);
  const bool names = directory && (as<action::UnlinkPage>(a) || as<action::UnlinkPage>(b));
  const bool emptied =
      names && std::any_of(actions.begin(), actions.begin() + static_cast<std::ptrdiff_t>(at), [&](const Action& x) {
        const auto* file = as<action::RemoveFile>(x);
        return file && file->path.text().starts_with(std::string(directory->path.text()) + "/");
      });
  effect_.note(emptied ? Neutral::nothing_names_it : Neutral::no);
}

// The contract says of these that a repetition at once changes nothing.
Neutral MutationWatch::repeated_action(const Process& p, Role role, const Action& action) {
  if (as<action::ExitProcess>(action)) return Neutral::never_performed;
  if (is_one_of<action::Arm, action::Cancel, action::Watch, action::Unwatch, action::ClosePage, action::UnlinkPage,
                action::WriteRegion, action::WatchFiles, action::AbandonSend, action::WithdrawReceive, action::FinishStream>(
          action))
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
