// What the rules of a mailbox group share: which machine a step belongs to, and its states before and after, read from the names
// only, so that a planted variant is judged like the shipped machine.
#pragma once
#include <array>
#include <string>
#include <string_view>

#include "core/mailbox/channel.hpp"
#include "core/mailbox/dispatcher.hpp"
#include "core/mailbox/launch.hpp"
#include "core/mailbox/member.hpp"
#include "core/mailbox/notes.hpp"
#include "sim/world.hpp"

namespace tenter::protocols {

enum class MachineKind : std::uint8_t { channel, rendezvous, launch, member, dispatcher };
enum class RendezvousState : std::uint8_t { empty, gathering, exchanging, ended };

inline const char* to_string(RendezvousState state) {
  constexpr std::array names = {"empty", "gathering", "exchanging", "ended"};
  return names[static_cast<std::size_t>(state)];
}

// The number of the state of this name in the machine's own enum.
std::uint8_t state_number(MachineKind kind, std::string_view name);

// One step while it is judged.
struct Judged {
  const sim::View& view;
  const sim::Step& step;
  sim::Findings& findings;
  MachineKind kind{};
  std::uint8_t before = 0, after = 0;  // states
  Time now{};                          // on the process's clock

  sim::ProcessIndex process() const { return step.process; }
  bool is(MachineKind k) const { return kind == k; }
  template <class State>
  State was() const {
    return static_cast<State>(before);
  }
  template <class State>
  State is_now() const {
    return static_cast<State>(after);
  }
  template <class E>
  const E* event() const {
    return std::get_if<E>(&step.event);
  }
  template <class Match>
  bool any_action(Match&& match) const {
    for (const Action& action : step.actions)
      if (match(action)) return true;
    return false;
  }
  template <class A>
  bool acts() const {
    return any_action([](const Action& action) { return std::holds_alternative<A>(action); });
  }
  bool tells(Role to, mailbox::NoteKind what) const {
    return any_action([&](const Action& action) {
      const auto* tell = std::get_if<action::Tell>(&action);
      return tell && tell->to == to && mailbox::is(tell->note, what);
    });
  }
  // The run fails: who, in which state, did what.
  void fail(const char* property, const std::string& text) const;
};

}  // namespace tenter::protocols
