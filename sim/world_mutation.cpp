// The world's side of a seam mutant: makes it where it belongs and judges whether it changed anything there.
#include <algorithm>

#include "sim/world.hpp"

namespace tenter::sim {

bool World::hand_over_mutated(Process& p, Role role, AnyMachine& machine, const Event& event) {
  const Mutation& mutation = options_.mutation;
  const bool here = mutation.kind != MutationKind::relax_order && machine.name() == mutation.machine &&
                    machine.state_name() == mutation.state && name_of(event) == mutation.event;
  if (here && mutation.kind == MutationKind::hide_event) {  // as if the machine ignored it: the properties see it unanswered
    ++steps_;
    mutation_watch_.hidden(machine, event);
    return true;
  }
  const bool second = mutation_watch_.expects(p.index, role, event);
  const std::uint64_t before = second ? machine.digest() : 0;
  if (mutation_watch_.expects_pair(p.index, role, event)) mutation_watch_.pair_came(machine, role, event, p.inbox);
  if (!hand_over(machine, event)) return false;
  if (mutation.kind == MutationKind::relax_order) mutation_watch_.relaxed(p, mutation.index, event, outbox_.actions());
  if (second) mutation_watch_.second_answer(outbox_.actions().empty() && machine.digest() == before);
  if (!here) return true;
  if (mutation.kind == MutationKind::repeat_event) {
    const std::uint64_t once = machine.digest();
    const std::size_t actions = outbox_.actions().size();
    machine.deliver(event, outbox_);
    const auto all = std::span<const Action>(outbox_.actions());
    mutation_watch_.repeated(p, role, event, all.first(actions), all.subspan(actions), machine.digest() == once);
    return true;
  }
  mutation_watch_.actions(*this, p, role, mutation, outbox_.actions());
  mutate_actions(mutation, outbox_.actions());
  return true;
}

// No other process could look at anything: none was born yet, or all are gone.
bool World::alone(const Process& p) const {
  return std::all_of(processes_.begin(), processes_.end(), [&](const auto& other) {
    return other->index == p.index || other->life == Life::unborn || other->life == Life::gone;
  });
}

Neutral World::neutral_if_dropped(const Process& p, Role role, std::span<const Action> actions) const {
  const auto before = actions.first(actions.size() - 1);
  const auto touched = [&](Op op) {  // by an earlier action of this step, so what the ports hold now is not what it will meet
    return std::any_of(before.begin(), before.end(), [&](const Action& action) {
      return std::visit(
          [&](const auto& a) {
            if constexpr (requires { a.op; })
              return a.op == op;
            else
              return false;
          },
          action);
    });
  };
  const auto when = [](bool nothing_to_do) { return nothing_to_do ? Neutral::nothing_to_do : Neutral::no; };
  return std::visit(
      [&](const auto& a) {
        using A = std::remove_cvref_t<decltype(a)>;
        if constexpr (std::is_same_v<A, action::Cancel>) {
          return when(!touched(a.op) && !timers_.armed(p.index, role, a.op));
        } else if constexpr (std::is_same_v<A, action::Unwatch>) {
          return when(!touched(a.op) && !pages_.watching(p.index, role, a.op));
        } else if constexpr (std::is_same_v<A, action::AbandonSend> || std::is_same_v<A, action::WithdrawReceive>) {
          return when(!touched(a.op) && !comm_.outstanding(p.index, role, a.op));
        } else if constexpr (std::is_same_v<A, action::Arm>) {
          return !touched(a.op) && timers_.armed(p.index, role, a.op) == a.when ? Neutral::armed_already : Neutral::no;
        } else if constexpr (std::is_same_v<A, action::ClosePage>) {
          return when(before.empty() && !pages_.mapped(p.index));
        } else if constexpr (std::is_same_v<A, action::UnlinkPage>) {
          return when(!pages_.linked(a.page_name.text()));
        } else if constexpr (std::is_same_v<A, action::PublishQuiet>) {
          const bool first = std::none_of(before.begin(), before.end(), [&](const Action& other) {
            const auto* quiet = std::get_if<action::PublishQuiet>(&other);
            return std::holds_alternative<action::Publish>(other) || std::holds_alternative<action::PublishIf>(other) ||
                   (quiet && quiet->word == a.word);
          });
          return when(first && pages_.private_word(p.index, a.word) == a.value);
        } else if constexpr (std::is_same_v<A, action::KillProcesses>) {
          return when(std::all_of(a.processes.begin(), a.processes.end(), [&](const ProcessId& id) {
            const ProcessIndex target = find(id);
            return target == no_process || process(target).life == Life::gone;
          }));
        } else {
          return Neutral::no;
        }
      },
      actions.back());
}

}  // namespace tenter::sim
