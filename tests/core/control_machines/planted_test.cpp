// Bugs of the reference (spec B3.8) and of reviews, as variants of our machines: each is found by a claim that ours keeps.
#include "claims.hpp"

namespace tenter::control::test {
namespace planted_test {
namespace {

void perform(const std::vector<Action>& actions, Outbox& out) {
  for (const Action& action : actions) std::visit([&](const auto& a) { out.perform(a); }, action);
}
bool is_frame(const Action& action, FrameType type) {
  const auto* send = std::get_if<action::SendMessage>(&action);
  return send && read_frame(send->content.bytes())->type == type;
}

// The shipped machine answers, and `Bug` changes what it hears or what it answered.
template <class M, class Config, class Bug>
struct Around {
  explicit Around(Config config) : machine(config) {}
  template <class E>
  requires Handles<M, E>
  void on(const E& e, Outbox& out) {
    Outbox box;
    if constexpr (requires { bug.hears(machine, e, box); }) {
      bug.hears(machine, e, box);
    } else {
      machine.on(e, box);
    }
    if constexpr (requires { bug.after(machine, e, box.actions()); }) bug.after(machine, e, box.actions());
    if constexpr (requires { bug.then(machine, e, box); }) bug.then(machine, e, box);
    perform(box.actions(), out);
  }
  M machine;
  Bug bug;
};
template <class Bug>
using BadHub = Around<Hub, HubConfig, Bug>;
template <class Bug>
using BadExecutor = Around<Executor, ExecutorConfig, Bug>;

void end_every_route(Hub& hub, Time now, Outbox& out) {
  for (std::uint32_t worker = 0; worker < hub.routes().size(); ++worker)
    hub.on(event::Submitted{now, Ticket{1'000'000 + worker}, cancel_route_note(worker)}, out);
  std::erase_if(out.actions(), [](const Action& action) {
    const auto* complete = std::get_if<action::Complete>(&action);
    return complete && is(complete->outcome, CallKind::cancel_route);
  });
}
std::uint64_t sum(const Hub& hub, std::uint64_t RouteCounts::*count) {
  std::uint64_t total = 0;
  for (const Route& route : hub.routes()) total += route.counts.*count;
  return total;
}
bool any_failed(const Hub& hub) {
  return std::any_of(hub.routes().begin(), hub.routes().end(), [](const Route& r) { return r.phase == RoutePhase::failed; });
}

struct OneRouteEndsAll {  // B
  template <class E>
  void then(Hub& hub, const E& e, Outbox& out) {
    if (any_failed(hub)) end_every_route(hub, e.now, out);
  }
};
struct RepeatedReplyEndsTheHub {  // C
  template <class E>
  void then(Hub& hub, const E& e, Outbox& out) {
    if (sum(hub, &RouteCounts::repeated) > 0) end_every_route(hub, e.now, out);
  }
};
struct RepeatedReplyCompletesAgain {  // C
  template <class E>
  void after(Hub& hub, const E&, std::vector<Action>& actions) {
    for (const Action& action : actions)
      if (std::holds_alternative<action::Complete>(action)) last = action;
    if (sum(hub, &RouteCounts::repeated) > 0 && !again) {
      again = true;
      actions.push_back(last);
    }
  }
  Action last;
  bool again = false;
};
struct KeepsUnsolicitedReplies {  // D
  void hears(Hub& hub, const event::MessageArrived& e, Outbox& out) {
    Hub before = hub;
    Outbox first;
    hub.on(e, first);
    if (!any_failed(hub) || any_failed(before)) return perform(first.actions(), out);
    hub = std::move(before);
    event::MessageArrived other = e;
    other.tag = health_tag;
    other.content = write_frame(FrameType::health, {session, static_cast<std::int32_t>(worker_of(e.op)), ++beats}, {}).value();
    hub.on(other, out);
  }
  std::uint64_t beats = 1'000;
};
struct LateReplyEndsTheHub {  // F
  template <class E>
  void then(Hub& hub, const E& e, Outbox& out) {
    if (sum(hub, &RouteCounts::late) > 0) end_every_route(hub, e.now, out);
  }
};
struct DeadlineEndsTheHub {  // F
  void then(Hub& hub, const event::TimerFired& e, Outbox& out) {
    if (kind_of(e.op) == OperationKind::deadline) end_every_route(hub, e.now, out);
  }
};
struct NoShutdownToTheBusyAndTheFailed {  // E, G
  template <class E>
  void after(Hub& hub, const E&, std::vector<Action>& actions) {
    std::erase_if(actions, [&](const Action& action) {
      if (!is_frame(action, FrameType::shutdown)) return false;
      const Route& route = hub.routes()[number(std::get<action::SendMessage>(action).to) - 1];
      return !route.lane.empty() || route.phase == RoutePhase::failed;
    });
  }
};
struct BeatIsHello {  // H
  void hears(Hub& hub, event::MessageArrived e, Outbox& out) {
    if (e.tag == health_tag) {
      e.tag = lifecycle_tag;
      e.content =
          write_frame(FrameType::hello, {session, 0, 0}, write_hello({session, 0, "sim", 0, ReadyState::ready}).bytes()).value();
    }
    hub.on(e, out);
  }
};
struct NobodyReadsTheBeats {  // P-A5
  void hears(Hub& hub, const event::TimerFired& e, Outbox& out) {
    if (kind_of(e.op) == OperationKind::tick)
      out.arm(e.op, e.now + seconds(1));
    else
      hub.on(e, out);
  }
};
struct SilenceByTheClock {  // B26
  void then(Hub& hub, const event::TimerFired& e, Outbox& out) {
    if (kind_of(e.op) != OperationKind::tick) return;
    for (const Route& route : hub.routes())
      if (e.now - route.heard > seconds(4)) return end_every_route(hub, e.now, out);
  }
};
struct LeavesBeforeTheGoodbyes {  // P-X12
  void after(Hub&, const event::Submitted& e, std::vector<Action>& actions) {
    if (!is(e.call, CallKind::shutdown)) return;
    actions.push_back(action::Complete{e.ticket, answer_note(CallKind::shutdown, Status::ok, {})});
    actions.push_back(action::ExitProcess{0, true});
  }
};
struct BeatsBehindShutdown {  // P-X12
  void after(Hub& hub, const event::TimerFired& e, std::vector<Action>& actions) {
    if (kind_of(e.op) != OperationKind::tick || hub.state() != HubState::closing) return;
    for (std::uint32_t worker = 0; worker < hub.routes().size(); ++worker)
      actions.push_back(
          action::SendMessage{Op{++ops << 8}, world_communicator, Rank{worker + 1}, health_tag,
                              write_frame(FrameType::health, {session, static_cast<std::int32_t>(worker), ops}, {}).value()});
  }
  std::uint64_t ops = 1'000'000;
};
struct DeafToFailedRoutes {  // P-X12
  template <class E>
  void after(Hub& hub, const E&, std::vector<Action>& actions) {
    std::erase_if(actions, [&](const Action& action) {
      const auto* receive = std::get_if<action::ReceiveMessage>(&action);
      return receive && hub.routes()[number(receive->from) - 1].phase == RoutePhase::failed;
    });
  }
};

struct BeatsBehindItsTask {  // A2.4
  template <class E>
  void after(Executor& executor, const E& e, std::vector<Action>& actions) {
    if (executor.queue().empty()) return;
    std::vector<Op> held;
    std::erase_if(actions, [&](const Action& action) {
      const bool beat = is_frame(action, FrameType::health);
      if (beat) held.push_back(std::get<action::SendMessage>(action).op);
      return beat;
    });
    Outbox nothing;
    for (const Op op : held) executor.on(event::MessageSent{e.now, op, Status::ok, {}}, nothing);
  }
};
struct AnswersTwice {
  template <class E>
  void after(Executor&, const E&, std::vector<Action>& actions) {
    std::vector<Action> again;
    for (const Action& action : actions)
      if (is_frame(action, FrameType::completion)) {
        again.push_back(action);
        std::get<action::SendMessage>(again.back()).op = Op{++ops << 8};
      }
    actions.insert(actions.end(), again.begin(), again.end());
  }
  std::uint64_t ops = 1'000'000;
};
struct LeavesBeforeItsTask {  // P-X11
  template <class E>
  void after(Executor& executor, const E&, std::vector<Action>& actions) {
    if (executor.state() == ExecutorState::leaving) actions.push_back(action::ExitProcess{0, true});
  }
};
struct NeverDoubtsItsController {  // P-X18
  void hears(Executor& executor, const event::TimerFired& e, Outbox& out) {
    Executor before = executor;
    executor.on(e, out);
    if (executor.state() != ExecutorState::gone) return;
    executor = std::move(before);
    out.clear();
    out.arm(e.op, e.now + seconds(1));
  }
};

TEST(PlantedInTheHub, that_one_route_ends_all_is_found) {
  EXPECT_TRUE((garbage_ends_one_route_only<Hub, Executor>()));
  EXPECT_FALSE((garbage_ends_one_route_only<BadHub<OneRouteEndsAll>, Executor>()));
}
TEST(PlantedInTheHub, that_a_repeated_reply_ends_it_or_is_an_answer_again_is_found) {
  EXPECT_TRUE((a_repeated_reply_is_dropped_and_the_next_command_succeeds<Hub, Executor>()));
  EXPECT_FALSE((a_repeated_reply_is_dropped_and_the_next_command_succeeds<BadHub<RepeatedReplyEndsTheHub>, Executor>()));
  EXPECT_FALSE((a_repeated_reply_is_dropped_and_the_next_command_succeeds<BadHub<RepeatedReplyCompletesAgain>, Executor>()));
}
TEST(PlantedInTheHub, that_unsolicited_replies_are_kept_is_found) {
  EXPECT_TRUE((an_unsolicited_reply_ends_its_route<Hub, Executor>()));
  EXPECT_FALSE((an_unsolicited_reply_ends_its_route<BadHub<KeepsUnsolicitedReplies>, Executor>()));
}
TEST(PlantedInTheHub, that_a_late_reply_or_a_deadline_ends_it_is_found) {
  EXPECT_TRUE((a_slow_task_ends_at_its_deadline_alone_and_its_late_reply_harms_nobody<Hub, Executor>()));
  EXPECT_FALSE((a_slow_task_ends_at_its_deadline_alone_and_its_late_reply_harms_nobody<BadHub<LateReplyEndsTheHub>, Executor>()));
  EXPECT_FALSE((a_slow_task_ends_at_its_deadline_alone_and_its_late_reply_harms_nobody<BadHub<DeadlineEndsTheHub>, Executor>()));
}
TEST(PlantedInTheHub, that_the_busy_and_the_failed_are_not_told_to_leave_is_found) {
  EXPECT_TRUE((a_session_with_a_task_in_flight_ends_in_order<Hub, Executor>()));
  EXPECT_TRUE((an_executor_of_a_cancelled_route_is_told_to_leave<Hub, Executor>()));
  EXPECT_FALSE((a_session_with_a_task_in_flight_ends_in_order<BadHub<NoShutdownToTheBusyAndTheFailed>, Executor>()));
  EXPECT_FALSE((an_executor_of_a_cancelled_route_is_told_to_leave<BadHub<NoShutdownToTheBusyAndTheFailed>, Executor>()));
}
TEST(PlantedInTheHub, that_a_beat_stands_for_hello_is_found) {
  EXPECT_TRUE((nothing_is_sent_before_hello<Hub, Executor>()));
  EXPECT_FALSE((nothing_is_sent_before_hello<BadHub<BeatIsHello>, Executor>()));
}
TEST(PlantedInTheHub, that_nobody_reads_the_beats_or_a_stopped_hub_blames_others_is_found) {
  EXPECT_TRUE((silence_is_noticed<Hub, Executor>()));
  EXPECT_TRUE((a_hub_that_was_stopped_blames_nobody<Hub, Executor>()));
  EXPECT_FALSE((silence_is_noticed<BadHub<NobodyReadsTheBeats>, Executor>()));
  EXPECT_FALSE((a_hub_that_was_stopped_blames_nobody<BadHub<SilenceByTheClock>, Executor>()));
}
TEST(PlantedInTheHub, that_it_leaves_early_or_speaks_behind_its_last_word_is_found) {
  EXPECT_FALSE((a_session_with_a_task_in_flight_ends_in_order<BadHub<LeavesBeforeTheGoodbyes>, Executor>()));
  EXPECT_FALSE((a_session_with_a_task_in_flight_ends_in_order<BadHub<BeatsBehindShutdown>, Executor>()));
  EXPECT_TRUE((what_a_failed_route_still_says_is_taken<Hub, Executor>()));
  EXPECT_FALSE((what_a_failed_route_still_says_is_taken<BadHub<DeafToFailedRoutes>, Executor>()));
}
TEST(PlantedInTheHub, that_all_routes_share_one_pool_is_found) {
  HubConfig config = hub_config(2);
  EXPECT_TRUE((a_stuck_frame_stops_nobody<Hub, Executor>(config)));
  config.credit.share_bytes = 0;
  EXPECT_FALSE((a_stuck_frame_stops_nobody<Hub, Executor>(config)));
}

TEST(PlantedInTheExecutor, that_its_beats_wait_for_its_task_is_found) {
  EXPECT_FALSE((a_slow_task_ends_at_its_deadline_alone_and_its_late_reply_harms_nobody<Hub, BadExecutor<BeatsBehindItsTask>>()));
}
TEST(PlantedInTheExecutor, that_it_answers_twice_is_found) {
  EXPECT_TRUE((each_task_is_executed_and_answered_once<Hub, Executor>()));
  EXPECT_FALSE((each_task_is_executed_and_answered_once<Hub, BadExecutor<AnswersTwice>>()));
}
TEST(PlantedInTheExecutor, that_it_leaves_before_its_task_is_done_is_found) {
  EXPECT_FALSE((a_session_with_a_task_in_flight_ends_in_order<Hub, BadExecutor<LeavesBeforeItsTask>>()));
}
TEST(PlantedInTheExecutor, that_it_never_doubts_its_controller_is_found) {
  EXPECT_TRUE((a_lost_controller_is_noticed<Hub, Executor>()));
  EXPECT_FALSE((a_lost_controller_is_noticed<Hub, BadExecutor<NeverDoubtsItsController>>()));
}

}  // namespace
}  // namespace planted_test
}  // namespace tenter::control::test
