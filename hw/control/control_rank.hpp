// What one rank of a control world runs: the machine Hub (rank 0) or Executor (ranks 1 to N) on a carrier of messages. Spec
// control.md A1; docs/protocols/control.md.
//
//   auto carrier = hw::MpiCarrier::open(ranks);                                                        //
//   hw/control/mpi_carrier.hpp auto rank = hw::make_control_rank(**carrier, control::Hub(config)); auto controller =
//   hw::Controller::start(*rank, seconds(60));                                       // hw/control/controller.hpp
//
//   auto rank = hw::make_control_rank(**carrier, control::Executor(config), call);
//   return hw::serve(*rank);
//
// A carrier is a type with: `Part`, which does the actions of Comm and is made by Part(Context&, Carrier&); `bool crowded()`;
// `void leave(Part&)` and `bool left(Part&)`, the orderly way out; `void abandon()`: there will be none. It outlives the rank.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "core/control/executor.hpp"
#include "core/control/hub.hpp"
#include "hw/loop/process.hpp"
#include "hw/posix/client_part.hpp"
#include "hw/posix/processes_part.hpp"
#include "hw/posix/timers_part.hpp"
#include "hw/posix/work_part.hpp"

namespace tenter::hw {

// The exit of a process that starts no others.
class ExitPart {
 public:
  void perform(const action::ExitProcess& a) {
    if (!asked_) asked_ = ExitRequest{a.code, a.orderly};
  }
  void poll() {}
  void add_waits(WaitSet&) const {}
  const std::optional<ExitRequest>& asked() const { return asked_; }

 private:
  std::optional<ExitRequest> asked_;
};

// Whatever the carrier is. client(): any thread; the rest: one thread at a time (hw/group/loop_driver.hpp).
class ControlRank {
 public:
  virtual ~ControlRank() = default;
  virtual ClientPart& client() = 0;
  virtual bool run_until(const std::function<bool()>& until, Time deadline, SleepWatch* watch = nullptr) = 0;
  virtual bool sleep_holds() = 0;
  virtual void nudge() = 0;  // any thread
  virtual const std::optional<ExitRequest>& exit_asked() const = 0;
  // After the exit was asked for. Orderly: waits until all ranks leave, at most `patience`. False: that cannot be, or not all
  // came in time; what the carrier holds is given up, and the process must end without waiting for others.
  virtual bool leave(Duration patience) = 0;
};

template <class Carrier, class Machine, class... More>
class ControlRankOn final : public ControlRank {
 public:
  using Carries = typename Carrier::Part;
  using PortType = Port<Carries, TimersPart, ClientPart, ExitPart, More...>;

  // Begins to join the world as soon as the loop is driven. more: the call of WorkPart, for an executor.
  template <class... Calls>
  ControlRankOn(Carrier& carrier, Machine machine, Calls... more)
      : carrier_(carrier),
        context_(nullptr, carrier.crowded()),
        port_{{context_, carrier}, {context_}, {context_}, {}, {context_, std::move(more)}..., {}},
        process_(context_, port_, std::move(machine)) {
    process_.start();
  }
  ~ControlRankOn() override { tell_undelivered("control rank", process_.undelivered()); }

  ClientPart& client() override { return port_; }
  bool run_until(const std::function<bool()>& until, Time deadline, SleepWatch* watch) override {
    return process_.run_until(until, deadline, watch);
  }
  bool sleep_holds() override { return process_.sleep_holds(); }
  void nudge() override { context_.nudge(); }
  const std::optional<ExitRequest>& exit_asked() const override { return static_cast<const ExitPart&>(port_).asked(); }
  bool leave(Duration patience) override {
    Carries& part = port_;
    bool left = false;
    if (exit_asked() && exit_asked()->orderly) {
      carrier_.leave(part);
      left = process_.run_until([&] { return carrier_.left(part); }, now() + patience);
    }
    if (!left) carrier_.abandon();
    return left;
  }
  Carries& part() { return port_; }

 private:
  Carrier& carrier_;
  Context context_;
  PortType port_;
  Process<PortType, Machine> process_;
};

template <class Carrier>
std::unique_ptr<ControlRankOn<Carrier, control::Hub>> make_control_rank(Carrier& carrier, control::Hub hub) {
  return std::make_unique<ControlRankOn<Carrier, control::Hub>>(carrier, std::move(hub));
}
// call: what the callables of the executor's registry are, by the names that are registered there; on one work thread, or on the
// loop's where prompt(name) says that it takes microseconds.
template <class Carrier>
std::unique_ptr<ControlRankOn<Carrier, control::Executor, WorkPart>> make_control_rank(Carrier& carrier,
                                                                                       control::Executor executor,
                                                                                       WorkPart::Call call,
                                                                                       WorkPart::Prompt prompt = {}) {
  return std::make_unique<ControlRankOn<Carrier, control::Executor, WorkPart>>(
      carrier, std::move(executor), WorkPart::Calls{std::move(call), std::move(prompt)});
}

// An executor's life, on the calling thread, from joining to the end of the session; the exit code: 0 after an orderly shutdown.
// Does not return when the session was lost: it ends the process at once, for a callable may still run (spec B3.7).
int serve(ControlRank& executor, Duration leave_patience = seconds(30));

}  // namespace tenter::hw
