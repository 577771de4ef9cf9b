// The loop of one process: polls the parts of a port, gives every event to the machine of its role, and sleeps when nothing is
// left to do. The calling thread drives it.
//
//   hw::Context context;
//   Port<hw::TimersPart, hw::LocalPart> port{{context}, {context}, {}};
//   hw::Process process(context, port, Dispatcher{...}, Group{...});   // roles 0 and 1
//   process.start();
//   process.run_until([&] { return process.machine<0>().done(); }, hw::now() + seconds(5));
#pragma once
#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "core/machine.hpp"
#include "core/page/spin.hpp"
#include "core/port.hpp"
#include "hw/loop/park.hpp"
#include "hw/loop/step_hook.hpp"
#include "hw/part.hpp"

namespace tenter::hw {

// On standard error, when there were any: an event that nobody takes is a defect of a machine or of a part.
void tell_undelivered(const char* process, std::uint64_t events);

template <class... Parts>
void poll_parts(Port<Parts...>& port) {
  (static_cast<Parts&>(port).poll(), ...);
}
template <class... Parts>
void add_waits_of(Port<Parts...>& port, WaitSet& waits) {
  (static_cast<Parts&>(port).add_waits(waits), ...);
}

// Sees every delivery; this one sees nothing and costs nothing. A recording is another (hw/record/recorded.hpp).
struct Unobserved {
  // Calls handle(out), where out is the port or a wrapper of it, and returns its result. Afterwards the event may be moved from.
  template <class PortType, class Handle>
  bool observe(Role, Event&, PortType& port, Handle&& handle) {
    return handle(port);
  }
  // Before the process sleeps: time for what need not be done between an event and its answer. Not before it yields: where
  // processes share a CPU, what one does before it makes way is in the way of the others.
  void idle() {}
};

template <class PortType, class Observer, class... Machines>
class ObservedProcess {
 public:
  // The context and the port outlive the process. The role of a machine is its place.
  ObservedProcess(Context& context, PortType& port, Observer observer, Machines... machines)
      : context_(context), port_(port), observer_(std::move(observer)), machines_(std::move(machines)...) {}
  ObservedProcess(const ObservedProcess&) = delete;
  ObservedProcess& operator=(const ObservedProcess&) = delete;

  // Started for every machine, in the order of the roles, before anything else.
  void start() {
    const Time at = now();
    for (std::size_t i = sizeof...(Machines); i-- > 0;) {
      context_.inbox.push_front({Role{static_cast<std::uint16_t>(i)}, event::Started{at}});
    }
  }

  // Polls and delivers until nothing is ready; never blocks. Returns the number of events delivered.
  std::uint64_t run_ready() {
    const std::uint64_t delivered = run_while([] { return true; });
    observer_.idle();
    return delivered;
  }

  // Runs until predicate() or the deadline; true when the predicate holds. Asked after every event. With a watch, another thread
  // may run it while this one sleeps: the watch keeps them apart.
  template <class Predicate>
  bool run_until(Predicate&& predicate, Time deadline, SleepWatch* watch = nullptr) {
    while (true) {
      const std::uint32_t seen = context_.nudges.load(std::memory_order_acquire);
      std::uint64_t asked = 0;  // a look at the clock costs as much as a delivery
      const std::uint64_t delivered = run_while([&] { return !predicate() && (++asked % 32 != 0 || now() < deadline); });
      if (predicate()) return true;
      if (now() >= deadline) return false;
      if (delivered > 0) {
        yielding_ = false;
      } else if (yielding_ ? !look_on() : !spin()) {
        park_until(seen, deadline, watch);
      }
    }
  }

  // The same, and ends when nothing is left that could ever deliver an event: no word watched, no timer armed, nothing in
  // flight. For a process that nobody calls from outside its ports.
  template <class Predicate>
  bool run_until_quiet(Predicate&& predicate, Time deadline) {
    ends_when_quiet_ = true;
    return run_until([&] { return quiet_ || predicate(); }, deadline);
  }
  bool quiet() const { return quiet_; }

  // For who ran the process while another thread slept in it (run_until with a watch): whether that thread sleeps on all that
  // there is to wait for now. If not, it must be nudged.
  bool sleep_holds() {
    if (!context_.inbox.empty()) return false;
    waits_.clear();
    add_waits_of(port_, waits_);
    return waits_.same_as(slept_on_);
  }

