#include "core/store/leases.hpp"

#include <functional>

#include "tests/core/golden.hpp"
#include "tests/core/mailbox_machines/script.hpp"

namespace tenter::store::test {
namespace leases_test {
namespace {

using mailbox::test::Script;
using Op = LeasesOperation;

constexpr Role owner{4}, stranger{5};
constexpr Generation core_job{0x11, 0x22}, another_job{7, 7}, ann{0xa, 0}, bob{0xb, 0};
const std::string ann_file = to_string(ann) + ".lease", bob_file = to_string(bob) + ".lease";

using Watch = Script<Leases>;
Watch idle() { return {Leases(LeasesConfig{owner}), {}}; }
Event drain(Duration patience = {}, Time now = Time{0}, Role from = owner) {
  return event::Told{now, from, drain_note({core_job, patience})};
}
Watch listing(Duration patience = {}) { return std::move(idle() << drain(patience)); }

Event listed(std::uint64_t number, std::vector<std::string> names, Time now = Time{0}, Status status = Status::ok) {
  std::vector<Blob> blobs;
  for (const std::string& name : names) blobs.emplace_back(std::string_view(name));
  return event::FilesListed{now, operation(Op::list, number), status, Parts(std::move(blobs))};
}
Blob beat(Generation reader, std::uint64_t count, BeatState state = BeatState::open, std::uint32_t period_ms = 500,
          Generation job = core_job) {
  return encode_beat({BeatKind::reader, state, job, reader, count, period_ms});
}
Event read(std::uint64_t number, Blob content, Time now = Time{0}, Status status = Status::ok) {
  return event::FileDone{now, operation(Op::read, number), status, std::move(content)};
}
Event fired(Op kind, std::uint64_t number, Time now) { return event::TimerFired{now, operation(kind, number)}; }
constexpr Time at(std::int64_t ms) { return Time{0} + milliseconds(ms); }

Watch reading() { return std::move(listing(seconds(30)) << listed(1, {ann_file, bob_file})); }
Watch waiting() { return std::move(reading() << read(2, beat(ann, 5)) << read(3, beat(bob, 9))); }

std::vector<Note> told(const Watch& s) {
  std::vector<Note> notes;
  for (const auto& tell : s.all<action::Tell>()) notes.push_back(tell.note);
  return notes;
}
// Answers every look with these names and contents, lets time pass from timer to timer, and gives the time of the answer.
Time answered_at(Watch& s, const std::vector<std::string>& names,
                 const std::function<Blob(const Blob& path, Time now)>& content_at) {
  Time now = at(0);
  for (int step = 0; step < 10'000 && told(s).empty(); ++step) {
    const Action last = s.out.actions().back();
    if (const auto* list = std::get_if<action::ListFiles>(&last)) {
      std::vector<Blob> blobs;
      for (const std::string& name : names) blobs.emplace_back(std::string_view(name));
      s << event::FilesListed{now, list->op, Status::ok, Parts(std::move(blobs))};
    } else if (const auto* file = std::get_if<action::ReadFile>(&last)) {
      s << event::FileDone{now, file->op, Status::ok, content_at(file->path, now)};
    } else {
      now = std::get<action::Arm>(last).when;
      s << event::TimerFired{now, std::get<action::Arm>(last).op};
    }
  }
  EXPECT_FALSE(told(s).empty()) << "no answer";
  return now;
}

TEST(Leases, of_a_core_without_readers_are_drained_at_once) {
  Watch s = listing();
  EXPECT_EQ(s.last<action::ListFiles>().directory.text(), to_string(core_job) + ".readers");
  s << listed(1, {});
  EXPECT_EQ(told(s), std::vector{drained_note(Status::ok, 0, "")});
  Watch no_directory = listing();
  no_directory << listed(1, {}, at(0), Status::not_found);
  EXPECT_EQ(told(no_directory), std::vector{drained_note(Status::ok, 0, "")});
}

TEST(Leases, are_read_one_after_the_other_and_looked_at_again_while_one_lives) {
  Watch s = reading();
  EXPECT_EQ(s.last<action::ReadFile>().path.text(), to_string(core_job) + ".readers/" + ann_file);
  EXPECT_EQ(s.last<action::ReadFile>().limit, beat_bytes);
  s << read(2, beat(ann, 5));
  EXPECT_EQ(s.last<action::ReadFile>().path.text(), to_string(core_job) + ".readers/" + bob_file);
  s << read(3, beat(bob, 9));
  EXPECT_EQ(s.machine.state_name(), "waiting");
  EXPECT_TRUE(told(s).empty());
  EXPECT_TRUE(s.did(action::Arm{operation(Op::look, 4), at(10)}));
}

TEST(Leases, end_when_their_files_go_or_say_closed) {
  Watch s = waiting();
  s << fired(Op::look, 4, at(10)) << listed(5, {bob_file}, at(10)) << read(6, beat(bob, 10, BeatState::closed), at(10));
  EXPECT_EQ(told(s), std::vector{drained_note(Status::ok, 0, "")});
  Watch gone = waiting();
  gone << fired(Op::look, 4, at(10)) << listed(5, {bob_file}, at(10)) << read(6, {}, at(10), Status::not_found);
  EXPECT_EQ(told(gone), std::vector{drained_note(Status::ok, 0, "")});
}

// D31: one reader's end never stops the others; a reader that died is not waited for longer than four of its periods.
TEST(Leases, of_a_dead_reader_expire_after_four_of_its_periods_by_the_cores_own_clock) {
  Watch s = listing();
  const Time end = answered_at(s, {ann_file}, [](const Blob&, Time) { return beat(ann, 5, BeatState::open, 500); });
  EXPECT_EQ(told(s), std::vector{drained_note(Status::ok, 0, "")});
  EXPECT_GE(end, at(2'000));
  EXPECT_LE(end, at(2'250));
}

TEST(Leases, that_move_are_waited_for_as_long_as_they_do) {
  Watch s = listing();
  const Time end = answered_at(s, {ann_file, bob_file}, [](const Blob& path, Time now) {
    const bool anns = path.text().ends_with(ann_file);
    const auto ms = std::min<std::int64_t>(number(now - at(0)) / 1'000'000, anns ? 60'000 : 5'000);  // when it dies
    return beat(anns ? ann : bob, std::uint64_t(ms) / 400 + 1, BeatState::open, 500);
  });
  EXPECT_GE(end, at(60'000 + 1'600));
  EXPECT_LE(end, at(60'000 + 2'250));
}

TEST(Leases, are_looked_at_less_and_less_often) {
  Watch s = listing();
  answered_at(s, {ann_file}, [](const Blob&, Time) { return beat(ann, 5, BeatState::open, 2'500); });
  EXPECT_LE(s.all<action::ListFiles>().size(), 10'000u / 250 + 7);
}

TEST(Leases, that_cannot_be_believed_hold_the_core_for_a_while_and_no_longer) {
  const std::pair<const char*, Blob> contents[] = {{"cut", Blob(beat(ann, 5).bytes().first(40))},
                                                   {"empty", Blob()},
                                                   {"another job's", beat(ann, 5, BeatState::open, 500, another_job)},
                                                   {"another reader's", beat(bob, 5)}};
  for (const auto& [what, bytes] : contents) {
    const Blob& content = bytes;
    Watch s = listing();
    const Time end = answered_at(s, {ann_file}, [&](const Blob&, Time) { return content; });
    EXPECT_GE(end, at(4'000)) << what;
    EXPECT_LE(end, at(4'250)) << what;
  }
}

TEST(Leases, with_an_endless_period_are_judged_by_the_longest_that_is_allowed) {
  Watch s = listing();
  const Time end = answered_at(s, {ann_file}, [](const Blob&, Time) { return beat(ann, 5, BeatState::open, 0xFFFF'FFFF); });
  EXPECT_GE(end, at(240'000));
  EXPECT_LE(end, at(240'250));
}

TEST(Leases, are_left_to_themselves_when_patience_ends_and_who_still_reads_is_named) {
  Watch s = waiting();
  s << fired(Op::patience, 1, at(1'500));
  EXPECT_EQ(s.machine.state_name(), "idle");
  ASSERT_EQ(told(s).size(), 1u);
  EXPECT_EQ(told(s)[0].status, Status::timed_out);
  EXPECT_EQ(told(s)[0].a, 2);
  EXPECT_EQ(told(s)[0].text.text(), "close: 2 readers may still read, by " + to_string(core_job) + ".readers: " + ann_file +
                                        " (count 5, unchanged for 1500 ms), " + bob_file + " (count 9, unchanged for 1500 ms)");
  EXPECT_TRUE(s.did(action::Cancel{operation(Op::look, 4)}));
}

TEST(Leases, that_expired_since_the_last_look_are_no_reason_to_complain_when_patience_ends) {
  Watch s = waiting();
  s << fired(Op::patience, 1, at(30'000));
  EXPECT_EQ(told(s), std::vector{drained_note(Status::ok, 0, "")});
}

TEST(Leases, that_were_not_looked_at_when_patience_ends_are_not_said_to_be_none) {
  Watch s = listing(seconds(30));
  s << fired(Op::patience, 1, at(30'000));
  ASSERT_EQ(told(s).size(), 1u);
  EXPECT_EQ(told(s)[0].status, Status::timed_out);
  EXPECT_TRUE(told(s)[0].text.text().ends_with("were not all looked at in time"));
}

TEST(Leases, that_expired_live_again_when_they_move) {
  Watch s = listing();
  const Time end = answered_at(s, {ann_file, bob_file}, [&](const Blob& path, Time now) {
    const std::uint64_t beats = std::uint64_t(number(now)) / 300'000'000 + 1;
    if (!path.text().ends_with(ann_file)) return beat(bob, std::min<std::uint64_t>(beats, 40));  // until 12 s
    return beat(ann, beats < 30 ? 5 : std::min<std::uint64_t>(beats, 80));  // stopped from 0 to 9 s, ends at 24 s
  });
  EXPECT_GE(end, at(24'000 + 1'700));
  EXPECT_LE(end, at(24'000 + 2'250));
}

TEST(Leases, without_patience_are_waited_for_without_a_timer) {
  Watch s = listing();
  EXPECT_TRUE(s.all<action::Arm>().empty());
  s << fired(Op::patience, 1, at(1));
  EXPECT_EQ(s.machine.state_name(), "listing");
}

TEST(Leases, files_that_are_no_leases_hold_nobody) {
  Watch s = listing();
  s << listed(1, {".lease", "README", to_string(ann), "A" + ann_file.substr(1), ann_file.substr(1), ann_file + "~"});
  EXPECT_EQ(told(s), std::vector{drained_note(Status::ok, 0, "")});
}

TEST(Leases, beyond_the_number_that_is_judged_count_as_alive) {
  LeasesConfig config{owner};
  config.readers_max = 1;
  Watch s{Leases(config), {}};
  s << drain() << listed(1, {ann_file, bob_file}) << read(2, {}, at(0), Status::not_found);
  EXPECT_EQ(s.machine.state_name(), "waiting");
  s << fired(Op::look, 3, at(10)) << listed(4, {bob_file}, at(10)) << read(5, {}, at(10), Status::not_found);
  EXPECT_EQ(told(s), std::vector{drained_note(Status::ok, 0, "")});
}

TEST(Leases, of_a_directory_that_cannot_be_listed_are_given_up_after_a_few_looks) {
  Watch s = listing();
  std::uint64_t number = 1;
  for (int i = 0; i < 3; ++i, number += 2) s << listed(number, {}, at(i), Status::denied) << fired(Op::look, number + 1, at(i));
  EXPECT_TRUE(told(s).empty());
  s << listed(number, {}, at(9), Status::denied);
  ASSERT_EQ(told(s).size(), 1u);
  EXPECT_EQ(told(s)[0].status, Status::failed);
  EXPECT_TRUE(told(s)[0].text.text().ends_with(".readers cannot be listed: denied"));
}

TEST(Leases, can_be_asked_again_and_answers_of_the_first_time_fit_nothing) {
  Watch s = waiting();
  s << fired(Op::patience, 1, at(1'500)) << drain(seconds(30), at(2'000));
  EXPECT_EQ(s.machine.state_name(), "listing");
  s << fired(Op::patience, 1, at(2'001)) << listed(1, {}, at(2'001)) << read(3, {}, at(2'001), Status::not_found);
  EXPECT_EQ(s.machine.state_name(), "listing");
  s << listed(5, {}, at(2'002));
  EXPECT_EQ(s.machine.state_name(), "idle");
}

TEST(Leases, table_of_all_states_and_events) {
  tenter::test::GoldenTable<Leases> table;
  table.state("idle", idle().machine);
  table.state("listing", listing(seconds(30)).machine);
  Watch fourth = listing(seconds(30));
  for (std::uint64_t n = 1; n < 7; n += 2) fourth << listed(n, {}, at(0), Status::denied) << fired(Op::look, n + 1, at(0));
  table.state("listing/fourth look", fourth.machine);
  table.state("reading/first", reading().machine);
  table.state("reading/last", (reading() << read(2, beat(ann, 5))).machine);
  table.state("waiting", waiting().machine);
  table.state("waiting/for ever", (listing() << listed(1, {ann_file}) << read(2, beat(ann, 5))).machine);

  const std::string other = "not what is awaited";
  table.event("started", event::Started{}, "begins with a drain");
  table.event("told(drain)", drain(seconds(30)), "one drain at a time");
  table.event("told(drain, broken)", event::Told{Time{0}, owner, plain_note(NoteKind::drain)}, "no drain");
  table.event("told(drain, by a stranger)", drain(seconds(30), Time{0}, stranger), "not its owner");
  for (const std::uint64_t n : {1u, 7u}) {
    const std::string look = "look " + std::to_string(n) + ", ";
    table.event("files_listed(" + look + "none)", listed(n, {}), other);
    table.event("files_listed(" + look + "one)", listed(n, {ann_file}), other);
    table.event("files_listed(" + look + "not_found)", listed(n, {}, Time{0}, Status::not_found), other);
    table.event("files_listed(" + look + "denied)", listed(n, {}, Time{0}, Status::denied), other);
  }
  for (const std::uint64_t n : {2u, 3u}) {
    const std::string number = std::to_string(n) + ", ";
    const Generation who = n == 2 ? ann : bob;
    table.event("file_done(read " + number + "alive)", read(n, beat(who, 6)), other);
    table.event("file_done(read " + number + "closed)", read(n, beat(who, 6, BeatState::closed)), other);
    table.event("file_done(read " + number + "not_found)", read(n, {}, Time{0}, Status::not_found), other);
    table.event("file_done(read " + number + "denied)", read(n, {}, Time{0}, Status::denied), other);
  }
  table.event("timer_fired(look 3)", fired(Op::look, 3, at(10)), other);
  table.event("timer_fired(look 4)", fired(Op::look, 4, at(10)), other);
  table.event("timer_fired(patience)", fired(Op::patience, 1, at(30'000)), "nobody waits, or waits for ever");
  table.expect_complete({"idle", "listing", "reading", "waiting"});
  table.expect_matches("store_leases");
}

}  // namespace
}  // namespace leases_test
}  // namespace tenter::store::test
