// Ranks 1 to N: take tasks and controls from the controller, one after the other, and answer each once.
// docs/protocols/control.md, spec A1, B2, B3.7.
//
// A task's error is an answer, never the end. Beats go on while a task runs, and messages are taken while one runs, until the
// room for them is full. A controller that says nothing for too long is lost, and the process ends.
//
// Steps are named "executor.<state>.<event>", for example executor.serving.message_arrived.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/control/calls.hpp"
#include "core/control/feature.hpp"
#include "core/control/inbound.hpp"
#include "core/control/operation.hpp"
#include "core/control/registry.hpp"
#include "core/control/slr3.hpp"
#include "core/machine.hpp"
#include "core/port.hpp"

namespace tenter::control {

template <class O>
concept ExecutorPorts = Comm<O> && Timers<O> && Client<O> && Work<O> && Performs<O, action::ExitProcess>;

struct ExecutorConfig {
  std::uint64_t session = 1;  // never 0
  std::uint32_t worker = 0;   // rank - 1
  std::uint32_t world = 2;
  std::string profile = "sim";
  std::uint64_t features = all_features;  // 0 for the reference's controller
  std::vector<Callable> callables;        // registered from the start
  Communicator communicator = world_communicator;
  Duration heartbeat_interval = seconds(1);    // of both sides
  std::uint32_t silent_ticks_max = 4;          // intervals without a frame after which the controller is lost
  std::uint32_t startup_ticks_max = 60;        // the same, before its first one; and for the join
  std::uint32_t queued_max = 64;               // commands that wait or run, and
  std::uint64_t queued_bytes_max = 64u << 20;  // their bytes: beyond either, nothing is received until there is room again
  std::uint32_t dropped_max = 1'000;
  Duration leave_patience = seconds(5);  // for the last words to be taken
  friend bool operator==(const ExecutorConfig&, const ExecutorConfig&) = default;
  TENTER_DESCRIBE(executor_config, session, worker, world, profile, features, callables, communicator, heartbeat_interval,
                  silent_ticks_max, startup_ticks_max, queued_max, queued_bytes_max, dropped_max, leave_patience)
};

enum class ExecutorState : std::uint8_t {
  idle,     // before the process has started
  joining,  // the world
  serving,  // HELLO is said, commands are taken
  leaving,  // SHUTDOWN came: what was taken is answered, then goodbye
  parting,  // goodbye is said: until all that was said is taken
  gone,     // the process ends
};

struct QueuedCommand {
  std::uint64_t sequence = 0;
  FrameType type = FrameType::task;  // or control
  Blob payload;
  friend bool operator==(const QueuedCommand&, const QueuedCommand&) = default;
  TENTER_DESCRIBE(queued_command, sequence, type, payload)
};

class Executor {
 public:
  Executor() = default;
  explicit Executor(ExecutorConfig config);

  template <ExecutorPorts O>
  void on(const event::Started& e, O& out);
  template <ExecutorPorts O>
  void on(const event::WorldJoined& e, O& out);
  template <ExecutorPorts O>
  void on(const event::Submitted& e, O& out);
  template <ExecutorPorts O>
  void on(const event::MessageSent& e, O& out);
  template <ExecutorPorts O>
  void on(const event::MessageArrived& e, O& out);
  template <ExecutorPorts O>
  void on(const event::Executed& e, O& out);
  template <ExecutorPorts O>
  void on(const event::TimerFired& e, O& out);

  std::string_view state_name() const {
    constexpr std::string_view names[] = {"idle", "joining", "serving", "leaving", "parting", "gone"};
    return names[static_cast<std::size_t>(state_)];
  }
  ExecutorState state() const { return state_; }
  const std::vector<QueuedCommand>& queue() const { return queue_; }
  std::uint64_t dropped() const { return dropped_; }
  const CallableRegistry& registry() const { return registry_; }

 private:
  // executor_serve.hpp
  template <class O>
  void greet(ReadyState ready, O& out);
  template <class O>
  void receive_if_room(O& out);
  template <class O>
  void take(const event::MessageArrived& e, O& out);
  template <class O>
  void drop(O& out);
  template <class O>
  void beat(O& out);
  // executor_work.hpp
  template <class O>
  void work(O& out);
  template <class O>
  void reply(FrameType type, std::uint64_t sequence, const Blob& payload, O& out);
  template <class O>
  void complete_task(std::int32_t code, std::string_view error, Bytes result, O& out);
  template <class O>
  void run_control(const QueuedCommand& command, O& out);
  Result<Blob> callable_of(const QueuedCommand& command) const;
  Result<void> apply(const ControlCall& call);
  // executor_end.hpp
  template <class O>
  void leave_if_done(Time now, O& out);
  template <class O>
  void part_if_all_is_taken(O& out);
  template <class O>
  void give_up(Status status, std::string text, O& out);
  template <class O>
  void end(Status status, std::string_view text, bool orderly, O& out);

  FrameIdentity identity(std::uint64_t sequence) const {
    return {config_.session, static_cast<std::int32_t>(config_.worker), sequence};
  }
  bool can(std::uint64_t feature) const { return (config_.features & feature) != 0; }
  Duration startup_patience() const { return config_.heartbeat_interval * config_.startup_ticks_max; }

  ExecutorConfig config_;
  ExecutorState state_ = ExecutorState::idle;
  CallableRegistry registry_;
  std::vector<QueuedCommand> queue_;  // the first one runs, if any does; at most queued_max
  std::uint64_t queued_bytes_ = 0;
  bool running_ = false;
  std::uint64_t newest_ = 0;  // sequence of the newest command
  std::uint64_t receives_ = 0;
  bool receiving_ = false;
  std::uint64_t replies_ = 0;          // sent, HELLO and goodbye too; number of the newest
  std::vector<std::uint64_t> unsent_;  // of them: not taken yet; above queued_max, nothing is received
  std::uint64_t beats_ = 0;
  bool beating_ = false;
  bool heard_ = false;  // the controller, at all
  std::uint32_t silent_ticks_ = 0;
  std::uint64_t dropped_ = 0;
  bool serve_called_ = false;
  Ticket serve_{};

 public:
  friend bool operator==(const Executor&, const Executor&) = default;
  static constexpr std::string_view name = "executor";
  static constexpr std::string_view labels =
      "config_, state_, registry_, queue_, queued_bytes_, running_, newest_, receives_, receiving_, replies_, unsent_, beats_, "
      "beating_, heard_, silent_ticks_, dropped_, serve_called_, serve_";
  template <class Self>
  static constexpr auto fields(Self& self) {
    return std::tie(self.config_, self.state_, self.registry_, self.queue_, self.queued_bytes_, self.running_, self.newest_,
                    self.receives_, self.receiving_, self.replies_, self.unsent_, self.beats_, self.beating_, self.heard_,
                    self.silent_ticks_, self.dropped_, self.serve_called_, self.serve_);
  }
};

}  // namespace tenter::control

#include "core/control/executor_end.hpp"
#include "core/control/executor_serve.hpp"
#include "core/control/executor_work.hpp"