  template <std::size_t I>
  auto& machine() {
    return std::get<I>(machines_);
  }
  // Events that named no machine of this process, or that their machine does not handle.
  std::uint64_t undelivered() const { return undelivered_; }

 private:
  static constexpr std::uint32_t looks_a_yield = 8;
  static constexpr std::uint32_t spin_limit = 200;  // polls that cost about as much as a sleep and a wake

  template <class Go>
  std::uint64_t run_while(Go&& go) {
    std::uint64_t delivered = 0;
    look();
    while (!context_.inbox.empty() && go()) {
      Delivery delivery = context_.inbox.take_front();
      context_.current = delivery.to;
      if (!dispatch(delivery, std::index_sequence_for<Machines...>{})) ++undelivered_;
      ++delivered;
      if (context_.inbox.empty() || delivered % 64 == 0) look();  // a chain of notes starves no timer
    }
    return delivered;
  }

  template <std::size_t... I>
  bool dispatch(Delivery& delivery, std::index_sequence<I...>) {
    bool handled = false;
    ((number(delivery.to) == I ? void(handled = hand_over(std::get<I>(machines_), delivery)) : void()), ...);
    return handled;
  }

  template <class M>
  bool hand_over(M& machine, Delivery& delivery) {
    if constexpr (Machine<M>) {
      if (context_.step_hook != nullptr) [[unlikely]]
        context_.step_hook->at(M::name, machine.state_name(), name_of(delivery.event));
    }
    return observer_.observe(delivery.to, delivery.event, port_,
                             [&](auto& out) { return deliver(machine, delivery.event, out); });
  }

  void look() {
    context_.look_again();
    poll_parts(port_);
  }

  // True when something arrived.
  bool spin() {
    spun_ = spin_budget_.spins();
    if (spun_ == 0) return false;
    const Time begin = now();
    for (std::uint32_t i = 0; i < spun_; ++i) {
      if (i % 8 == 0) context_.look_again();  // between, the parts see the words and not the clock
      poll_parts(port_);
      if (context_.inbox.empty()) continue;
      spin_budget_.waited(i);
      return true;
    }
    spin_cost_ = std::max<std::int64_t>(1, number(now() - begin) / spun_);
    return false;
  }

  // Between two yields, which are system calls; where others wait for this CPU there is no time for it. True when something
  // arrived.
  bool look_on() {
    if (context_.crowded) return false;
    for (std::uint32_t i = 0; i < looks_a_yield && context_.inbox.empty(); ++i) poll_parts(port_);
    return !context_.inbox.empty();
  }

  void park_until(std::uint32_t seen, Time deadline, SleepWatch* watch) {
    waits_.clear();
    add_waits_of(port_, waits_);
    quiet_ = ends_when_quiet_ && waits_.empty();
    if (quiet_) return;
    if (watch) slept_on_ = waits_;
    waits_.until(deadline);
    yielding_ = number(waits_.poll_again) == 0;
    if (yielding_) {
      sched_yield();
      return;
    }
    observer_.idle();
    const Time at = now();
    if (number(waits_.poll_again) > 0) waits_.until(at + waits_.poll_again);
    parker_.park(waits_, seen, watch);
    spin_budget_.waited(spun_ + static_cast<std::uint64_t>(number(now() - at) / spin_cost_));
  }

  Context& context_;
  PortType& port_;
  [[no_unique_address]] Observer observer_;
  std::tuple<Machines...> machines_;
  WaitSet waits_, slept_on_;
  Parker parker_{context_};
  page::SpinBudget spin_budget_{spin_limit, context_.crowded ? 1 : usable_cpus()};
  std::uint32_t spun_ = 0;        // polls of the last spin
  std::int64_t spin_cost_ = 100;  // nanoseconds a poll, measured by the spins that were in vain
  bool yielding_ = false;         // a part wants to be polled again at once
  bool ends_when_quiet_ = false, quiet_ = false;
  std::uint64_t undelivered_ = 0;
};

template <class PortType, class... Machines>
class Process : public ObservedProcess<PortType, Unobserved, Machines...> {
 public:
  Process(Context& context, PortType& port, Machines... machines)
      : ObservedProcess<PortType, Unobserved, Machines...>(context, port, Unobserved{}, std::move(machines)...) {}
};

}  // namespace tenter::hw
