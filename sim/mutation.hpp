// A seam mutant: one bug, made at run time between a machine and its port, without a switch in any machine.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/action.hpp"
#include "core/event.hpp"

namespace tenter::sim {

enum class MutationKind : std::uint8_t {
  none,
  drop_action,
  repeat_action,
  swap_actions,
  shift_value,
  hide_event,
  repeat_event,
  relax_order
};

const char* to_string(MutationKind kind);

// The place: a (machine, state, event) site, and which of its actions or fields.
struct Mutation {
  MutationKind kind = MutationKind::none;
  std::string machine, state, event;
  std::string action;          // name of the action meant; empty for event mutants
  std::uint32_t index = 0;     // which action of that site; for relax_order: which order of the page kernel
  std::uint32_t field = 0;     // shift_value: which described field
  std::int32_t shift = 1;      // units; of a Time: hours
  std::uint32_t only_nth = 0;  // 0: at every occurrence of the site
  friend bool operator==(const Mutation&, const Mutation&) = default;

  bool active() const { return kind != MutationKind::none; }
  std::string text() const;  // "drop_action channel.idle.submitted publish#2"
  static bool parse(std::string_view text, Mutation& mutation);
};

// Applies it to the actions that a site answered with.
void mutate_actions(const Mutation& mutation, std::vector<Action>& actions);

// The number of fields of `action` that a shift_value can change (integers and strong integers, not the op).
std::vector<std::uint32_t> shiftable_fields(const Action& action);

}  // namespace tenter::sim
