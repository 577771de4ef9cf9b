// The users of a controller, as a script: some threads submit tasks and controls, cancel, look at the health and pause; one ends
// the session at some moment, once or twice. The executors are told to serve.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/control/calls.hpp"
#include "core/control/slr3.hpp"
#include "sim/workload.hpp"
#include "sim/world.hpp"

namespace tenter::protocols {

inline constexpr Role hub_role{0}, pause_role{1}, executor_role{0};
inline constexpr sim::ProcessIndex controller = 0;  // worker w is process w + 1
inline constexpr std::uint8_t echo_callable = 1;    // of every executor; others are registered on the way

struct ControlShape {
  std::uint32_t executors = 2, window = 1, threads = 1;
  std::uint32_t operations = 4;  // of each thread, at most
  bool faults = true;
  bool starved = false;               // one sender's messages may wait: then nobody is innocent
  std::vector<bool> hostile;          // by worker: it says what no executor may say
  std::vector<bool> without_results;  // by worker
  std::uint64_t share_bytes = 0, pool_bytes = 0;
  Duration heartbeat_interval = seconds(1);
  std::uint32_t silent_ticks_max = 4;
  bool is_hostile(std::uint32_t worker) const { return worker < hostile.size() && hostile[worker]; }
};

// What a task asks of its executor, and its name in every answer.
struct TaskOrder {
  std::uint64_t id = 0, result_bytes = 0, takes = 0, fails = 0;  // takes: nanoseconds
  friend bool operator==(const TaskOrder&, const TaskOrder&) = default;
};
Blob task_of(const TaskOrder& order, std::size_t inline_bytes);
std::optional<TaskOrder> read_order(const Blob& payload);
Blob result_of(const TaskOrder& order, std::uint32_t worker);
control::CallableDigest callable_number(std::uint8_t number);

// One call, as it was sent, until the end of the run.
struct ControlCall {
  Ticket ticket{};
  control::CallKind kind{};
  std::size_t thread = 0;
  std::uint32_t worker = control::any_worker;  // that was asked for
  Time submitted{};
  Duration patience{};   // 0: none
  TaskOrder order = {};  // submit
  std::uint64_t bytes = 0;
  control::ControlName control{};
  std::uint8_t callable = 0;
  bool was_open = false;   // every route was ready when it was sent, as far as the user knew
  bool cancelled = false;  // by a user
  bool abandoned = false;  // its process went
  bool ended = false;
};

class ControlWorkload : public sim::Workload {
 public:
  explicit ControlWorkload(ControlShape shape) : shape_(std::move(shape)), threads_(shape_.threads) {}

  void start(sim::ClientPort& port) override;
  void completed(sim::ClientPort& port, Ticket ticket, const Note& outcome) override;
  void abandoned(sim::ClientPort& port, Ticket ticket) override;
  bool finished() const override;
  std::string waiting_for() const override;

  const ControlShape& shape() const { return shape_; }
  const ControlCall* find(Ticket ticket) const;
  const ControlCall* find_task(std::uint64_t id) const;
  const std::vector<ControlCall>& calls() const { return calls_; }
  std::string name_of(const ControlCall& call) const;
  bool route_cancelled(std::uint32_t worker) const { return cancelled_routes_[worker]; }
  const ControlCall* shutdown() const { return shutdown_ < calls_.size() ? &calls_[shutdown_] : nullptr; }
  bool aborted() const { return aborted_; }

 private:
  struct Thread {
    std::uint32_t left = 0;
    bool done = false;
  };
  std::size_t send(sim::ClientPort& port, Note note, ControlCall call, Role role = hub_role);
  void begin(sim::ClientPort& port);
  void next(sim::ClientPort& port, std::size_t thread);
  void pause(sim::ClientPort& port, std::size_t thread, Duration length);
  void submit(sim::ClientPort& port, std::size_t thread);
  void send_control(sim::ClientPort& port, std::size_t thread);
  void cancel(sim::ClientPort& port, std::size_t thread);
  void cancel_route(sim::ClientPort& port, std::size_t thread);
  void end_session(sim::ClientPort& port);
  std::uint32_t some_worker(sim::ClientPort& port) { return port.choose(shape_.executors); }

  ControlShape shape_;
  std::vector<Thread> threads_;
  std::vector<ControlCall> calls_;
  std::vector<bool> cancelled_routes_;
  std::size_t shutdown_ = SIZE_MAX;  // the first one
  bool begun_ = false, open_ = false, aborted_ = false, second_ = false, gone_ = false;
  std::uint64_t tasks_ = 0;
};

inline const ControlWorkload& control_workload_of(const sim::View& view) {
  return static_cast<const ControlWorkload&>(*view.world().workload());
}

}  // namespace tenter::protocols
