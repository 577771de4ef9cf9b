#include "sim/mutation.hpp"

#include <array>
#include <charconv>

namespace tenter::sim {
namespace {

constexpr std::array kind_names = {"none",        "drop_action", "repeat_action", "swap_actions",
                                   "shift_value", "hide_event",  "repeat_event",  "relax_order"};

template <class T>
constexpr bool is_shiftable = (std::is_integral_v<T> && !std::is_same_v<T, bool>) ||
                              (std::is_enum_v<T> && !std::is_same_v<T, Op> && !std::is_same_v<T, Role> &&
                               !std::is_same_v<T, Ticket>);

void shift_field(Action& action, std::uint32_t field, std::int32_t by) {
  std::visit(
      [&](auto& a) {
        std::uint32_t at = 0;
        for_each_field(a, [&](std::string_view, auto& value) {
          using T = std::remove_cvref_t<decltype(value)>;
          if constexpr (is_shiftable<T>) {
            // By a nanosecond no deadline is wrong; by an hour every one is.
            if constexpr (std::is_same_v<T, Time>) {
              if (at == field) value = value + seconds(3600) * by;
            } else if (at == field)
              value = static_cast<T>(static_cast<std::int64_t>(value) + by);
          }
          ++at;
        });
      },
      action);
}

}  // namespace

const char* to_string(MutationKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

std::vector<std::uint32_t> shiftable_fields(const Action& action) {
  std::vector<std::uint32_t> fields;
  std::visit(
      [&](const auto& a) {
        std::uint32_t at = 0;
        for_each_field(a, [&](std::string_view, const auto& value) {
          if constexpr (is_shiftable<std::remove_cvref_t<decltype(value)>>) fields.push_back(at);
          ++at;
        });
      },
      action);
  return fields;
}

std::string Mutation::text() const {
  std::string text = to_string(kind);
  if (kind == MutationKind::relax_order) return text + " kernel " + std::to_string(index);
  text += " " + machine + "." + state + "." + event;
  if (!action.empty()) text += " " + action + "#" + std::to_string(index);
  if (kind == MutationKind::shift_value) text += " field " + std::to_string(field) + " by " + std::to_string(shift);
  return text;
}

bool Mutation::parse(std::string_view text, Mutation& mutation) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    words.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  auto to_number = [](std::string_view digits, auto& value) {
    return std::from_chars(digits.data(), digits.data() + digits.size(), value).ec == std::errc{};
  };
  if (words.size() < 2) return false;
  mutation = {};
  for (std::size_t i = 1; i < kind_names.size(); ++i)
    if (words[0] == kind_names[i]) mutation.kind = static_cast<MutationKind>(i);
  if (!mutation.active()) return false;
  if (mutation.kind == MutationKind::relax_order) return words.size() == 3 && to_number(words[2], mutation.index);
  const std::size_t first = words[1].find('.'), second = words[1].rfind('.');
  if (first == std::string_view::npos || first == second) return false;
  mutation.machine = words[1].substr(0, first);
  mutation.state = words[1].substr(first + 1, second - first - 1);
  mutation.event = words[1].substr(second + 1);
  if (words.size() > 2) {
    const std::size_t hash = words[2].find('#');
    if (hash == std::string_view::npos || !to_number(words[2].substr(hash + 1), mutation.index)) return false;
    mutation.action = words[2].substr(0, hash);
  }
  if (mutation.kind == MutationKind::shift_value)
    return words.size() == 7 && to_number(words[4], mutation.field) && to_number(words[6], mutation.shift);
  return true;
}

void mutate_actions(const Mutation& mutation, std::vector<Action>& actions) {
  if (mutation.kind == MutationKind::none || mutation.index >= actions.size()) return;
  const auto at = actions.begin() + mutation.index;
  if (name_of(*at) != mutation.action) return;
  switch (mutation.kind) {
    case MutationKind::drop_action:
      actions.erase(at);
      break;
    case MutationKind::repeat_action:
      actions.insert(at, Action(*at));
      break;
    case MutationKind::swap_actions:
      if (at + 1 != actions.end()) std::swap(*at, *(at + 1));
      break;
    case MutationKind::shift_value:
      shift_field(*at, mutation.field, mutation.shift);
      break;
    default:
      break;
  }
}

}  // namespace tenter::sim
