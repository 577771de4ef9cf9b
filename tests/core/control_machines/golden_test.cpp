// Every state of a hub and of an executor against every event that their ports can produce.
#include "tests/core/golden.hpp"
#include "samples.hpp"

namespace tenter::control::test {
namespace golden_test {
namespace {

// One machine, brought somewhere by events.
template <class M>
struct At {
  M machine;
  At& operator<<(const Event& e) {
    Outbox out;
    EXPECT_TRUE(deliver(machine, e, out)) << name_of(e);
    return *this;
  }
};

Event message(std::uint32_t from, std::uint32_t worker, std::uint64_t receive, MessageTag tag, Blob content,
              Status status = Status::ok) {
  return event::MessageArrived{
      Time{5}, operation(OperationKind::receive, worker, receive), status, Rank{from}, tag, content.size(), content};
}
Blob frame(FrameType type, std::uint64_t sequence, const Blob& payload = {}, std::uint64_t of_session = session) {
  return write_frame(type, {of_session, 0, sequence}, payload.bytes()).value();
}
Event from_executor(std::uint64_t receive, FrameType type, std::uint64_t sequence, const Blob& payload = {}) {
  return message(1, 0, receive, tag_of(type), frame(type, sequence, payload));
}
Blob hello(ReadyState ready = ReadyState::ready) { return write_hello({session, 0, "sim", all_features, ready}); }
Event call(const Note& note, std::uint64_t ticket = 9) { return event::Submitted{Time{5}, Ticket{ticket}, note}; }
Event task(std::uint64_t ticket = 9) { return call(submit_note({0, seconds(1), task_payload()}), ticket); }
Event sent(Op op, Status status = Status::ok) { return event::MessageSent{Time{5}, op, status, {}}; }
Event fired(OperationKind kind, std::uint64_t sequence = 0) { return event::TimerFired{Time{5}, operation(kind, 0, sequence)}; }
Event joined(std::uint32_t rank, std::uint32_t ranks = 2, Status status = Status::ok) {
  return event::WorldJoined{Time{5}, operation(OperationKind::join), status, Rank{rank}, ranks, {}};
}

// ---- the hub of one executor; its receives count from 1

using HubAt = At<Hub>;
HubAt idle_hub() { return {Hub(hub_config(1))}; }
HubAt joining_hub() { return std::move(idle_hub() << event::Started{}); }
HubAt failed_hub() { return std::move(joining_hub() << joined(0, 2, Status::failed)); }
HubAt registered() { return std::move(joining_hub() << joined(0)); }
HubAt ready() { return std::move(registered() << from_executor(1, FrameType::hello, 0, hello())); }
HubAt busy() { return std::move(ready() << task(1)); }
HubAt given_up() { return std::move(busy() << fired(OperationKind::deadline, 1)); }
HubAt route_failed() { return std::move(busy() << call(cancel_route_note(0))); }
HubAt route_lost() { return std::move(busy() << message(1, 0, 2, {}, {}, Status::peer_lost)); }
HubAt closing() { return std::move(ready() << call(shutdown_note(seconds(9)), 2)); }
HubAt closing_busy() { return std::move(busy() << call(shutdown_note(seconds(9)), 2)); }
HubAt closed() { return std::move(closing() << from_executor(2, FrameType::hello, 0, hello(ReadyState::not_ready))); }

TEST(HubTable, all_states_and_events) {
  tenter::test::GoldenTable<Hub> table;
  table.state("idle", idle_hub().machine);
  table.state("joining", joining_hub().machine);
  table.state("failed", failed_hub().machine);
  table.state("open/registered", registered().machine);
  table.state("open/ready", ready().machine);
  table.state("open/busy", busy().machine);
  table.state("open/given up", given_up().machine);
  table.state("open/route failed", route_failed().machine);
  table.state("open/route lost", route_lost().machine);
  table.state("closing/draining", closing().machine);
  table.state("closing/busy", closing_busy().machine);
  table.state("closed", closed().machine);
  const std::string no_receive = "that receive is not posted, or has ended";
  table.event("started", event::Started{}, "once, before anything else");
  table.event("world_joined", joined(0), "once");
  table.event("world_joined(failed)", joined(0, 2, Status::failed), "once");
  table.event("world_joined(as rank 1)", joined(1), "once");
  table.event("submitted(start)", call(call_note(CallKind::start)));
  table.event("submitted(task)", task());
  table.event("submitted(control)", call(control_note({0, {}, ControlName::prepare_callable, name_of_callable(1)})));
  table.event("submitted(cancel)", call(cancel_note(Ticket{1})));
  table.event("submitted(cancel_route)", call(cancel_route_note(0)));
  table.event("submitted(health)", call(call_note(CallKind::health)));
  table.event("submitted(shutdown)", call(shutdown_note(seconds(9))));
  table.event("submitted(abort)", call(shutdown_note(seconds(9), true)));
  table.event("submitted(none)", call(call_note(CallKind::serve)));
  for (const std::uint64_t receive : {1u, 2u}) {
    const std::string which = "message_arrived(" + text_of(receive) + ", ";
    table.event(which + "HELLO)", from_executor(receive, FrameType::hello, 0, hello()), no_receive);
    table.event(which + "goodbye)", from_executor(receive, FrameType::hello, 0, hello(ReadyState::not_ready)), no_receive);
    table.event(which + "HEALTH)", from_executor(receive, FrameType::health, 1), no_receive);
    table.event(which + "COMPLETION 1)", from_executor(receive, FrameType::completion, 1, write_completion({1, 0, {}})),
                no_receive);
    table.event(which + "COMPLETION 9)", from_executor(receive, FrameType::completion, 9, write_completion({9, 0, {}})),
                no_receive);
    table.event(which + "TASK)", from_executor(receive, FrameType::task, 1), no_receive);
    table.event(which + "garbage)", message(1, 0, receive, reply_tag, sized(50)), no_receive);
    table.event(which + "another session)", message(1, 0, receive, health_tag, frame(FrameType::health, 1, {}, 3)), no_receive);
    table.event(which + "no_space)", message(1, 0, receive, reply_tag, {}, Status::no_space), no_receive);
    table.event(which + "peer_lost)", message(1, 0, receive, {}, {}, Status::peer_lost), no_receive);
  }
  const std::string no_send = "nothing of that number is on its way";
  table.event("message_sent(command 1)", sent(operation(OperationKind::command, 0, 1)), no_send);
  table.event("message_sent(command 1, peer_lost)", sent(operation(OperationKind::command, 0, 1), Status::peer_lost), no_send);
  table.event("message_sent(beat 1)", sent(operation(OperationKind::beat, 0, 1)), no_send);
  table.event("message_sent(of no worker)", sent(operation(OperationKind::command, 7, 1)), "there is no such worker");
  table.event("timer_fired(tick)", fired(OperationKind::tick), "no world, or the end");
  table.event("timer_fired(startup)", fired(OperationKind::startup), "every HELLO is here");
  table.event("timer_fired(deadline 1)", fired(OperationKind::deadline, 1), "it was answered before");
  table.event("timer_fired(end)", fired(OperationKind::end), "nobody asked for the end");
  table.expect_complete({"idle", "joining", "failed", "open", "closing", "closed"});
  table.expect_matches("control_hub");
}

// ---- the executor of worker 0

using ExecutorAt = At<Executor>;
Event from_controller(std::uint64_t receive, FrameType type, std::uint64_t sequence, const Blob& payload = {}) {
  return message(0, 0, receive, tag_of(type), frame(type, sequence, payload));
}
Event done(Status status = Status::ok) {
  return event::Executed{Time{5}, operation(OperationKind::execute, 0, 1), status, blob("text")};
}
ExecutorAt idle_executor() { return {Executor(executor_config())}; }
ExecutorAt joining_executor() { return std::move(idle_executor() << event::Started{}); }
ExecutorAt serving() { return std::move(joining_executor() << joined(1) << call(call_note(CallKind::serve), 1)); }
ExecutorAt running() { return std::move(serving() << from_controller(1, FrameType::task, 1, task_payload())); }
ExecutorAt leaving() { return std::move(running() << from_controller(2, FrameType::shutdown, 2)); }
ExecutorAt parting() { return std::move(serving() << from_controller(1, FrameType::shutdown, 1)); }
ExecutorAt gone() {
  return std::move(parting() << sent(operation(OperationKind::reply, 0, 1)) << sent(operation(OperationKind::reply, 0, 2)));
}

TEST(ExecutorTable, all_states_and_events) {
  tenter::test::GoldenTable<Executor> table;
  table.state("idle", idle_executor().machine);
  table.state("joining", joining_executor().machine);
  table.state("serving/free", serving().machine);
  table.state("serving/running", running().machine);
  table.state("leaving", leaving().machine);
  table.state("parting", parting().machine);
  table.state("gone", gone().machine);
  table.event("started", event::Started{}, "once, before anything else");
  table.event("world_joined", joined(1), "once");
  table.event("world_joined(failed)", joined(1, 2, Status::failed), "once");
  table.event("world_joined(as rank 2)", joined(2), "once");
  table.event("submitted(serve)", call(call_note(CallKind::serve)));
  table.event("submitted(none)", call(call_note(CallKind::start)));
  const std::string no_receive = "that receive is not posted, or has ended";
  for (const std::uint64_t receive : {1u, 2u}) {
    const std::string which = "message_arrived(" + text_of(receive) + ", ";
    table.event(which + "TASK 3)", from_controller(receive, FrameType::task, 3, task_payload()), no_receive);
    table.event(which + "TASK 1)", from_controller(receive, FrameType::task, 1, task_payload()), no_receive);
    table.event(which + "broken TASK)", from_controller(receive, FrameType::task, 3, blob("no task")), no_receive);
    table.event(which + "CONTROL)",
                from_controller(receive, FrameType::control, 3, write_control({ControlName::copy_from_remote, 1, {}})),
                no_receive);
    table.event(which + "HEALTH)", from_controller(receive, FrameType::health, 1), no_receive);
    table.event(which + "SHUTDOWN)", from_controller(receive, FrameType::shutdown, 4), no_receive);
    table.event(which + "COMPLETION)", from_controller(receive, FrameType::completion, 1), no_receive);
    table.event(which + "garbage)", message(0, 0, receive, command_tag, sized(50)), no_receive);
    table.event(which + "no_space)", message(0, 0, receive, command_tag, {}, Status::no_space), no_receive);
    table.event(which + "peer_lost)", message(0, 0, receive, {}, {}, Status::peer_lost), no_receive);
  }
  table.event("executed", done(), "no task of that number runs");
  table.event("executed(failed)", done(Status::failed), "no task of that number runs");
  table.event("message_sent(reply 1)", sent(operation(OperationKind::reply, 0, 1)), "not on its way");
  table.event("message_sent(reply 1, peer_lost)", sent(operation(OperationKind::reply, 0, 1), Status::peer_lost),
              "not on its way");
  table.event("message_sent(beat 1)", sent(operation(OperationKind::beat, 0, 1)), "not on its way");
  table.event("timer_fired(tick)", fired(OperationKind::tick), "beats only between HELLO and goodbye");
  table.event("timer_fired(end)", fired(OperationKind::end), "armed by the goodbye");
  table.expect_complete({"idle", "joining", "serving", "leaving", "parting", "gone"});
  table.expect_matches("control_executor");
}

}  // namespace
}  // namespace golden_test
}  // namespace tenter::control::test
