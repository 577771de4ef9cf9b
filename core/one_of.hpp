// What a variant is made of, for variants under a name of their own (Event, Action). The name of a variant of sixty alternatives
// holds all sixty in every symbol that mentions it, and making one from an alternative resolves sixty overloads: together they
// were a third of the time of a build.
#pragma once
#include <type_traits>
#include <utility>
#include <variant>

namespace tenter {

template <class A, class Variant>
inline constexpr bool is_one_of = false;
template <class A, class... Alternatives>
inline constexpr bool is_one_of<A, std::variant<Alternatives...>> = (std::is_same_v<A, Alternatives> || ...);

template <class A, class Variant>
concept OneOf = is_one_of<std::remove_cvref_t<A>, Variant>;

}  // namespace tenter
