#include "core/store/beacon.hpp"

#include "tests/core/golden.hpp"
#include "tests/core/mailbox_machines/script.hpp"

namespace tenter::store::test {
namespace beacon_test {
namespace {

using mailbox::test::Script;

constexpr Role owner{4}, stranger{5};
constexpr Generation core_job{1, 2}, reader{3, 4};
const Announcement lease{Blob("jobs/r.lease"), {BeatKind::reader, BeatState::open, core_job, reader, 0, 500}};

Event told(Note note, Time now = Time{0}, Role from = owner) { return event::Told{now, from, std::move(note)}; }
Event wrote(std::uint64_t number, Status status = Status::ok, Time now = Time{1}) {
  return event::FileDone{now, operation(BeaconOperation::write, number), status,
                         status == Status::ok ? Blob() : Blob("r.lease: a cause")};
}
Event removed(std::uint64_t number, Status status = Status::ok) {
  return event::FileDone{Time{1}, operation(BeaconOperation::remove, number), status,
                         status == Status::ok ? Blob() : Blob("r.lease: a cause")};
}
Event due(Time now) { return event::TimerFired{now, operation(BeaconOperation::period)}; }
Note say(BeatState state) { return state_note(NoteKind::say, state); }
Note withdraw() { return plain_note(NoteKind::withdraw); }

using Beacons = Script<Beacon>;
Beacons silent() { return {Beacon(owner), {}}; }
Beacons writing_first() { return std::move(silent() << told(announce_note(lease))); }
Beacons resting() { return std::move(writing_first() << wrote(1)); }

Beat last_beat(const Beacons& s) { return decode_beat(s.last<action::PublishFile>().content.bytes()).value(); }
std::vector<NoteKind> notes(const Beacons& s) {
  std::vector<NoteKind> kinds;
  for (const auto& tell : s.all<action::Tell>()) kinds.push_back(NoteKind{tell.note.kind});
  return kinds;
}
std::size_t writes(const Beacons& s) { return s.all<action::PublishFile>().size(); }

TEST(Beacon, announces_itself_with_a_first_beat_and_says_when_it_is_there) {
  Beacons s = writing_first();
  EXPECT_EQ(s.last<action::PublishFile>().path, lease.path);
  EXPECT_EQ(last_beat(s), (Beat{BeatKind::reader, BeatState::open, core_job, reader, 1, 500}));
  EXPECT_TRUE(notes(s).empty());
  s << wrote(1);
  EXPECT_EQ(notes(s), std::vector{NoteKind::announced});
  EXPECT_EQ(s.last<action::Tell>().note.status, Status::ok);
}

TEST(Beacon, writes_a_growing_count_each_period_counted_from_the_write_before) {
  Beacons s = resting();
  EXPECT_TRUE(s.did(action::Arm{operation(BeaconOperation::period), Time{0} + milliseconds(500)}));
  s << due(Time{0} + milliseconds(501));
  EXPECT_EQ(last_beat(s).count, 2u);
  EXPECT_TRUE(s.did(action::Arm{operation(BeaconOperation::period), Time{0} + milliseconds(1'001)}));
}

TEST(Beacon, never_has_two_writes_under_way_and_makes_up_for_the_one_that_was_due) {
  Beacons s = writing_first();
  s << due(Time{0} + milliseconds(500));
  EXPECT_EQ(writes(s), 1u);
  s << wrote(1);
  EXPECT_EQ(writes(s), 2u);
  EXPECT_EQ(last_beat(s).count, 2u);
}

TEST(Beacon, whose_first_beat_fails_is_silent_and_can_announce_again) {
  Beacons s = writing_first();
  s << wrote(1, Status::no_space);
  EXPECT_EQ(s.machine.state_name(), "silent");
  EXPECT_EQ(s.last<action::Tell>().note, plain_note(NoteKind::announced, Status::no_space, Blob("r.lease: a cause")));
  EXPECT_TRUE(s.did(action::Cancel{operation(BeaconOperation::period)}));
  s << told(announce_note(lease));
  EXPECT_EQ(writes(s), 2u);
  s << wrote(1);  // late, of the first attempt
  EXPECT_EQ(s.machine.state_name(), "writing");
  s << wrote(2);
  EXPECT_EQ(s.machine.state_name(), "resting");
}

TEST(Beacon, tells_once_that_it_was_not_heard_before_others_take_it_for_dead_and_goes_on) {
  Beacons s = resting();
  s.clear();
  for (std::uint64_t n = 2; n <= 6; ++n) s << due(Time{0} + milliseconds(500) * std::int64_t(n)) << wrote(n, Status::no_space);
  EXPECT_EQ(notes(s), std::vector{NoteKind::unheard});
  EXPECT_EQ(writes(s), 5u);
  s << due(Time{0} + seconds(9)) << wrote(7);
  s.clear();
  for (std::uint64_t n = 8; n <= 10; ++n) s << due(Time{0} + seconds(std::int64_t(n) + 2)) << wrote(n, Status::no_space);
  EXPECT_EQ(notes(s), std::vector{NoteKind::unheard}) << "after a success the count begins anew";
}

TEST(Beacon, whose_directory_is_gone_is_silent_because_the_core_is_closed) {
  Beacons s = resting();
  s << due(Time{0} + milliseconds(500)) << wrote(2, Status::not_found);
  EXPECT_EQ(s.machine.state_name(), "silent");
  EXPECT_EQ(s.last<action::Tell>().note.kind, kind_number(NoteKind::unheard));
  EXPECT_EQ(s.last<action::Tell>().note.status, Status::not_found);
}

TEST(Beacon, says_another_state_at_once_and_not_before_it_is_written) {
  Beacons s = resting();
  s << told(say(BeatState::closing), Time{7});
  EXPECT_EQ(last_beat(s).state, BeatState::closing);
  EXPECT_EQ(notes(s), std::vector{NoteKind::announced});
  s << wrote(2);
  EXPECT_EQ(s.last<action::Tell>().note, state_note(NoteKind::said, BeatState::closing));
}

TEST(Beacon, says_a_state_after_the_write_that_is_under_way_which_did_not_hold_it) {
  Beacons s = writing_first();
  s << told(say(BeatState::closing)) << wrote(1);
  EXPECT_EQ(notes(s), std::vector{NoteKind::announced});
  EXPECT_EQ(last_beat(s).state, BeatState::closing);
  s << wrote(2);
  EXPECT_EQ(notes(s), (std::vector{NoteKind::announced, NoteKind::said}));
}

TEST(Beacon, owes_the_answer_to_a_state_until_a_write_holds_it) {
  Beacons s = resting();
  s << told(say(BeatState::closing)) << wrote(2, Status::no_space);
  EXPECT_EQ(notes(s), std::vector{NoteKind::announced});
  s << due(Time{0} + seconds(1)) << wrote(3);
  EXPECT_EQ(notes(s), (std::vector{NoteKind::announced, NoteKind::said}));
}

TEST(Beacon, withdraws_after_the_write_that_is_under_way_so_that_nothing_comes_after) {
  Beacons s = resting();
  s << due(Time{0} + milliseconds(500)) << told(withdraw());
  EXPECT_TRUE(s.all<action::RemoveFile>().empty());
  s << wrote(2);
  EXPECT_EQ(s.last<action::RemoveFile>().path, lease.path);
  EXPECT_EQ(writes(s), 2u);
  s << removed(3);
  EXPECT_EQ(s.last<action::Tell>().note, plain_note(NoteKind::withdrawn));
  EXPECT_EQ(s.machine.state_name(), "silent");
}

TEST(Beacon, removes_what_a_failed_first_write_may_have_left_when_it_is_to_go) {
  Beacons s = writing_first();
  s << told(withdraw()) << wrote(1, Status::no_space);
  EXPECT_EQ(s.machine.state_name(), "removing");
  s << removed(2, Status::not_found);
  EXPECT_EQ(notes(s), std::vector{NoteKind::withdrawn});
  EXPECT_EQ(s.last<action::Tell>().note.status, Status::ok);
}

TEST(Beacon, names_the_cause_when_its_file_stays) {
  Beacons s = resting();
  s << told(withdraw()) << removed(2, Status::denied);
  EXPECT_EQ(s.last<action::Tell>().note, plain_note(NoteKind::withdrawn, Status::denied, Blob("r.lease: a cause")));
}

TEST(Beacon, believes_its_owner_only) {
  Beacons s = silent();
  s << told(announce_note(lease), Time{0}, stranger);
  EXPECT_EQ(writes(s), 0u);
  s << told(announce_note(lease)) << told(withdraw(), Time{0}, stranger) << told(say(BeatState::closed), Time{0}, stranger)
    << wrote(1);
  EXPECT_EQ(s.machine.state_name(), "resting");
  EXPECT_EQ(writes(s), 1u);
}

TEST(Beacon, table_of_all_states_and_events) {
  tenter::test::GoldenTable<Beacon> table;
  table.state("silent", silent().machine);
  table.state("writing/first", writing_first().machine);
  Beacons again = resting();
  again << due(Time{9});
  table.state("writing", again.machine);
  Beacons wanted = again;
  wanted << told(say(BeatState::closing));
  table.state("writing/state wanted", wanted.machine);
  Beacons leaving = again;
  leaving << told(withdraw());
  table.state("writing/leaving", leaving.machine);
  Beacons failing = again;
  failing << wrote(2, Status::no_space) << due(Time{10}) << wrote(3, Status::no_space) << due(Time{11});
  table.state("writing/third try", failing.machine);
  table.state("resting", resting().machine);
  Beacons removing = resting();
  removing << told(withdraw());
  table.state("removing", removing.machine);

  table.event("started", event::Started{}, "begins with an announcement");
  table.event("told(announce)", told(announce_note(lease)), "one announcement at a time; the owner waits for `withdrawn`");
  table.event("told(announce, broken)", told(plain_note(NoteKind::announce)), "no announcement");
  table.event("told(say closing)", told(say(BeatState::closing)),
              "nothing is announced, or it is on its way out: the owner was told, or will be; or it is wanted already");
  table.event("told(say, broken)", told(plain_note(NoteKind::say)), "no state");
  table.event("told(withdraw)", told(withdraw()), "is being done");
  table.event("told(by a stranger)", told(withdraw(), Time{0}, stranger), "not its owner");
  for (const std::uint64_t n : {1u, 2u, 4u}) {
    const std::string label = "write " + std::to_string(n);
    table.event("file_done(" + label + ", ok)", wrote(n), "not the write that is under way");
    table.event("file_done(" + label + ", no_space)", wrote(n, Status::no_space), "not the write that is under way");
    table.event("file_done(" + label + ", not_found)", wrote(n, Status::not_found), "not the write that is under way");
  }
  table.event("file_done(remove, ok)", removed(2), "nothing is being removed");
  table.event("file_done(remove, denied)", removed(2, Status::denied), "nothing is being removed");
  table.event("timer_fired(period)", due(Time{0} + seconds(1)), "no beat is due, or one is known to be");
  table.event("timer_fired(other)", event::TimerFired{Time{1}, Op{99}}, "not its timer");
  table.expect_complete({"silent", "writing", "resting", "removing"});
  table.expect_matches("store_beacon");
}

}  // namespace
}  // namespace beacon_test
}  // namespace tenter::store::test
