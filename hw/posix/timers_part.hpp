// Timers on CLOCK_MONOTONIC: the few that are armed, which the loop polls; the earliest one is the loop's deadline.
#pragma once
#include <compare>
#include <vector>

#include "core/action.hpp"
#include "hw/part.hpp"

namespace tenter::hw {

class TimersPart {
 public:
  TimersPart(Context& context) : context_(context) {}  // not explicit: a Port is built by braces

  void perform(const action::Arm& arm);
  void perform(const action::Cancel& cancel);

  void poll() {
    if (!armed_.empty() && earliest_ <= context_.round()) fire();
  }
  void add_waits(WaitSet& waits) const {
    if (!armed_.empty()) waits.until(earliest_);
  }

 private:
  struct Armed {
    Time when{};
    Role role{};
    Op op{};
    friend auto operator<=>(const Armed&, const Armed&) = default;
  };
  void forget(Role role, Op op);
  void fire();
  void find_earliest();

  Context& context_;
  std::vector<Armed> armed_;
  Time earliest_ = end_of_time;
};

}  // namespace tenter::hw
