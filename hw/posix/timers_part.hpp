// Timers on CLOCK_MONOTONIC: an ordered list that the loop polls; the earliest one is the loop's deadline.
#pragma once
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/action.hpp"
#include "hw/part.hpp"

namespace tenter::hw {

class TimersPart {
 public:
  TimersPart(Context& context) : context_(context) {}  // not explicit: a Port is built by braces

  void perform(const action::Arm& arm);
  void perform(const action::Cancel& cancel);

  void poll();
  void add_waits(WaitSet& waits) const;

 private:
  using Key = std::pair<Role, Op>;
  void forget(const Key& key);

  Context& context_;
  std::map<Key, Time> armed_;
  std::set<std::tuple<Time, Role, Op>> by_time_;
};

}  // namespace tenter::hw
