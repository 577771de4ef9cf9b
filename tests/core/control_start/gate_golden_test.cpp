// Every state of the gate and of its client with every event: tests/golden/gate.txt, gate_client.txt.
#include "core/control/gate_client.hpp"
#include "gate_kit.hpp"
#include "tests/core/golden.hpp"

namespace tenter::control {
namespace gate_golden_test {
namespace {

using namespace tenter::control::kit;

Event told(StartNote kind) { return event::Told{Time{9}, Role{0}, start_note(kind)}; }
Event fired(auto kind) { return event::TimerFired{Time{0} + seconds(1'000), start_operation(kind)}; }
Event read(auto kind, std::uint32_t connection, std::string_view bytes, Status status = Status::ok) {
  return event::StreamRead{Time{9}, start_operation(kind, connection), status, Blob(bytes)};
}

TEST(GateGolden, table_of_all_states_and_events) {
  tenter::test::GoldenTable<Gate> table;
  table.state("closed", Gate());
  Door opening(2);
  opening.deliver(event::Told{opening.now, Role{0}, gate_order_note(opening.order())});
  table.state("opening", opening.machine);
  Door door(2);
  door.open_gate();
  table.state("gathering", door.machine);
  Door stranger = door;
  stranger.connect();
  table.state("gathering/stranger on 1", stranger.machine);
  Door prefix = stranger;
  prefix.send(1, std::string("\0\0\0\x02", 4));
  table.state("gathering/prefix on 1", prefix.machine);
  Door one = door;
  one.say(door.report(1));
  table.state("gathering/rank 1 on 1", one.machine);
  Door collecting = door;
  collecting.say(door.report(1, GateState::failed, "why"));
  table.state("collecting", collecting.machine);
  Door releasing = one;
  releasing.say(door.report(0));
  table.state("releasing", releasing.machine);
  Door last = releasing;
  last.say_on(2, door.report(0, GateState::joined));
  table.state("releasing/rank 1 on 1 is missing", last.machine);
  Door over = last;
  over.say_on(1, door.report(1, GateState::joined));
  table.state("over", over.machine);

  table.event("started", event::Started{}, "begins with the owner's order");
  table.event("told(open)", event::Told{Time{9}, Role{0}, gate_order_note(door.order())}, "a gate is opened once");
  table.event("told(open, broken)", told(StartNote::open_gate), "a gate is opened once");
  table.event("told(open, by a stranger)", event::Told{Time{9}, Role{7}, gate_order_note(door.order())}, "not its owner");
  table.event("told(close)", told(StartNote::close_gate), "its end was told");
  table.event("listening(ok)", event::Listening{Time{9}, start_operation(GateOperation::listen), Status::ok, Blob("a:1"), {}},
              "was answered, or nobody asked");
  table.event("listening(denied)", event::Listening{Time{9}, start_operation(GateOperation::listen), Status::denied, {}, {}},
              "was answered, or nobody asked");
  for (std::uint32_t n = 0; n < 3; ++n) {
    const Op op = start_operation(GateOperation::accept, n);
    const std::string which = "connected(" + std::to_string(n + 1);
    table.event(which + ", ok)", event::Connected{Time{9}, op, Status::ok, Blob("b:1"), {}}, "not the accept that is open");
    table.event(which + ", no_space)", event::Connected{Time{9}, op, Status::no_space, {}, {}}, "not the accept that is open");
  }
  const std::string body(write_gate_report(door.report(1, GateState::joined)).text());
  table.event("read(1, prefix)", read(GateOperation::read, 1, body.substr(0, 4)), "no such connection");
  table.event("read(1, {})", read(GateOperation::read, 1, "{}"), "no such connection");
  table.event("read(1, joined whole)", read(GateOperation::read, 1, body), "no such connection");
  table.event("read(1, end)", read(GateOperation::read, 1, ""), "no such connection");
  table.event("read(1, peer_lost)", read(GateOperation::read, 1, "", Status::peer_lost), "no such connection");
  table.event("read(9, end)", read(GateOperation::read, 9, ""), "no such connection");
  table.event("written(1, ok)", event::StreamWritten{Time{9}, start_operation(GateOperation::write, 1), Status::ok},
              "that it has left says nothing of a rank that confirms");
  table.event("written(1, peer_lost)", event::StreamWritten{Time{9}, start_operation(GateOperation::write, 1), Status::peer_lost},
              "the read of that connection says it too");
  table.event("timer_fired(deadline)", fired(GateOperation::deadline), "not armed");
  table.event("timer_fired(strangers)", fired(GateOperation::strangers), "not armed");
  table.event("timer_fired(collect)", fired(GateOperation::collect), "nobody has failed");
  table.event("timer_fired(other)", event::TimerFired{Time{9}, Op{99}}, "not its timer");
  table.expect_complete({"closed", "opening", "gathering", "collecting", "releasing", "over"});
  table.expect_matches("gate");
}

TEST(GateClientGolden, table_of_all_states_and_events) {
  using Kind = GateClientOperation;
  const auto script = [](GateState state, const std::vector<Event>& events) {
    GateClient machine;
    Outbox out;
    deliver(machine, event::Told{Time{1}, Role{0}, check_in_note({"g:1", seconds(5), Door::report(1, state)})}, out);
    for (const Event& e : events) EXPECT_TRUE(deliver(machine, e, out));
    return machine;
  };
  const Event connected = event::Connected{Time{2}, start_operation(Kind::connect, 1), Status::ok, {}, {}};
  const std::string go(write_gate_go(token).text());
  const Event prefix = read(Kind::read, 1, go.substr(0, 4)), body = read(Kind::read, 1, go.substr(4));
  const Event end = read(Kind::read, 1, "");
  tenter::test::GoldenTable<GateClient> table;
  table.state("idle", GateClient());
  table.state("connecting", script(GateState::ready, {}));
  table.state("waiting/ready", script(GateState::ready, {connected}));
  table.state("waiting/ready, prefix read", script(GateState::ready, {connected, prefix}));
  table.state("waiting/failed", script(GateState::failed, {connected}));
  table.state("resting", script(GateState::ready, {connected, end}));
  table.state("going", script(GateState::ready, {connected, prefix, body}));
  table.state("going/alone", script(GateState::ready, {connected, prefix, body, end}));
  table.state("waiting/joined", script(GateState::ready, {connected, prefix, body, told(StartNote::joined)}));
  table.state("connecting/joined", script(GateState::ready, {connected, prefix, body, end, told(StartNote::joined)}));
  table.state("over", script(GateState::failed, {connected, end}));

  table.event("started", event::Started{}, "begins with the rank's order");
  table.event("told(check_in)", event::Told{Time{9}, Role{0}, check_in_note({"g:1", seconds(5), Door::report(1)})}, "once");
  table.event("told(check_in, broken)", told(StartNote::check_in), "once");
  table.event("told(check_in, by a stranger)", event::Told{Time{9}, Role{7}, check_in_note({"g:1", seconds(5), Door::report(1)})},
              "not its owner");
  table.event("told(joined)", told(StartNote::joined), "was not told to go, or has said so");
  table.event("connected(1, ok)", connected, "was answered, or nobody asked");
  table.event("connected(1, peer_lost)", event::Connected{Time{9}, start_operation(Kind::connect, 1), Status::peer_lost, {}, {}},
              "was answered, or nobody asked");
  table.event("read(1, prefix)", prefix, "no such connection");
  table.event("read(1, go)", body, "no such connection");
  table.event("read(1, junk)", read(Kind::read, 1, "GET / HTTP/1.1"), "no such connection");
  table.event("read(1, end)", end, "no such connection");
  table.event("read(1, peer_lost)", read(Kind::read, 1, "", Status::peer_lost), "no such connection");
  table.event("read(7, end)", read(Kind::read, 7, ""), "no such connection");
  table.event("written(1, ok)", event::StreamWritten{Time{9}, start_operation(Kind::write, 1), Status::ok},
              "that it has left is not that it was taken");
  table.event("written(1, peer_lost)", event::StreamWritten{Time{9}, start_operation(Kind::write, 1), Status::peer_lost},
              "nothing is being said there");
  table.event("listening", event::Listening{}, "never asked for");
  for (const auto& [name, kind] : {std::pair{"attempt", Kind::attempt}, {"rest", Kind::rest}, {"deadline", Kind::deadline}})
    table.event("timer_fired(" + std::string(name) + ")", fired(kind), "not armed");
  table.event("timer_fired(other)", event::TimerFired{Time{9}, Op{99}}, "not its timer");
  table.expect_complete({"idle", "connecting", "waiting", "resting", "going", "over"});
  table.expect_matches("gate_client");
}

}  // namespace
}  // namespace gate_golden_test
}  // namespace tenter::control
