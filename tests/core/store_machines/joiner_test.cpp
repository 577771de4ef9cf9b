// What a Joiner refuses, and what its texts say: culprit, cause, phase. Spec B5, D16, D19, D21, D23, D27.
#include "joiner_kit.hpp"

namespace tenter::store::test {
namespace joiner_test {
namespace {

const std::string who = "join \"x/größe 1\": ", late = who + "not there by the deadline; last: ";
const std::string about = "record of job \"train/7\" on node-3, generation 000102030405060708090a0b0c0d0e0f: ";

TEST(Joiner, of_a_missing_record_waits_and_names_its_file_at_the_deadline) {
  Joins s = no_record();
  EXPECT_TRUE(s.did(action::Arm{operation(JoinerOperation::look, 3), after(10)}));
  EXPECT_TRUE(s.all<action::Complete>().empty());
  s << deadline_passed();
  EXPECT_EQ(answer(s).status, Status::timed_out);
  EXPECT_EQ(answer_text(s), late + "file " + *record_file_name(sample_record().variable) + ": does not exist");
  EXPECT_EQ(s.machine.state_name(), "idle");
}

TEST(Joiner, lists_the_directory_before_it_believes_again_that_there_is_no_record) {
  Joins s = listing_again();
  EXPECT_EQ(s.last<action::ListFiles>().directory, Blob());
  s << event::FilesListed{Time{0}, operation(JoinerOperation::list, 4), Status::ok, {}};
  EXPECT_EQ(s.last<action::ReadFile>().op, operation(JoinerOperation::read, 5));
}

TEST(Joiner, never_has_a_damaged_record_probed_and_says_what_is_wrong_with_it) {
  const Blob whole = encode_record(sample_record());
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{9}, whole.size() - 1}) {
    const Blob cut(whole.bytes().first(bytes));
    Joins s = reading_record();
    s << file_of(JoinerOperation::read, 2, cut);
    EXPECT_TRUE(s.all<action::Tell>().empty()) << bytes;
    s << deadline_passed();
    EXPECT_TRUE(contains(answer_text(s), decode_record(cut.bytes()).error().what)) << answer_text(s);
  }
}

TEST(Joiner, refuses_the_record_of_another_variable_under_its_name) {
  Record another = sample_record();
  another.variable = "y";
  Joins s = reading_record();
  s << record_read(2, another) << deadline_passed();
  EXPECT_TRUE(s.all<action::Tell>().empty());
  EXPECT_TRUE(answer_text(s).ends_with(": it is the record of variable \"y\"")) << answer_text(s);
}

TEST(Joiner, refuses_another_number_of_cores_at_once_with_both_numbers) {
  Joins s = nothing_joined();
  s << join_call(4) << record_read(2);
  EXPECT_EQ(answer(s).status, Status::mismatch);
  EXPECT_EQ(answer_text(s), who + about + "3 core ranks, 4 wanted");
  EXPECT_TRUE(s.did(action::Cancel{operation(JoinerOperation::deadline, 1)}));
  EXPECT_TRUE(s.all<action::Tell>().empty());
}

TEST(Joiner, refuses_another_dtype_of_equal_size_at_once_with_both_names) {
  Joins s = nothing_joined();
  s << join_call(0, false, DType::int32) << record_read(2);
  EXPECT_EQ(answer(s).status, Status::mismatch);
  EXPECT_EQ(answer_text(s), who + about + "elements of float32, wanted int32");
}

TEST(Joiner, calls_a_record_stale_when_its_heartbeat_stood_still_for_four_periods_and_not_before) {
  Joins s = being_explained();
  s << beat_read(4, 5);
  std::uint64_t next = 5;  // look, list, read, attach, beat
  const auto look_again = [&](std::uint64_t count, Time now) {
    s << due(JoinerOperation::look, next, now)
      << event::FilesListed{now, operation(JoinerOperation::list, next + 1), Status::ok, {}} << record_read(next + 2)
      << attached_note(next + 3, Status::failed) << beat_read(next + 4, count, now);
    next += 5;
  };
  const auto text_at_deadline = [&] {
    Joins copy = s;
    copy << deadline_passed();
    return answer_text(copy);
  };
  const std::string probe = late + about + "probe of rank 1: no answer";
  EXPECT_EQ(text_at_deadline(), probe + "; its heartbeat was seen once, so whether it moves is not known");
  look_again(6, after(100));
  EXPECT_EQ(text_at_deadline(), probe + "; its heartbeat moves: the network between, or its ranks, do not answer");
  look_again(6, after(8'099));
  EXPECT_EQ(text_at_deadline(), probe);
  look_again(6, after(8'100));
  EXPECT_EQ(text_at_deadline(), probe + "; its heartbeat stands still: the record is stale");
}

TEST(Joiner, of_a_core_that_has_closed_says_so) {
  Joins s = being_explained();
  s << beat_read(4, 5, Time{0}, BeatState::closing) << deadline_passed();
  EXPECT_TRUE(answer_text(s).ends_with("; its core says that it is closing")) << answer_text(s);
  Joins gone = being_explained();
  gone << file_of(JoinerOperation::beat, 4, {}, Status::not_found) << deadline_passed();
  EXPECT_TRUE(answer_text(gone).ends_with("; its heartbeat: none, it has closed or was cleaned")) << answer_text(gone);
  Joins too_late = writing_lease();
  too_late << announced_note(Status::not_found) << deadline_passed() << detached_note(3);
  EXPECT_EQ(answer_text(too_late), late + about + "its job has closed: lease: a cause");
}

TEST(Joiner, is_answered_at_the_deadline_only_after_the_reader_has_forgotten_the_variable) {
  Joins s = being_probed();
  s << deadline_passed();
  EXPECT_TRUE(s.all<action::Complete>().empty());
  EXPECT_EQ(s.last<action::Tell>().note, number_note(NoteKind::detach, 3));
  s << detached_note(3);
  EXPECT_EQ(answer(s).status, Status::timed_out);
  EXPECT_EQ(answer_text(s), late + about + "its ranks did not answer their probes");
}

TEST(Joiner, joins_a_joined_name_again_without_a_second_endpoint) {
  Joins s = joined_once();
  EXPECT_EQ(answer(s).status, Status::ok);
  s.clear();
  s << join_call();
  EXPECT_EQ(s.out.actions().size(), 1u);
  EXPECT_EQ(answer(s).status, Status::ok);
}

TEST(Joiner, refuses_to_leave_what_is_not_joined) {
  Joins s = nothing_joined();
  s << call_of(leave_note(name_of_sample()));
  EXPECT_EQ(answer(s).status, Status::not_found);
  EXPECT_EQ(answer_text(s), "leave \"x/größe 1\": it is not joined");
}

TEST(Joiner, gives_its_lease_back_when_the_last_variable_is_left_and_can_join_again) {
  Joins s = left();
  s << detached_note(3);
  EXPECT_EQ(s.last<action::Tell>().note, plain_note(NoteKind::withdraw));
  EXPECT_EQ(s.all<action::Complete>().size(), 1u) << "the leave is not answered while the lease stands";
  s << note_from(beacon_role, plain_note(NoteKind::withdrawn));
  EXPECT_EQ(answer(s), answer_note(CallKind::leave, Status::ok, {}));
  EXPECT_EQ(s.machine.lease(), LeaseState::none);
  s << join_call() << record_read(5) << attached_note(6) << announced_note();
  EXPECT_EQ(s.machine.joined(), 1u);
}

TEST(Joiner, gives_the_lease_of_a_job_back_though_another_jobs_variable_is_being_undone_when_it_is_left) {
  Record another = sample_record();
  another.variable = "y";
  another.generation = {5, 5};
  Joins s = joined_once();
  s << call_of(join_note({Blob(std::string_view("y")), seconds(20), 0, DType::raw, true}), Ticket{9}) << record_read(5, another)
    << attached_note(6);
  EXPECT_EQ(s.last<action::Tell>().note, number_note(NoteKind::detach, 6)) << "one lease a process";
  s << call_of(leave_note(name_of_sample()), Ticket{10}) << detached_note(3);
  EXPECT_EQ(s.machine.lease(), LeaseState::held);
  s << detached_note(6);
  EXPECT_EQ(s.machine.lease(), LeaseState::withdrawing);
  EXPECT_EQ(s.last<action::Tell>().note, plain_note(NoteKind::withdraw));
}

}  // namespace
}  // namespace joiner_test
}  // namespace tenter::store::test
