#include "hw/posix/timers_part.hpp"

namespace tenter::hw {

void TimersPart::perform(const action::Arm& arm) {
  const Key key{context_.current, arm.op};
  forget(key);
  armed_.emplace(key, arm.when);
  by_time_.emplace(arm.when, key.first, key.second);
}

void TimersPart::perform(const action::Cancel& cancel) { forget({context_.current, cancel.op}); }

// Also takes back a firing that is in the inbox but not yet delivered: after cancel or a later arm it would be a lie.
void TimersPart::forget(const Key& key) {
  if (const auto found = armed_.find(key); found != armed_.end()) {
    by_time_.erase({found->second, key.first, key.second});
    armed_.erase(found);
  }
  std::erase_if(context_.inbox, [&](const Delivery& delivery) {
    const auto* fired = std::get_if<event::TimerFired>(&delivery.event);
    return fired && delivery.to == key.first && fired->op == key.second;
  });
}

void TimersPart::poll() {
  if (by_time_.empty()) return;
  const Time at = now();
  while (!by_time_.empty() && std::get<Time>(*by_time_.begin()) <= at) {
    const auto [when, role, op] = *by_time_.begin();
    by_time_.erase(by_time_.begin());
    armed_.erase({role, op});
    context_.push(role, event::TimerFired{at, op});
  }
}

void TimersPart::add_waits(WaitSet& waits) const {
  if (!by_time_.empty()) waits.until(std::get<Time>(*by_time_.begin()));
}

}  // namespace tenter::hw
