// Every state of the supervisor with every event: tests/golden/supervisor.txt.
#include "supervisor_kit.hpp"
#include "tests/core/golden.hpp"

namespace tenter::control {
namespace supervisor_golden_test {
namespace {

using namespace tenter::control::kit;

Event told(Note note) { return event::Told{Time{9}, gate_role, std::move(note)}; }
Event file(Kind kind, Status status) { return event::FileDone{Time{9}, Office::op(kind), status, {}}; }
Event fired(Kind kind) { return event::TimerFired{Time{0} + seconds(100), Office::op(kind)}; }

TEST(SupervisorGolden, table_of_all_states_and_events) {
  tenter::test::GoldenTable<Supervisor> table;
  std::set<std::string> all;
  for (int i = 0; i <= number(State::ended); ++i) {
    const State state{static_cast<std::uint8_t>(i)};
    Office office;
    office.go(state);
    all.emplace(to_string(state));
    table.state(std::string(to_string(state)), office.machine);
  }
  Office late;
  late.go(State::spawning);
  late.fire(Kind::deadline);
  table.state("spawning/too late", late.machine);
  Office alone;
  alone.go(State::gathering);
  alone.launcher_exits(0);
  alone.fire(Kind::grace);
  table.state("cleaning/gate open", alone.machine);

  const std::string not_awaited = "not what is awaited";
  table.event("started", event::Started{}, "begins with the start call");
  table.event("submitted(start)", event::Submitted{Time{9}, Ticket{7}, job_call(Office().spec)});
  table.event("submitted(start, broken)", event::Submitted{Time{9}, Ticket{7}, start_note(StartNote::start)});
  table.event("submitted(stop)", event::Submitted{Time{9}, Ticket{7}, start_note(StartNote::stop)});
  table.event("submitted(wait)", event::Submitted{Time{9}, Ticket{7}, start_note(StartNote::wait)});
  table.event("host_described", event::HostDescribed{Time{9}, Office::op(Kind::describe), {}, 0, Blob("node-a")}, not_awaited);
  table.event("random_bytes(40)",
              event::RandomBytes{Time{9}, Office::op(Kind::draw),
                                 Blob(40, [](MutableBytes to) { std::fill(to.begin(), to.end(), std::byte{1}); })},
              not_awaited);
  table.event("random_bytes(none)", event::RandomBytes{Time{9}, Office::op(Kind::draw), {}}, not_awaited);
  table.event("told(listening)", told(start_note(StartNote::gate_listening, Status::ok, "node-a:1")), not_awaited);
  table.event("told(rank_seen 1)", told(rank_seen_note(1, {201, 2}, "node-a")), "watched already, or the gate is over");
  table.event("told(rank_seen 1, elsewhere)", told(rank_seen_note(1, {201, 2}, "node-z")), "goes with the launcher");
  table.event("told(rank_seen 9)", told(rank_seen_note(9, {201, 2}, "node-a")), "no rank of ours");
  table.event("told(passed)", told(start_note(StartNote::gate_passed)), "the gate is over, or was never opened");
  table.event("told(failed)", told(start_note(StartNote::gate_failed, Status::failed, "why")),
              "the gate is over, or was never opened");
  table.event("told(by a stranger)", event::Told{Time{9}, Role{7}, start_note(StartNote::gate_failed)}, "not the gate");
  for (const Status status : {Status::ok, Status::no_space}) {
    const std::string how = std::string(", ") + to_string(status) + ")";
    table.event("file_done(write" + how, file(Kind::write_hosts, status), not_awaited);
    table.event("file_done(remove" + how, file(Kind::remove_hosts, status), not_awaited);
    table.event("spawned(" + how.substr(2), event::Spawned{Time{9}, Office::op(Kind::spawn), status, {100, 1}, {}}, not_awaited);
  }
  table.event("process_exited(launcher, 0)", event::ProcessExited{Time{9}, Office::op(Kind::spawn), 0, 0},
              "not started, or told");
  table.event("process_exited(rank 1)", event::ProcessExited{Time{9}, Office::op(Kind::watch_rank, 1), -1, -1},
              "not watched, or told");
  table.event("process_exited(rank 9)", event::ProcessExited{Time{9}, Office::op(Kind::watch_rank, 9), -1, -1},
              "no rank of ours");
  table.event("parent_exited", event::ParentExited{Time{9}}, "there is no job, or it is being ended");
  for (const auto& [name, kind] : {std::pair{"deadline", Kind::deadline}, {"grace", Kind::grace}, {"patience", Kind::patience}})
    table.event("timer_fired(" + std::string(name) + ")", fired(kind), "not armed");
  table.event("files_listed", event::FilesListed{}, "never asked for");
  table.event("files_changed", event::FilesChanged{}, "never asked for");
  table.event("processes_inspected", event::ProcessesInspected{}, "never asked for");
  table.expect_complete(all);
  table.expect_matches("supervisor");
}

}  // namespace
}  // namespace supervisor_golden_test
}  // namespace tenter::control
