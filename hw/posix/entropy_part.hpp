// Unguessable bytes from getrandom(2).
#pragma once
#include "core/action.hpp"
#include "hw/part.hpp"

namespace tenter::hw {

class EntropyPart {
 public:
  EntropyPart(Context& context) : context_(context) {}

  void perform(const action::DrawRandom& draw);

  void poll() {}
  void add_waits(WaitSet&) const {}

 private:
  Context& context_;
};

}  // namespace tenter::hw
