// Every state of a Publisher (rank 0, method file) against every event that its ports can produce.
#include "publisher_kit.hpp"
#include "tests/core/golden.hpp"

namespace tenter::store::test {
namespace publisher_golden_test {
namespace {

using Table = tenter::test::GoldenTable<Publisher>;

void add_states(Table& table) {
  table.state("idle/not open", not_open().machine);
  table.state("preparing", preparing().machine);
  table.state("opening", opening_link().machine);
  table.state("agreeing/open", agreeing_to_open().machine);
  table.state("making", making().machine);
  table.state("announcing", announcing().machine);
  table.state("concluding/open", concluding_open().machine);
  table.state("idle/open", open_store().machine);
  table.state("agreeing/add", agreeing_to_add().machine);
  table.state("registering", registering().machine);
  table.state("sharing", sharing().machine);
  table.state("looking/listing", looking().machine);
  table.state("looking", looking_at_record().machine);
  table.state("listening", listening().machine);
  table.state("publishing", publishing().machine);
  table.state("concluding/add", concluding_add().machine);
  table.state("attaching", attaching_own().machine);
  table.state("idle/published", published().machine);
  table.state("agreeing/close", agreeing_to_close().machine);
  table.state("saying", saying().machine);
  table.state("draining", draining().machine);
  table.state("checking", checking().machine);
  table.state("removing", removing().machine);
  table.state("withdrawing", withdrawing().machine);
  table.state("clearing", clearing().machine);
  table.state("concluding/close", concluding_close().machine);
  table.state("detaching", detaching().machine);
  table.state("leaving", leaving().machine);
  table.state("closing", closing_link().machine);
  table.state("undoing", undoing().machine);
}

void add_files(Table& table, const std::string& other) {
  table.event("file_done(4)", file_done(4), other);
  table.event("file_done(4, no_space)", file_done(4, Status::no_space), other);
  table.event("files_listed(9)", listed(9), other);
  table.event("file_done(10, not_found)", file_done(10, Status::not_found), other);
  table.event("file_done(10, another's record)", file_done(10, Status::ok, record_of_another()), other);
  table.event("file_done(10, damaged)", file_done(10, Status::ok, blob("damaged")), other);
  table.event("file_done(10, denied)", file_done(10, Status::denied), other);
  table.event("file_done(11)", file_done(11, Status::ok, heartbeat_of_another(1)), other);
  table.event("file_done(11, closed)", file_done(11, Status::ok, heartbeat_of_another(1, BeatState::closed)), other);
  table.event("file_done(11, not_found)", file_done(11, Status::not_found), other);
  table.event("file_done(11, failed)", file_done(11, Status::failed), other);
  table.event("file_done(15, own record)", file_done(15, Status::ok, own_record()), other);
  table.event("file_done(15, another's record)", file_done(15, Status::ok, record_of_another()), other);
  table.event("file_done(15, not_found)", file_done(15, Status::not_found), other);
  table.event("file_done(16)", file_done(16), other);
  table.event("file_done(18)", file_done(18), other);
  table.event("files_changed", event::FilesChanged{}, "no directory is watched");
}

TEST(Publisher, table_of_all_states_and_events) {
  Table table;
  add_states(table);
  const std::string other = "not what is awaited";
  table.event("started", event::Started{}, "begins with a call");
  table.event("submitted(open)", open_call());
  table.event("submitted(add)", add_call());
  table.event("submitted(close)", close_call());
  table.event("submitted(update)", update_call());
  table.event("submitted(none)", call_of(leave_note(blob("x"))));
  table.event("host_described", host(), other);
  table.event("random_bytes", drawn(), other);
  table.event("fabric_opened", fabric_opened(), other);
  table.event("fabric_opened(failed)", fabric_opened(Status::failed), other);
  table.event("region_registered", registered(), other);
  table.event("region_registered(no_space)", registered(Status::no_space), other);
  table.event("fabric_done(9)", fabric_done(9), other);
  table.event("fabric_done(21)", fabric_done(21), other);
  table.event("read_done", event::ReadDone{}, "the Reader reads");
  table.event("collective_done(3)", agreed_to_open(), other);
  table.event("collective_done(3, ranks differ)", agreed_to_open("add"), other);
  table.event("collective_done(5)", outcome(5), other);
  table.event("collective_done(5, no_space)", outcome(5, Status::no_space), other);
  table.event("collective_done(6)", agreed_to_add(), other);
  table.event("collective_done(6, ranks differ)", agreed_to_add("close"), other);
  table.event("collective_done(8)", shards(), other);
  table.event("collective_done(8, one failed)", shards(Status::no_space), other);
  table.event("collective_done(12)", outcome(12), other);
  table.event("collective_done(12, exists)", outcome(12, Status::exists), other);
  table.event("collective_done(14)", agreed_to_close(), other);
  table.event("collective_done(19)", outcome(19), other);
  table.event("collective_done(20)", left_barrier(), other);
  add_files(table, other);
  table.event("timer_fired(look)", look_due(11), "no look is due");
  table.event("timer_fired(attach)", event::TimerFired{after(10'000), operation(Publishing::attach, 13)}, other);
  table.event("told(announced)", from_beacon(NoteKind::announced), other);
  table.event("told(announced, no_space)", from_beacon(NoteKind::announced, Status::no_space), other);
  table.event("told(said)", note_from(beacon_role, state_note(NoteKind::said, BeatState::closing)), other);
  table.event("told(unheard)", from_beacon(NoteKind::unheard, Status::failed), "only who waits for `said` must not wait on");
  table.event("told(withdrawn)", from_beacon(NoteKind::withdrawn), other);
  table.event("told(drained)", drained(), other);
  table.event("told(drained, timed_out)", drained(Status::timed_out), other);
  table.event("told(attached)", from_reader(NoteKind::attached), other);
  table.event("told(attached, failed)", from_reader(NoteKind::attached, Status::failed), other);
  table.event("told(detached)", from_reader(NoteKind::detached), other);
  table.event("told(by a stranger)", note_from(stranger_role, number_note(NoteKind::detached, 1)), "none of its roles");
  table.expect_complete({"idle",        "preparing", "opening",  "agreeing",  "making",     "announcing",
                         "registering", "sharing",   "looking",  "listening", "publishing", "concluding",
                         "attaching",   "saying",    "draining", "checking",  "removing",   "withdrawing",
                         "clearing",    "detaching", "leaving",  "closing",   "undoing"});
  table.expect_matches("store_publisher");
}

}  // namespace
}  // namespace publisher_golden_test
}  // namespace tenter::store::test
