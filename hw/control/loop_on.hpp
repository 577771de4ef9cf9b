// RankLoop for one kind of machine on one kind of port. Private to hw/control.
#pragma once
#include <memory>
#include <utility>

#include "core/control/over_streams.hpp"
#include "hw/control/rank_loop.hpp"
#include "hw/loop/process.hpp"
#include "hw/posix/work_part.hpp"
#include "hw/record/recorded.hpp"

namespace tenter::hw {

template <class M>
bool joined(const control::OverStreams<M>& carrier) {
  return carrier.step() == control::CarrierStep::running;
}
template <class M>
bool apart(const control::OverStreams<M>& carrier) {
  return carrier.step() == control::CarrierStep::over;
}
inline bool joined(const control::Hub& hub) { return hub.state() == control::HubState::open; }
inline bool apart(const control::Hub& hub) { return hub.state() >= control::HubState::closed; }
inline bool joined(const control::Executor& executor) { return executor.state() == control::ExecutorState::serving; }
inline bool apart(const control::Executor& executor) { return executor.state() == control::ExecutorState::gone; }

inline WorkPart::Calls runs(const ControlCallables& callables) {
  return {[&callables](const Blob& name, const Blob& payload) { return run_callable(callables, name, payload); }, is_prompt};
}

template <class M, class PortType>
class LoopOn : public RankLoop {
 public:
  // make(context): the port. recorder: null when nothing is recorded.
  template <class Make>
  LoopOn(const RankPlace& place, M machine, Make&& make, std::unique_ptr<Recorder> recorder = nullptr)
      : recorder_(std::move(recorder)),
        context_(nullptr, place.topology.world() + 1 > usable_cpus()),
        port_(make(context_)),
        process_(context_, port_, PerhapsRecorded(recorder_.get()), std::move(machine)) {}
  ~LoopOn() override { tell_undelivered("tenter control rank", process_.undelivered()); }

  void start() override { process_.start(); }
  ClientPart& client() override { return port_; }
  bool run_until(const std::function<bool()>& until, Time deadline) override { return process_.run_until(until, deadline); }
  std::string address() const override {
    if constexpr (requires { machine().address(); })
      return machine().address();
    else
      return {};
  }
  bool has_joined() const override { return joined(machine()); }
  bool cannot_join() const override { return apart(machine()); }
  const std::optional<ExitRequest>& exit_requested() const override {
    return static_cast<const ProcessesPart&>(port_).exit_requested();
  }
  Result<void> finish_recording() override { return recorder_ ? recorder_->finish() : Result<void>(); }

 protected:
  const M& machine() const { return process_.template machine<0>(); }
  std::unique_ptr<Recorder> recorder_;
  Context context_;
  PortType port_;
  mutable ObservedProcess<PortType, PerhapsRecorded, M> process_;
};

}  // namespace tenter::hw
