// The state × event tables of Member, on rank 0 and on another rank: tests/golden/mailbox_member*.txt.
#include "tests/core/mailbox_machines/golden_steps.hpp"

namespace tenter::mailbox::test {
namespace golden_member_test {
namespace {

Blob vector_of(const Blob& payload) {
  wire::Writer writer;
  return writer.bytes(vector_prefix(Parts{payload}).bytes()).bytes(payload.bytes()).blob();
}
Blob envelope(Opcode opcode, const Blob& payload, Target target = Target::group, std::int32_t rank = -1) {
  const Blob vector = vector_of(payload);
  return write_envelope({1, opcode, target, rank, 1, static_cast<std::uint32_t>(vector.size())}, vector.bytes());
}

void member_table(std::uint32_t rank, const std::set<std::string>& all_states, const std::string& file) {
  using O = MemberOperation;
  const auto collective = [](O kind, std::uint64_t sequence = 0, Blob content = {}, Parts parts = {}) -> Event {
    return event::CollectiveDone{now, operation(kind, sequence), Status::ok, std::move(content), std::move(parts)};
  };
  const auto lost = [](O kind, std::uint64_t sequence = 0) -> Event {
    return event::CollectiveDone{now, operation(kind, sequence), Status::peer_lost, {}, {}};
  };
  const auto file_done = [](O kind, Status status, Blob content = {}) -> Event {
    return event::FileDone{now, operation(kind), status, std::move(content)};
  };
  const bool root = rank == 0;
  const Blob manifest = write_manifest({"page", 1, layout::page_bytes, 2});
  const Parts all_ready{readiness_of(0, {1, 1}, {}), readiness_of(1, {2, 1}, {})};
  const Parts one_not{readiness_of(0, {1, 1}, {}), readiness_of(1, {2, 1}, Blob(std::string_view("no device")))};
  const Blob task_frame = write_task({1, 2, 3}, {}).value();
  const Event described = event::HostDescribed{now, operation(O::describe), ProcessId{5, 6}, 0, {}};
  const Event round_of_task = collective(O::round, 1, envelope(Opcode::task, task_frame));
  const Event order_of_round = told(dispatcher_role, text_note(NoteKind::round, envelope(Opcode::task, task_frame)));
  const Event attached = told(dispatcher_role, text_note(NoteKind::attached, {}));
  const Event orderly = told(dispatcher_role, leave_note(true, {})), leave = told(dispatcher_role, leave_note(false, an_error()));

  const Member describing(MemberConfig{rank, 2});
  const Member reporting = after(describing, {event::Started{now}, described});
  const Member loading = after(reporting, {file_done(O::report, Status::ok)});
  const Member distributing = root ? after(loading, {file_done(O::load, Status::ok, manifest)}) : loading;
  const Member duplicating = after(distributing, {collective(O::distribute, 0, manifest)});
  const Member agreeing = after(duplicating, {collective(O::duplicate_dispatch), collective(O::duplicate_domain)});
  const Member agreed = after(agreeing, {collective(O::agree, 0, {}, all_ready)});
  const Member announcing = root ? after(agreed, {attached}) : agreed;
  const Member at_rest = after(announcing, {collective(O::announce)});
  const Member receiving = root ? after(at_rest, {order_of_round}) : at_rest;
  const Member executing = after(receiving, {round_of_task});
  const Member gathering = after(executing, {event::Executed{now, operation(O::execute, 1), Status::ok, {}}});
  const Member told_off = after(receiving, {collective(O::round, 1, envelope(Opcode::shutdown, {})), collective(O::gather, 1)});

  GoldenTable<Member> table;
  table.state("describing", describing);
  table.state("reporting", reporting);
  if (root) table.state("loading", loading);
  table.state("distributing", distributing);
  table.state("duplicating", duplicating);
  table.state("agreeing", agreeing);
  if (root) table.state("attaching", agreed);
  table.state("announcing", announcing);
  if (root) table.state("idle", at_rest);
  table.state("receiving", receiving);
  table.state("executing", executing);
  table.state("gathering", gathering);
  if (root) table.state("broken", after(receiving, {lost(O::round, 1)}));
  table.state("freeing", root ? after(told_off, {orderly}) : told_off);
  if (root) table.state("leaving", after(at_rest, {leave}));
  table.state("left", after(receiving, {event::ParentExited{now}}));

  const char* late = "the answer to an operation that is over";
  const char* never = "a member never asks for it";
  const char* dispatcher_only = "the Dispatcher of rank 0 says it, in another state";
  table.event("started", event::Started{now}, "once, before anything else");
  table.event("host_described", described, late);
  table.event("file_done(report)", file_done(O::report, Status::ok), late);
  table.event("file_done(report, no_space)", file_done(O::report, Status::no_space, Blob(std::string_view("disk full"))), late);
  table.event("file_done(manifest)", file_done(O::load, Status::ok, manifest), late);
  table.event("file_done(manifest, not_found)", file_done(O::load, Status::not_found), late);
  table.event("file_done(start-failure)", file_done(O::explain, Status::ok), "written for people; the start has failed anyway");
  table.event("collective_done(manifest)", collective(O::distribute, 0, manifest), late);
  table.event("collective_done(broken manifest)", collective(O::distribute, 0, Blob(std::string_view("?"))), late);
  table.event("collective_done(manifest, peer_lost)", lost(O::distribute), late);
  table.event("collective_done(duplicate for dispatch)", collective(O::duplicate_dispatch), late);
  table.event("collective_done(duplicate for the domain)", collective(O::duplicate_domain), late);
  table.event("collective_done(all ready)", collective(O::agree, 0, {}, all_ready), late);
  table.event("collective_done(one not ready)", collective(O::agree, 0, {}, one_not), late);
  table.event("collective_done(outcome: ready)", collective(O::announce), late);
  table.event("collective_done(outcome: not ready)", collective(O::announce, 0, an_error()), late);
  table.event("collective_done(round: task)", round_of_task, late);
  table.event("collective_done(round: ping)", collective(O::round, 1, envelope(Opcode::ping, {})), late);
  table.event("collective_done(round: another rank's)",
              collective(O::round, 1, envelope(Opcode::task, task_frame, Target::rank, rank == 0 ? 1 : 0)), late);
  table.event("collective_done(round: broken frame)", collective(O::round, 1, envelope(Opcode::task, {})), late);
  table.event("collective_done(round: broken envelope)", collective(O::round, 1, Blob(std::string_view("?"))), late);
  table.event("collective_done(round: leave)", collective(O::round, 1, write_leave_envelope()), late);
  table.event("collective_done(round, peer_lost)", lost(O::round, 1), late);
  table.event("collective_done(gather)", collective(O::gather, 1, {}, records(Outcome::done)), late);
  table.event("collective_done(gather, peer_lost)", lost(O::gather, 1), late);
  table.event("collective_done(free domain)", collective(O::free_domain), late);
  table.event("collective_done(free dispatch)", collective(O::free_dispatch), late);
  table.event("collective_done(free domain, failed)", lost(O::free_domain), late);
  table.event("told(dispatcher: attached)", attached, dispatcher_only);
  table.event("told(dispatcher: not attached)", told(dispatcher_role, text_note(NoteKind::attached, an_error())),
              dispatcher_only);
  table.event("told(dispatcher: round)", order_of_round, dispatcher_only);
  table.event("told(dispatcher: leave in order)", orderly, "it leaves already");
  table.event("told(dispatcher: leave)", leave, "it leaves already");
  table.event("told(another role)", told(Role{5}, leave_note(false, {})), "only the Dispatcher of this process speaks to it");
  table.event("executed", event::Executed{now, operation(O::execute, 1), Status::ok, Blob(std::string_view("result"))}, late);
  table.event("executed(failed)", event::Executed{now, operation(O::execute, 1), Status::failed, Blob(std::string_view("why"))},
              late);
  table.event("executed(of another round)", event::Executed{now, operation(O::execute, 7), Status::ok, {}}, late);
  table.event("timer_fired(patience)", fired(O::patience), "armed only while the order to leave is on its way");
  table.event("parent_exited", event::ParentExited{now}, "it has left already");
  table.event("files_listed", event::FilesListed{now, Op{1}, Status::ok, {}}, never);
  table.event("files_changed", event::FilesChanged{now, Op{1}}, never);
  table.event("spawned", event::Spawned{now, Op{1}, Status::ok, {}, {}}, never);
  table.event("process_exited", event::ProcessExited{now, Op{1}, 0, 0}, never);
  table.event("processes_inspected", event::ProcessesInspected{now, Op{1}, {}}, never);
  table.expect_complete(all_states);
  table.expect_matches(file);
}

TEST(GoldenTables, of_the_member_of_rank_0) {
  member_table(0,
               {"describing", "reporting", "loading", "distributing", "duplicating", "agreeing", "attaching", "announcing",
                "idle", "receiving", "executing", "gathering", "broken", "freeing", "leaving", "left"},
               "mailbox_member_rank_0");
}

// loading, attaching, idle, broken and leaving are rank 0's alone.
TEST(GoldenTables, of_the_member_of_another_rank) {
  member_table(1,
               {"describing", "reporting", "distributing", "duplicating", "agreeing", "announcing", "receiving", "executing",
                "gathering", "freeing", "left"},
               "mailbox_member_other_rank");
}

}  // namespace
}  // namespace golden_member_test
}  // namespace tenter::mailbox::test
