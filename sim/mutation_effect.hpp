// Whether a mutation changed anything where it was applied. The ports' contracts (docs/ports/) leave some changes without
// meaning: a timer that is not armed may be cancelled, two reads may change places. Each application of a mutation is judged by
// the values at hand (the machine, the action, what the ports hold at that moment), never by its kind alone, so a bug of the same
// kind in another place, or in the same place at another moment, stays a bug.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/machine.hpp"
#include "sim/mutation.hpp"
#include "sim/process.hpp"

namespace tenter::sim {

class World;

// Why one application of a mutation changed nothing that a contract promises to anybody.
enum class Neutral : std::uint8_t {
  no,                // it did change something
  event_ignored,     // hide_event, repeat_event: the machine did nothing and stayed as it was
  without_reason,    // repeat_event: a FilesChanged may come without a reason
  nothing_to_do,     // drop_action: the timer was not armed, the word not watched, the page not open, the processes gone; the
                     // word of a page that nobody else has mapped holds that value
  armed_already,     // drop_action: the timer is armed for that time already
  same_again,        // repeat_action: the contract says that twice is once
  asked_twice,       // repeat_action: a second answer came, and the machine ignored it (or it never came)
  never_performed,   // repeat_action: the process has ended by then
  commutes,          // swap_actions: the ports do not promise an order between the two
  nothing_names_it,  // swap_actions: a page is unlinked and a directory removed that was emptied before
  nobody_there,      // swap_actions: no other process exists, and the two store to different places
  either_order,      // swap_actions: two notes to one machine, which takes them the same way in either order
  same_answer,       // repeat_event: the machine stays as it was, and its second answer repeats its first: see repeat_action
  after_a_load,      // relax_order of swaps: a copy that follows a watch's load-acquire
};
inline constexpr std::size_t neutral_count = 14;
const char* reason_of(Neutral neutral);

struct MutationEffect {
  std::uint64_t applied = 0;
  std::array<std::uint64_t, neutral_count> by{};

  void note(Neutral neutral) {
    ++applied;
    ++by[static_cast<std::size_t>(neutral)];
  }
  void add(const MutationEffect& other) {
    applied += other.applied;
    for (std::size_t i = 0; i < by.size(); ++i) by[i] += other.by[i];
  }
  bool changed_nothing() const { return applied > 0 && by[0] == 0; }
  std::string reason() const;  // of changed_nothing(): every rule that was needed, with how often
};

// One answer too many is on its way: when it comes, the machine must ignore it.
struct SecondAnswer {
  ProcessIndex process = no_process;
  Role role{};
  Op op{};
  bool told = false;  // a note of `from` instead of an operation's answer
  Role from{};
  Note note;
  bool first_came = false;
  std::optional<std::uint32_t> expected;  // publish_if: it must not store a second time
};

// Two notes of one machine to another, sent in the wrong order: `first` comes first now.
struct TwoNotes {
  ProcessIndex process = no_process;
  Role to{}, from{};
  Note first, second;
};

// Keeps the effect of the mutation that a world runs with.
class MutationWatch {
 public:
  const MutationEffect& effect() const { return effect_; }

  // An event that the mutation hides from `machine`, or has delivered once more just now.
  void hidden(const AnyMachine& machine, const Event& event);
  // first, second: its answers to the event and to its repetition; stays: the repetition left its state as it was.
  void repeated(const Process& p, Role role, const Event& event, std::span<const Action> first, std::span<const Action> second,
                bool stays);
  // Before the mutation changes `actions`, which `p` is about to perform for `role`.
  void actions(const World& world, const Process& p, Role role, const Mutation& mutation, const std::vector<Action>& actions);
  // True when this event may be the answer too many, so that the caller has to tell how the machine took it.
  bool expects(ProcessIndex process, Role role, const Event& event);
  void second_answer(bool ignored);
  // True when this event is the first of two notes that changed places: the caller tells what has arrived behind it.
  bool expects_pair(ProcessIndex process, Role role, const Event& event);
  void pair_came(const AnyMachine& machine, Role role, const Event& event, const Fifo<Inbound>& behind);
  // relax_order: one event and its answer, in a run whose page kernel has that weakened order.
  void relaxed(const Process& p, std::uint32_t order, const Event& event, std::span<const Action> actions);

 private:
  void swapped(const World& world, const Process& p, Role role, const std::vector<Action>& actions, std::size_t at);
  Neutral repeated_action(const Process& p, Role role, const Action& action);

  MutationEffect effect_;
  std::vector<SecondAnswer> expected_;
  std::vector<TwoNotes> pairs_;
  TwoNotes pair_;              // expects_pair() .. pair_came()
  std::vector<bool> by_swap_;  // by process: what it learned last of a word was a swap's answer
};

// True when no port promises an order between the two, to anybody: see the rules in mutation_effect.cpp.
bool commute(const Action& first, const Action& second);

}  // namespace tenter::sim
