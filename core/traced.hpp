// Wraps any port and keeps the digest of the actions that pass through it: what a recording stores after each event and what
// a replay compares (design section 6).
#pragma once
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/digest.hpp"
#include "core/port.hpp"

namespace tenter {

// The index of alternative A, without making one.
template <class A, class... Alternatives>
consteval std::uint64_t index_in(const std::variant<Alternatives...>*) {
  std::uint64_t index = 0;
  (void)((std::is_same_v<A, Alternatives> || (++index, false)) || ...);
  return index;
}

// The digest of one action: its kind and its fields.
template <class A>
void digest_action(Digest& digest, const A& action) {
  digest.add(index_in<A>(static_cast<const Action*>(nullptr)));
  digest_add(digest, action);
}

template <class Out>
class Traced : public Actions<Traced<Out>> {
 public:
  explicit Traced(Out& out) : out_(out) {}
  template <class A>
  requires Performs<Out, A>
  void perform(const A& action) {
    digest_action(digest_, action);
    out_.perform(action);
  }
  // Digest of the actions since the last call.
  std::uint64_t take_digest() { return std::exchange(digest_, Digest{}).value(); }

 private:
  Out& out_;
  Digest digest_;
};

}  // namespace tenter
