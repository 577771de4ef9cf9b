// Timers: one deadline an op; late by choice, never early, never after a cancel.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/action.hpp"
#include "sim/process.hpp"

namespace tenter::sim {

class World;

class TimersModel {
 public:
  explicit TimersModel(World& world) : world_(world) {}
  void perform(Process& p, Role role, const action::Arm& a);
  void perform(Process& p, Role role, const action::Cancel& a);
  void fire(Process& p, Role role, std::uint64_t op, std::uint64_t ticket);  // from the queue
  bool take(ProcessIndex process, std::uint64_t ticket);  // true once, while the timer is still armed as it was
  void forget(ProcessIndex process);
  std::optional<Time> armed(ProcessIndex process, Role role, Op op) const;  // when; none: it is not

 private:
  struct Armed {
    Role role{};
    Op op{};
    std::uint64_t ticket = 0;
    Time when{};
  };
  std::vector<Armed>& of(ProcessIndex process);
  World& world_;
  std::vector<std::vector<Armed>> armed_;
  std::uint64_t next_ticket_ = 1;
};

}  // namespace tenter::sim
