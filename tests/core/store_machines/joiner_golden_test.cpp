// Every state of a Joiner against every event that its ports can produce.
#include "joiner_kit.hpp"
#include "tests/core/golden.hpp"

namespace tenter::store::test {
namespace joiner_golden_test {
namespace {

TEST(Joiner, table_of_all_states_and_events) {
  tenter::test::GoldenTable<Joiner> table;
  table.state("idle", nothing_joined().machine);
  table.state("reading", reading_record().machine);
  table.state("waiting", no_record().machine);
  table.state("listing", listing_again().machine);
  table.state("attaching", being_probed().machine);
  table.state("explaining", being_explained().machine);
  table.state("announcing/drawing", drawing_lease().machine);
  table.state("announcing/writing", writing_lease().machine);
  table.state("joined", joined_once().machine);
  table.state("undoing/leave", left().machine);
  table.state("undoing/deadline", (being_probed() << deadline_passed()).machine);
  table.state("undoing/no lease", (writing_lease() << announced_note(Status::no_space)).machine);
  table.state("leaving", (left() << detached_note(3)).machine);

  const std::string other = "not what is awaited";
  table.event("started", event::Started{}, "begins with a join");
  table.event("submitted(join)", join_call());
  table.event("submitted(leave)", call_of(leave_note(name_of_sample())));
  table.event("submitted(neither)", call_of(close_note({})));
  table.event("file_done(record)", record_read(2), other);
  table.event("file_done(record, cut)", file_of(JoinerOperation::read, 2, Blob(std::string_view("cut"))), other);
  table.event("file_done(record, not_found)", file_of(JoinerOperation::read, 2, {}, Status::not_found), other);
  table.event("file_done(record, denied)", file_of(JoinerOperation::read, 2, Blob(std::string_view("cause")), Status::denied),
              other);
  table.event("file_done(heartbeat)", beat_read(4, 5), other);
  table.event("file_done(heartbeat, not_found)", file_of(JoinerOperation::beat, 4, {}, Status::not_found), other);
  table.event("files_listed", event::FilesListed{Time{0}, operation(JoinerOperation::list, 4), Status::ok, {}}, other);
  table.event("files_listed(denied)", event::FilesListed{Time{0}, operation(JoinerOperation::list, 4), Status::denied, {}},
              other);
  table.event("files_changed", event::FilesChanged{}, "no directory is watched");
  table.event("timer_fired(look)", due(JoinerOperation::look, 3, after(10)), other);
  table.event("timer_fired(deadline)", deadline_passed(),
              "nothing is joined, or it is joined or left and owes no answer in time");
  table.event("random_bytes(16)", drawn_lease(), "drawn once");
  table.event("random_bytes(short)", event::RandomBytes{Time{0}, operation(JoinerOperation::draw), Blob(std::string_view("01"))},
              "no number of a lease");
  table.event("told(attached)", attached_note(3), other);
  table.event("told(attached, failed)", attached_note(3, Status::failed), other);
  table.event("told(detached)", detached_note(3), other);
  table.event("told(announced)", announced_note(), "no lease is being written");
  table.event("told(announced, not_found)", announced_note(Status::not_found), "no lease is being written");
  table.event("told(withdrawn)", note_from(beacon_role, plain_note(NoteKind::withdrawn)), "no lease is being withdrawn");
  table.event("told(unheard)", note_from(beacon_role, plain_note(NoteKind::unheard, Status::not_found)),
              "the next read says what is left of the core");
  table.event("told(by a stranger)", note_from(stranger_role, number_note(NoteKind::attached, 3)), "neither Reader nor Beacon");
  table.expect_complete(
      {"idle", "reading", "waiting", "listing", "attaching", "explaining", "announcing", "joined", "undoing", "leaving"});
  table.expect_matches("store_joiner");
}

}  // namespace
}  // namespace joiner_golden_test
}  // namespace tenter::store::test
