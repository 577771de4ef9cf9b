// Wraps any port and keeps the digest of the actions that pass through it: what a recording stores after each event and what
// a replay compares (design section 6).
#pragma once
#include <utility>

#include "core/digest.hpp"
#include "core/port.hpp"

namespace tenter {

// The digest of one action: its kind and its fields.
template <class A>
void digest_action(Digest& digest, const A& action) {
  digest.add(static_cast<std::uint64_t>(Action(std::in_place_type<A>).index()));
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
