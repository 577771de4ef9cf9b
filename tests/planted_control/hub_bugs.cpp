#include <algorithm>

#include "core/control/inbound.hpp"
#include "core/control/slr3.hpp"
#include "tests/planted_control/control_bugs.hpp"

namespace tenter::planted {

using namespace control;

namespace {

HubBug then(std::function<void(Hub&, const Event&, Outbox&)> edit) {
  HubBug bug;
  bug.then = std::move(edit);
  return bug;
}
HubBug hears(std::function<bool(Hub&, Event&, Actions&)> edit) {
  HubBug bug;
  bug.hears = std::move(edit);
  return bug;
}
bool is_frame(const Action& action, FrameType type) {
  const auto* send = std::get_if<action::SendMessage>(&action);
  const auto frame = send ? read_frame(send->content.bytes()) : Result<Frame>(error(Status::invalid, ""));
  return frame && frame->type == type;
}
bool fires(const Event& event, OperationKind kind) {
  const auto* fired = std::get_if<event::TimerFired>(&event);
  return fired && kind_of(fired->op) == kind;
}
Time now_of(const Event& event) {
  return std::visit([](const auto& e) { return e.now; }, event);
}
bool calls(const Event& event, CallKind kind) {
  const auto* call = std::get_if<event::Submitted>(&event);
  return call && is(call->call, kind);
}
action::Complete* completion(Action& action) { return std::get_if<action::Complete>(&action); }

void end_every_route(Hub& hub, const Event& event, Outbox& out) {
  for (std::uint32_t worker = 0; worker < hub.routes().size(); ++worker)
    hub.on(event::Submitted{now_of(event), Ticket{1'000'000 + worker}, cancel_route_note(worker)}, out);
  std::erase_if(out.actions(), [](Action& a) { return completion(a) && is(completion(a)->outcome, CallKind::cancel_route); });
  for (Action& a : out.actions())
    if (completion(a) && completion(a)->outcome.status == Status::cancelled) completion(a)->outcome.status = Status::peer_lost;
}
HubBug ends_all_once(std::function<bool(const Hub&, const Event&)> when) {
  return then([when](Hub& hub, const Event& event, Outbox& out) {
    if (hub.state() == HubState::open && when(hub, event)) end_every_route(hub, event, out);
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

HubBug repeated_reply_completes_again() {
  return then([last = std::vector<Action>(), repeated = std::uint64_t{0}](Hub& hub, const Event&, Outbox& out) mutable {
    for (const Action& action : out.actions())
      if (const auto* c = std::get_if<action::Complete>(&action); c && c->outcome.c != 0) last = {action};
    if (sum(hub, &RouteCounts::repeated) == repeated || last.empty()) return;
    repeated = sum(hub, &RouteCounts::repeated);
    out.actions().push_back(last[0]);
  });
}

// Its number is taken for that of the oldest command, whichever it is of.
HubBug reply_matched_without_sequence() {
  return hears([](Hub& hub, Event& event, Actions&) {
    auto* arrived = std::get_if<event::MessageArrived>(&event);
    if (!arrived || arrived->tag != reply_tag || worker_of(arrived->op) >= hub.routes().size()) return true;
    const auto frame = read_frame(arrived->content.bytes());
    const auto& commands = hub.routes()[worker_of(arrived->op)].lane.commands();
    const auto awaited = std::find_if(commands.begin(), commands.end(), [](const Command& c) { return !c.given_up; });
    const auto reply = frame ? read_any_reply(*frame) : Result<AnyReply>(error(Status::invalid, ""));
    if (!reply || awaited == commands.end() || awaited->type != FrameType::task || reply->name != task_result) return true;
    FrameIdentity identity = frame->identity;
    identity.sequence = awaited->sequence;
    const Blob payload =
        frame->type == FrameType::completion
            ? write_completion({awaited->sequence, reply->code, reply->error})
            : write_control_reply({awaited->sequence, reply->name, reply->version, reply->code, {}, reply->result});
    const Blob content = write_frame(frame->type, identity, payload.bytes()).value();
    arrived->content = content;
    return true;
  });
}

// What was given up never comes back: as much of each share is lost, until a route has none.
HubBug credit_of_the_cancelled_is_lost() {
  return hears([lost = false](Hub&, Event& event, Actions& actions) mutable {
    lost = lost || calls(event, CallKind::cancel);
    const auto* call = std::get_if<event::Submitted>(&event);
    if (!lost || !call || !is(call->call, CallKind::submit)) return true;
    actions.push_back(action::Complete{call->ticket, answer_note(CallKind::submit, Status::no_space, "no credit for a task")});
    return false;
  });
}

HubBug waits_for_credit() {
  return then([](Hub&, const Event& event, Outbox& out) {
    if (!calls(event, CallKind::submit)) return;
    std::erase_if(out.actions(), [](Action& a) { return completion(a) && completion(a)->outcome.status == Status::no_space; });
  });
}

HubBug no_shutdown_to_the_busy() {
  return then([](Hub& hub, const Event&, Outbox& out) {
    std::erase_if(out.actions(), [&](const Action& action) {
      return is_frame(action, FrameType::shutdown) &&
             !hub.routes()[number(std::get<action::SendMessage>(action).to) - 1].lane.empty();
    });
  });
}

HubBug beats_behind_shutdown() {
  return then([ops = std::uint64_t{1'000'000}](Hub& hub, const Event& event, Outbox& out) mutable {
    if (!fires(event, OperationKind::tick) || hub.state() != HubState::closing) return;
    for (std::uint32_t worker = 0; worker < hub.routes().size(); ++worker) {
      ++ops;
      out.send_message(Op{ops << 24}, world_communicator, Rank{worker + 1}, health_tag,
                       write_frame(FrameType::health, {1, static_cast<std::int32_t>(worker), ops}, {}).value());
    }
  });
}

HubBug nobody_reads_the_beats() {
  return hears([](Hub&, Event& event, Actions& actions) {
    if (!fires(event, OperationKind::tick)) return true;
    actions.push_back(action::Arm{std::get<event::TimerFired>(event).op, now_of(event) + seconds(1)});
    return false;
  });
}

HubBug leaves_before_the_goodbyes() {
  return then([](Hub& hub, const Event& event, Outbox& out) {
    if (!calls(event, CallKind::shutdown) || hub.state() != HubState::closing) return;
    for (const Route& route : hub.routes())
      if (!route.lane.empty()) return;
    out.complete(std::get<event::Submitted>(event).ticket, answer_note(CallKind::shutdown, Status::ok, {}));
    out.exit_process(0, true);
  });
}

HubBug without_completions(std::function<bool(const Note&)> which) {
  return then([which](Hub&, const Event&, Outbox& out) {
    std::erase_if(out.actions(), [&](Action& a) { return completion(a) && which(completion(a)->outcome); });
  });
}
HubBug swallows(OperationKind timer) {
  return hears([timer](Hub&, Event& event, Actions&) { return !fires(event, timer); });
}

HubBug deadlines_are_halved() {
  return then([](Hub&, const Event& event, Outbox& out) {
    for (Action& action : out.actions())
      if (auto* arm = std::get_if<action::Arm>(&action); arm && kind_of(arm->op) == OperationKind::deadline)
        arm->when = now_of(event) + Duration{number(arm->when - now_of(event)) / 2};
  });
}

HubBug leaves_in_order_in_any_case() {
  return then([](Hub&, const Event&, Outbox& out) {
    for (Action& action : out.actions())
      if (auto* exit = std::get_if<action::ExitProcess>(&action)) exit->orderly = true;
  });
}

HubBug failure_told_as_success() {
  return then([](Hub&, const Event&, Outbox& out) {
    for (Action& a : out.actions())
      if (completion(a) && completion(a)->outcome.status == Status::failed) completion(a)->outcome.status = Status::ok;
  });
}

HubBug every_shutdown_aborts() {
  return hears([](Hub&, Event& event, Actions&) {
    if (calls(event, CallKind::shutdown)) std::get<event::Submitted>(event).call.b = 1;
    return true;
  });
}

HubBug cancels_another() {
  return hears([](Hub& hub, Event& event, Actions&) {
    if (!calls(event, CallKind::cancel)) return true;
    for (const Route& route : hub.routes())
      for (const Command& command : route.lane.commands())
        if (!command.given_up) std::get<event::Submitted>(event).call.ticket = number(command.ticket);
    return true;
  });
}

HubBug numbers_are_skipped() {
  return then([](Hub&, const Event&, Outbox& out) {
    for (Action& action : out.actions()) {
      if (!is_frame(action, FrameType::control)) continue;
      auto& send = std::get<action::SendMessage>(action);
      const auto frame = read_frame(send.content.bytes());
      FrameIdentity identity = frame->identity;
      ++identity.sequence;
      const Blob content = write_frame(frame->type, identity, frame->payload).value();
      send.content = content;
    }
  });
}

}  // namespace

std::vector<PlantedControl> hub_bugs() {
  constexpr auto cause = "S7 nothing fails without a cause of its own", own = "S1 an answer is the call's own";
  protocols::ControlScenario storm;
  storm.hostile = true;
  return {
      {"one_route_ends_all", "a route that fails ends every other", cause,
       with_hub(ends_all_once([](const Hub& hub, const Event&) { return any_failed(hub); }))},
      {"late_reply_ends_all", "a reply to what was given up ends every route", cause,
       with_hub(ends_all_once([](const Hub& hub, const Event&) { return sum(hub, &RouteCounts::late) > 0; }))},
      {"repeated_reply_ends_all", "a reply to what was answered ends every route", cause,
       with_hub(ends_all_once([](const Hub& hub, const Event&) { return sum(hub, &RouteCounts::repeated) > 0; })), storm},
      {"deadline_ends_all", "a task that is too slow ends every route", cause,
       with_hub(ends_all_once([](const Hub&, const Event& event) { return fires(event, OperationKind::deadline); }))},
      {"repeated_reply_completes_again", "a call is answered by each of two replies", "a call is answered once",
       with_hub(repeated_reply_completes_again()), storm},
      {"reply_matched_without_sequence", "a reply answers the oldest command", own, with_hub(reply_matched_without_sequence())},
      {"failure_told_as_success", "a task's code is not looked at", own, with_hub(failure_told_as_success())},
      {"shares_one_pool", "routes have no share of their own", "P-X2 a share is its route's own",
       with_hub_configured([](HubConfig& c) { c.credit.share_bytes = 0; })},
      {"credit_beyond_the_pool",
       "credit is given that nobody has",
       "S6 what is on its way is within the credit",
       with_hub_configured([](HubConfig& c) { c.credit.pool_bytes *= 8; }),
       {0, true, false}},
      {"credit_of_the_cancelled_is_lost", "a cancelled command's credit never comes back", "P-X2 a share is its route's own",
       with_hub(credit_of_the_cancelled_is_lost())},
      {"waits_for_credit", "a task without credit is kept until there is some", "P-X1 a call is sent or refused at once",
       with_hub(waits_for_credit())},
      {"one_too_many_in_flight", "the window is counted from 0", "S6 a route has at most its window in flight",
       with_hub_configured([](HubConfig& c) { ++c.window; })},
      {"numbers_are_skipped", "a control takes a number and uses the next", "B2.3 commands are numbered one by one",
       with_hub(numbers_are_skipped())},
      {"no_shutdown_to_the_busy", "who runs a task is not told to leave", "P-X11 SHUTDOWN is said to every executor",
       with_hub(no_shutdown_to_the_busy())},
      {"beats_behind_shutdown", "beats go on while the session ends", "P-X12 SHUTDOWN is the last word",
       with_hub(beats_behind_shutdown())},
      {"leaves_before_the_goodbyes", "the controller finalizes as soon as all are told", "a machine keeps the Comm's contract",
       with_hub(leaves_before_the_goodbyes())},
      {"leaves_in_order_in_any_case", "the controller finalizes also when somebody is left",
       "a machine keeps the Comm's contract", with_hub(leaves_in_order_in_any_case())},
      {"nobody_reads_the_beats", "a silence is never noticed", "P-A5 a silence is noticed in time",
       with_hub(nobody_reads_the_beats())},
      {"shutdown_without_a_deadline", "a shutdown waits for everybody", "P-X11 a shutdown ends by its deadline",
       with_hub(swallows(OperationKind::end))},
      {"no_deadline_for_a_task", "a task's deadline passes unnoticed", "P-X8 a call ends by its deadline",
       with_hub(swallows(OperationKind::deadline))},
      {"deadlines_are_halved", "a deadline passes too soon", "P-X8 no deadline passes before its time",
       with_hub(deadlines_are_halved())},
      {"failed_routes_answer_nothing", "what is in flight when a route fails is forgotten", "S3 who ends has answered every call",
       with_hub(without_completions([](const Note& n) { return n.status == Status::peer_lost && n.c != 0; }))},
      {"cancelled_calls_are_forgotten",
       "who cancels answers the cancel alone",
       "S3 who ends has answered every call",
       with_hub(without_completions([](const Note& n) { return n.status == Status::cancelled && n.c != 0; })),
       {std::nullopt, false, false}},
      {"every_shutdown_aborts", "what is in flight is cancelled by any shutdown", cause, with_hub(every_shutdown_aborts())},
      {"cancels_another", "the newest command is cancelled, whichever was meant", cause, with_hub(cancels_another())},
  };
}

}  // namespace tenter::planted
