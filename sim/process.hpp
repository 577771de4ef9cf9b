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
  std::string files_root;       // its Files port is rooted here, relative to the host's root; empty: at the root itself
  Duration restart_after{-1};   // >= 0: born again with fresh machines this long after a crash, once
  std::string job;              // ranks of one communicator, in the order of their creation; one killed rank ends all
  bool always_resumes = false;  // when it stops, it goes on after a while
  bool ignores_sigterm = false;
  std::string host;  // it shares this one's file cache and its crash; empty: the host of all that name none

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
  ProcessSpec& stops_for_a_while() {
    may_stop = always_resumes = true;
    return *this;
  }
  ProcessSpec& deaf_to_sigterm() {
    ignores_sigterm = true;
    return *this;
  }
  ProcessSpec& in_job(std::string name_of_job) {
    job = std::move(name_of_job);
    return *this;
  }
  ProcessSpec& on_host(std::string name_of_host) {
    host = std::move(name_of_host);
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
  std::string files_root, host;
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

  bool may_crash = false, may_stop = false, always_resumes = false, ignores_sigterm = false;
  std::string job;
  bool doomed = false;  // another rank of its job was killed, and it will be
  Duration restart_after{-1};
  std::vector<AnyMachine> reborn;  // machines as they were before the start, when it restarts
  std::uint64_t actions = 0;       // performed so far
  std::uint64_t crash_at = 0;      // 0: never
  std::uint64_t stop_at = 0;
  Duration stopped_for{-1};  // < 0: for ever

  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  bool orderly = false;
  bool terminated = false;  // SIGTERM came while it was stopped

  // Never goes back: the drift is applied to the nanosecond, not in jumps.
  Time local(Time world) const {
    const std::int64_t millions = number(world) / 1'000'000, rest = number(world) % 1'000'000;
    return Time{number(world) + skew + millions * drift_ppm + rest * drift_ppm / 1'000'000};
  }
  // World time at which the local clock shows `when`; never early.
  Time world(Time when) const {
    constexpr std::int64_t beyond_every_run = number(end_of_time) / 2;  // and what is beyond it would overflow below
    if (number(when) >= beyond_every_run) return end_of_time;
    const std::int64_t unskewed = number(when) - skew;
    if (drift_ppm == 0) return Time{unskewed};
    std::int64_t guess = unskewed - unskewed / (1'000'000 + drift_ppm) * drift_ppm;
    while (number(local(Time{guess})) < number(when)) guess += 1 + (number(when) - number(local(Time{guess})));
    return Time{guess};
  }
};

}  // namespace tenter::sim
