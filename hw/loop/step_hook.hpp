// What a test may put into the loop of a process: it is called at every step of every machine, before the handler. A step is
// named <machine>.<state>.<event> (docs/protocols/mailbox.md), taken from the machine and the event themselves, so no machine
// and no part knows of it. The product never sets one; why this is no switch of the product: docs/decisions/0007.
#pragma once
#include <string_view>

namespace tenter::hw {

class StepHook {
 public:
  virtual ~StepHook() = default;
  // On the loop's thread. The process may stop, kill or wait here: for the protocol that is the time before the step.
  virtual void at(std::string_view machine, std::string_view state, std::string_view event) = 0;
};

}  // namespace tenter::hw
