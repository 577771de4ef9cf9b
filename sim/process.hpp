// One simulated process: its machines, what has arrived for them, what they have asked for and is not done yet, its clock, and
// where it will crash or stop.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/machine.hpp"
#include "core/names.hpp"

namespace tenter::sim {

using ProcessIndex = std::uint32_t;
inline constexpr ProcessIndex no_process = 0xFFFFFFFFu;

// First in, first out; keeps its memory.
template <class T>
class Fifo {
 public:
  bool empty() const { return head_ == items_.size(); }
  std::size_t size() const { return items_.size() - head_; }
  void push(T item) { items_.push_back(std::move(item)); }
  T& front() { return items_[head_]; }
  const T& at(std::size_t i) const { return items_[head_ + i]; }
  T pop() {
    T item = std::move(items_[head_]);
    drop();
    return item;
  }
  void drop() {
    if (++head_ == items_.size()) clear();
  }
  void clear() {
    items_.clear();
    head_ = 0;
  }

 private:
  std::vector<T> items_;
  std::size_t head_ = 0;
};

// An event on its way into a machine. `ticket` lets a cancelled timer or watch be recognised after it was queued: 0 = always
// valid.
struct Inbound {
  Role role{};
  std::uint64_t ticket = 0;
  Event event;
};

struct PendingAction {
  Role role{};
  Action action;
};

enum class Life : std::uint8_t { unborn, running, stopped, gone };

// What a scenario says about a process before it runs.
struct ProcessSpec {
  std::string name;
  std::vector<AnyMachine> machines;
  bool may_crash = false;
  bool may_stop = false;
  std::string files_root;      // its Files port is rooted here, relative to the host's root; empty: at the root itself
  Duration restart_after{-1};  // >= 0: born again with fresh machines this long after a crash, once

  template <Machine M>
  ProcessSpec& runs(M machine) {
    machines.emplace_back(std::move(machine));
    return *this;
  }
  ProcessSpec& crashes() {
    may_crash = true;
    return *this;
  }
  ProcessSpec& stops() {
    may_stop = true;
    return *this;
  }
  ProcessSpec& rooted_at(std::string folder) {
    files_root = std::move(folder);
    return *this;
  }
  ProcessSpec& restarts(Duration after) {
    restart_after = after;
    return *this;
  }
};

struct Process {
  std::string name;
  ProcessIndex index = 0;
  ProcessId id;
  ProcessIndex parent = no_process;
  Life life = Life::unborn;
  std::string files_root;
  std::vector<AnyMachine> machines;

  Fifo<Inbound> inbox;
  Fifo<PendingAction> backlog;
  PendingAction current;  // being performed, when `performing`
  bool performing = false;
  bool scheduled = false;     // a turn of this process is in the queue
  bool preempted = false;     // the next action has already waited once
  std::uint32_t substep = 0;  // how far the first pending action is, when it has several steps

  std::int64_t skew = 0;  // local clock = skew + world time * (1 + drift)
  std::int64_t drift_ppm = 0;

  bool may_crash = false, may_stop = false;
  Duration restart_after{-1};
  std::vector<AnyMachine> reborn;  // machines as they were before the start, when it restarts
  std::uint64_t actions = 0;       // performed so far
  std::uint64_t crash_at = 0;      // 0: never
  std::uint64_t stop_at = 0;
  Duration stopped_for{-1};  // < 0: for ever

  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  bool orderly = false;

  Time local(Time world) const { return Time{number(world) + skew + number(world) / 1'000'000 * drift_ppm}; }
  // World time at which the local clock shows `when`; never early.
  Time world(Time when) const {
    if (when == end_of_time) return when;
    const std::int64_t unskewed = number(when) - skew;
    if (drift_ppm == 0) return Time{unskewed};
    std::int64_t guess = unskewed - unskewed / (1'000'000 + drift_ppm) * drift_ppm;
    while (number(local(Time{guess})) < number(when)) guess += 1 + (number(when) - number(local(Time{guess})));
    return Time{guess};
  }
};

}  // namespace tenter::sim
