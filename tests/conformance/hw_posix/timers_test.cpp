// The Timers contract on the real clock, driven by the real loop.
#include <algorithm>
#include <memory>
#include <vector>

#include "hw/loop/process.hpp"
#include "hw/posix/timers_part.hpp"
#include "tests/conformance/timers.hpp"

namespace tenter::hw {
namespace {

// Keeps what it is told.
struct Listener {
  std::vector<Event> events;
  template <class O>
  void on(const event::TimerFired& e, O&) {
    events.emplace_back(e);
  }
};

template <class Part>
class RealTimers {
 public:
  RealTimers()
      : port_(std::make_unique<PartPort>(PartPort{{context_}, {}})), process_(context_, *port_, Listener{}, Listener{}) {}

  template <class Action>
  void perform(Role role, const Action& action) {
    context_.current = role;
    port_->perform(action);
  }
  Time now() { return hw::now(); }
  std::optional<Event> next(Role role) {
    if (!port_) return take(role);
    while (!waiting(role) && (!context_.inbox.empty() || armed_for_soon())) {
      process_.run_until([&] { return waiting(role); }, std::min(hw::now() + seconds(60), deadline()));
    }
    return take(role);
  }
  void due() {
    while (armed_for_soon()) {
      context_.look_again();
      poll_parts(*port_);
    }
  }
  void end() { port_.reset(); }

 private:
  using PartPort = Port<Part>;
  std::vector<Event>& events(Role role) {
    return (role == Role{0} ? process_.template machine<0>() : process_.template machine<1>()).events;
  }
  bool waiting(Role role) { return !events(role).empty(); }
  std::optional<Event> take(Role role) {
    if (!waiting(role)) return std::nullopt;
    const Event first = events(role).front();
    events(role).erase(events(role).begin());
    return first;
  }
  Time deadline() {
    WaitSet waits;
    add_waits_of(*port_, waits);
    return waits.deadline;
  }
  bool armed_for_soon() { return deadline() < hw::now() + seconds(60); }

  Context context_;
  std::unique_ptr<PartPort> port_;
  Process<PartPort, Listener, Listener> process_;
};

using conformance::register_cases;
using conformance::TimersContract;
const bool real = register_cases<TimersContract<RealTimers<TimersPart>>>("Real/TimersContract");

TEST(TimersContract, planted_bugs_are_found_on_hardware) { conformance::expect_timer_bugs_found<RealTimers<TimersPart>>(); }

// A part with a bug of its own: it forgets that a firing may be in the inbox already.
struct CancelsOnlyWhatIsArmed : TimersPart {
  using TimersPart::TimersPart;
  void perform(const action::Arm& arm) { TimersPart::perform(arm); }
  void perform(const action::Cancel& cancel) { TimersPart::perform(action::Arm{cancel.op, end_of_time}); }
};
struct LeavesTheInboxAlone : CancelsOnlyWhatIsArmed {
  Context& context;
  LeavesTheInboxAlone(Context& c) : CancelsOnlyWhatIsArmed(c), context(c) {}
  void perform(const action::Arm& arm) { TimersPart::perform(arm); }
  void perform(const action::Cancel& cancel) {
    std::vector<Delivery> kept;
    while (!context.inbox.empty()) kept.push_back(context.inbox.take_front());
    TimersPart::perform(cancel);
    for (Delivery& delivery : kept) context.inbox.push_back(std::move(delivery));
  }
};

TEST(TimersContract, a_part_that_cancels_by_the_end_of_time_keeps_the_contract_too) {
  EXPECT_EQ(conformance::failing_cases<TimersContract<RealTimers<CancelsOnlyWhatIsArmed>>>(), std::vector<std::string>{});
}

TEST(TimersContract, a_part_that_delivers_what_was_cancelled_is_found) {
  EXPECT_EQ(conformance::failing_cases<TimersContract<RealTimers<LeavesTheInboxAlone>>>(),
            std::vector<std::string>{"a_timer_that_is_due_but_not_delivered_can_be_cancelled"});
}

}  // namespace
}  // namespace tenter::hw
