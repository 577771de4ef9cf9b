// Rank 0: sends tasks and controls to the executors of one static world, and answers each call once. docs/protocols/control.md,
// spec A1, A2, B3.
//
// It has no queue: what is accepted is handed to the port at once, and what cannot be is refused at once. Each route (route.hpp)
// has its window, its share of credit and its health, and fails alone. The hub itself ends only by `shutdown`, or when the world
// could not be joined.
//
// Steps are named "hub.<state>.<event>", for example hub.open.message_arrived.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/control/calls.hpp"
#include "core/control/credit.hpp"
#include "core/control/operation.hpp"
#include "core/control/route.hpp"
#include "core/control/slr3.hpp"
#include "core/machine.hpp"
#include "core/port.hpp"

namespace tenter::control {

template <class O>
concept HubPorts = Comm<O> && Timers<O> && Client<O> && Performs<O, action::ExitProcess>;

struct HubConfig {
  std::uint64_t session = 1;          // never 0
  std::vector<std::string> profiles;  // comm_profile of each executor; as many as there are
  std::uint32_t window = 1;           // commands in flight of a route; the reference's executors take 1
  CreditConfig credit;
  Communicator communicator = world_communicator;
  Duration startup_patience = seconds(60);   // for every HELLO
  Duration heartbeat_interval = seconds(1);  // of both sides
  std::uint32_t silent_ticks_max = 4;        // intervals without a frame after which an executor is lost
  std::uint32_t dropped_max = 1'000;         // frames of one route that were dropped, before it fails as a flood
  std::uint32_t waiting_calls_max = 16;      // of `start`, and of `shutdown`
  friend bool operator==(const HubConfig&, const HubConfig&) = default;
  TENTER_DESCRIBE(hub_config, session, profiles, window, credit, communicator, startup_patience, heartbeat_interval,
                  silent_ticks_max, dropped_max, waiting_calls_max)
};

enum class HubState : std::uint8_t {
  idle,     // before the process has started
  joining,  // the world
  open,     // tasks and controls are taken
  closing,  // shutdown: SHUTDOWN was sent to every executor
  closed,   // every ticket is answered, the process ends
  failed,   // the world could not be joined: nothing but shutdown is possible
};

class Hub {
 public:
  Hub() = default;
  explicit Hub(HubConfig config);

  template <HubPorts O>
  void on(const event::Started& e, O& out);
  template <HubPorts O>
  void on(const event::WorldJoined& e, O& out);
  template <HubPorts O>
  void on(const event::Submitted& e, O& out);
  template <HubPorts O>
  void on(const event::MessageSent& e, O& out);
  template <HubPorts O>
  void on(const event::MessageArrived& e, O& out);
  template <HubPorts O>
  void on(const event::TimerFired& e, O& out);

  std::string_view state_name() const {
    constexpr std::string_view names[] = {"idle", "joining", "open", "closing", "closed", "failed"};
    return names[static_cast<std::size_t>(state_)];
  }
  HubState state() const { return state_; }
  const std::vector<Route>& routes() const { return routes_; }
  const Credit& credit() const { return credit_; }

 private:
  // hub_start.hpp
  template <class O>
  void start(const event::Submitted& e, O& out);
  template <class O>
  void join_failed(O& out);
  template <class O>
  void answer_starts(O& out);
  template <class O>
  void receive(std::uint32_t worker, O& out);
  template <class O>
  void greeted(std::uint32_t worker, const Frame& frame, O& out);
  template <class O>
  void leave_in_silence(std::uint32_t worker, O& out);
  template <class O>
  void said_goodbye(std::uint32_t worker, O& out);
  // hub_submit.hpp
  template <class O>
  void submit(const event::Submitted& e, const SubmitCall& call, O& out);
  template <class O>
  void send_control(const event::Submitted& e, const SendControlCall& call, O& out);
  template <class O>
  void send(const event::Submitted& e, std::uint32_t worker, Duration patience, Command command, Bytes payload, O& out);
  template <class O>
  void cancel(const event::Submitted& e, O& out);
  template <class O>
  void cancel_route(const event::Submitted& e, O& out);
  std::uint32_t freest_worker() const;
  std::uint32_t worker_that(const SubmitCall& call) const;
  // Why nothing can be sent to a route now; nothing when it can.
  std::optional<Error> refusal(std::uint32_t worker) const;
  // hub_receive.hpp
  template <class O>
  void take(std::uint32_t worker, const event::MessageArrived& e, O& out);
  template <class O>
  void replied(std::uint32_t worker, const Frame& frame, O& out);
  template <class O>
  void drop(std::uint32_t worker, std::uint64_t& count, O& out);
  template <class O>
  void give_up(std::uint32_t worker, Command& command, Status status, std::string text, O& out);
  void give_back(std::uint32_t worker, Command& command);
  // hub_health.hpp
  template <class O>
  void tick(Time now, O& out);
  template <class O>
  void beat(std::uint32_t worker, O& out);
  template <class O>
  void startup_is_over(O& out);
  template <class O>
  void deadline_passed(std::uint32_t worker, std::uint64_t sequence, O& out);
  Note health(Time now) const;
  // hub_end.hpp
  template <class O>
  void fail(std::uint32_t worker, Status status, std::string reason, O& out);
  template <class O>
  void lose(std::uint32_t worker, Status status, std::string reason, O& out);
  template <class O>
  void tell_to_leave(std::uint32_t worker, O& out);
  template <class O>
  void let_go(std::uint32_t worker, O& out);
  template <class O>
  void shutdown(const event::Submitted& e, O& out);
  template <class O>
  void close_all(O& out);
  template <class O>
  void cancel_all(O& out);
  template <class O>
  void look_for_the_end(O& out);
  template <class O>
  void end_is_due(O& out);
  template <class O>
  void end(Status status, std::string text, O& out);
  std::string failed_routes() const;

  std::uint32_t workers() const { return static_cast<std::uint32_t>(routes_.size()); }
  static Rank rank_of(std::uint32_t worker) { return Rank{worker + 1}; }
  FrameIdentity identity(std::uint32_t worker, std::uint64_t sequence) const {
    return {config_.session, static_cast<std::int32_t>(worker), sequence};
  }

  HubConfig config_;
  HubState state_ = HubState::idle;
  std::vector<Route> routes_;  // by worker: of rank - 1
  Credit credit_;
  std::vector<Ticket> starts_, shutdowns_;  // at most waiting_calls_max each
  std::string reason_;                      // failed: why
  bool overdue_ = false;                    // the shutdown's deadline has passed

 public:
  friend bool operator==(const Hub&, const Hub&) = default;
  TENTER_DESCRIBE(hub, config_, state_, routes_, credit_, starts_, shutdowns_, reason_, overdue_)
};

// "rank 3 (worker 2)"
std::string rank_text(std::uint32_t worker);

}  // namespace tenter::control

#include "core/control/hub_end.hpp"
#include "core/control/hub_health.hpp"
#include "core/control/hub_receive.hpp"
#include "core/control/hub_start.hpp"
#include "core/control/hub_submit.hpp"
