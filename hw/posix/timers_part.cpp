#include "hw/posix/timers_part.hpp"

#include <algorithm>

namespace tenter::hw {

void TimersPart::perform(const action::Arm& arm) {
  forget(context_.current, arm.op);
  armed_.push_back({arm.when, context_.current, arm.op});
  earliest_ = std::min(earliest_, arm.when);
}

void TimersPart::perform(const action::Cancel& cancel) { forget(context_.current, cancel.op); }

// Also takes back a firing that is in the inbox but not yet delivered: after cancel or a later arm it would be a lie.
void TimersPart::forget(Role role, Op op) {
  const auto found =
      std::find_if(armed_.begin(), armed_.end(), [&](const Armed& armed) { return armed.role == role && armed.op == op; });
  if (found != armed_.end()) {
    const Time when = found->when;
    *found = armed_.back();
    armed_.pop_back();
    if (when == earliest_) find_earliest();
    return;
  }
  context_.inbox.erase_if([&](const Delivery& delivery) {
    const auto* fired = std::get_if<event::TimerFired>(&delivery.event);
    return fired && delivery.to == role && fired->op == op;
  });
}

void TimersPart::fire() {
  const Time at = context_.round();
  std::sort(armed_.begin(), armed_.end());
  const auto later = std::find_if(armed_.begin(), armed_.end(), [&](const Armed& armed) { return armed.when > at; });
  for (auto due = armed_.begin(); due != later; ++due) context_.push(due->role, event::TimerFired{at, due->op});
  armed_.erase(armed_.begin(), later);
  find_earliest();
}

void TimersPart::find_earliest() {
  earliest_ = end_of_time;
  for (const Armed& armed : armed_) earliest_ = std::min(earliest_, armed.when);
}

}  // namespace tenter::hw
