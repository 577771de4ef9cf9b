#include "core/mailbox/rendezvous.hpp"

#include <gtest/gtest.h>

#include <map>

#include "core/mailbox/error_list.hpp"
#include "rendezvous_kit.hpp"
#include "tests/core/golden.hpp"

namespace tenter::mailbox {
namespace rendezvous_test {
namespace {

using namespace tenter::mailbox::kit;

TEST(Rendezvous, the_last_arrival_sends_one_request_with_the_payloads_in_rank_order) {
  Meeting meeting(3);
  meeting.arrive(1, {7, 0}, 2, "c");
  meeting.arrive(2, {7, 0}, 0, "a");
  EXPECT_TRUE(meeting.requests().empty());
  meeting.arrive(3, {7, 0}, 1, "");
  ASSERT_EQ(meeting.requests().size(), 1u);
  const RequestCall call = meeting.request(0);
  EXPECT_EQ(call.opcode, Opcode::task);
  EXPECT_EQ(call.target, Target::per_rank);
  EXPECT_EQ(call.payloads, (Parts{blob("a"), blob(""), blob("c")}));
  EXPECT_EQ(meeting.machine.state_name(), "exchanging");
}

TEST(Rendezvous, every_member_gets_its_own_reply_once) {
  Meeting meeting(2);
  meeting.arrive(1, {7, 0}, 1, "b");
  meeting.arrive(2, {7, 0}, 0, "a");
  meeting.answer(0, answer_note(Status::ok, Parts{blob("A"), blob("B")}));
  EXPECT_EQ(meeting.outcome(1), answer_note(Status::ok, Parts{blob("B")}));
  EXPECT_EQ(meeting.outcome(2), answer_note(Status::ok, Parts{blob("A")}));
  meeting.answer(0, answer_note(Status::ok, Parts{blob("A"), blob("B")}));  // a second answer
  EXPECT_EQ(meeting.completions(), 2u);
  EXPECT_EQ(meeting.machine.state_name(), "empty");
}

TEST(Rendezvous, a_member_that_waits_too_long_fails_alone_and_is_told_who_was_absent) {
  Meeting meeting(3);
  meeting.arrive(1, {7, 4}, 0, "a", milliseconds(10));
  meeting.arrive(2, {7, 4}, 2, "c", milliseconds(50));
  meeting.pass(milliseconds(10));
  EXPECT_EQ(meeting.outcome(1).status, Status::timed_out);
  const std::string text(meeting.outcome(1).text.text());
  EXPECT_NE(text.find("rank 0 of slot 7, generation 4 waited 10 ms for rank 1;"), std::string::npos) << text;
  EXPECT_FALSE(meeting.is_complete(2));
  EXPECT_EQ(meeting.machine.waiting_members(), 1u);
}

TEST(Rendezvous, a_batch_whose_members_all_timed_out_can_gather_again_at_once) {
  Meeting meeting(2);
  meeting.arrive(1, {7, 0}, 0, "old", milliseconds(10));
  meeting.pass(milliseconds(10));
  EXPECT_EQ(meeting.machine.state_name(), "empty");
  meeting.arrive(2, {7, 0}, 1, "b");
  meeting.arrive(3, {7, 0}, 0, "new");
  ASSERT_EQ(meeting.requests().size(), 1u);
  EXPECT_EQ(meeting.request(0).payloads, (Parts{blob("new"), blob("b")}));
}

TEST(Rendezvous, a_slot_that_is_used_again_never_meets_a_late_member_of_its_past) {
  Meeting meeting(2);
  meeting.arrive(1, {7, 0}, 0, "old");
  meeting.arrive(2, {7, 1}, 1, "new");
  EXPECT_TRUE(meeting.requests().empty());
  meeting.arrive(3, {7, 1}, 0, "new");
  ASSERT_EQ(meeting.requests().size(), 1u);
  EXPECT_EQ(meeting.request(0).payloads, (Parts{blob("new"), blob("new")}));
  EXPECT_FALSE(meeting.is_complete(1));
}

TEST(Rendezvous, a_half_arrived_batch_delays_no_other) {
  Meeting meeting(2);
  meeting.arrive(1, {7, 0}, 0, "half");
  meeting.arrive(2, {8, 0}, 0, "a");
  meeting.arrive(3, {8, 0}, 1, "b");
  EXPECT_EQ(meeting.requests().size(), 1u);
}

TEST(Rendezvous, no_member_times_out_once_its_batch_was_dispatched) {
  Meeting meeting(2);
  meeting.arrive(1, {7, 0}, 0, "a", milliseconds(10));
  const std::vector<Op> armed = meeting.armed();
  meeting.arrive(2, {7, 0}, 1, "b", milliseconds(10));
  EXPECT_TRUE(meeting.armed().empty()) << "every timer of the batch is cancelled";
  for (Op op : armed) meeting.fire(op);  // as if a timer had slipped through
  EXPECT_EQ(meeting.completions(), 0u);
  meeting.answer(0, answer_note(Status::ok, Parts{blob("A"), blob("B")}));
  EXPECT_EQ(meeting.outcome(1).status, Status::ok);
}

TEST(Rendezvous, the_budget_of_an_exchange_is_the_longest_patience_and_begins_with_the_last_arrival) {
  Meeting meeting(2);
  meeting.arrive(1, {7, 0}, 0, "a", milliseconds(90));
  meeting.pass(milliseconds(80));
  meeting.arrive(2, {7, 0}, 1, "b", milliseconds(40));
  EXPECT_EQ(meeting.request(0).patience, milliseconds(90));
}

TEST(Rendezvous, a_member_that_comes_twice_is_refused_and_its_first_arrival_stays) {
  Meeting meeting(2);
  meeting.arrive(1, {7, 0}, 0, "first");
  meeting.arrive(2, {7, 0}, 0, "second");
  EXPECT_EQ(meeting.outcome(2).status, Status::exists);
  meeting.arrive(3, {7, 0}, 1, "b");
  EXPECT_EQ(meeting.request(0).payloads, (Parts{blob("first"), blob("b")}));
}

TEST(Rendezvous, a_member_that_comes_after_the_dispatch_is_refused_at_once) {
  Meeting meeting(2);
  meeting.arrive(1, {7, 0}, 0, "a");
  meeting.arrive(2, {7, 0}, 1, "b");
  meeting.arrive(3, {7, 0}, 1, "late");
  EXPECT_EQ(meeting.outcome(3).status, Status::unavailable);
  meeting.answer(0, answer_note(Status::ok, Parts{blob("A"), blob("B")}));
  meeting.arrive(4, {7, 0}, 0, "later");
  EXPECT_EQ(meeting.outcome(4).status, Status::unavailable);
}

TEST(Rendezvous, one_ranks_error_is_that_members_own_and_the_others_are_told_whose_it_was) {
  Meeting meeting(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank) meeting.arrive(rank + 1, {7, 0}, rank, "x");
  meeting.answer(0, answer_note(Status::failed, {}, encode_error(1, "ValueError", "no such callable")));
  EXPECT_EQ(meeting.outcome(2), answer_note(Status::failed, {}, encode_error(1, "ValueError", "no such callable")));
  for (std::uint64_t ticket : {1u, 3u}) {
    EXPECT_EQ(meeting.outcome(ticket).status, Status::cancelled);
    const auto errors = decode_error_list(meeting.outcome(ticket).text.bytes());
    ASSERT_EQ(errors.size(), 2u);
    EXPECT_EQ(errors[0].rank, static_cast<std::int32_t>(ticket - 1));
    EXPECT_EQ(errors[1].message, "no such callable");
  }
}

TEST(Rendezvous, an_exchange_that_ends_the_group_tells_every_member_the_same_reason) {
  Meeting meeting(2);
  meeting.arrive(1, {7, 0}, 0, "a");
  meeting.arrive(2, {7, 0}, 1, "b");
  const Note lost = answer_note(Status::peer_lost, {}, encode_error(1, "RankLost", "rank 1 is gone"));
  meeting.answer(0, lost);
  EXPECT_EQ(meeting.outcome(1), lost);
  EXPECT_EQ(meeting.outcome(2), lost);
}

TEST(Rendezvous, an_answer_with_the_wrong_number_of_replies_is_nobodys_reply) {
  Meeting meeting(2);
  meeting.arrive(1, {7, 0}, 0, "a");
  meeting.arrive(2, {7, 0}, 1, "b");
  meeting.answer(0, answer_note(Status::ok, Parts{blob("only one")}));
  EXPECT_EQ(meeting.outcome(1).status, Status::mismatch);
  EXPECT_EQ(meeting.outcome(2).status, Status::mismatch);
}

TEST(Rendezvous, a_part_of_the_group_is_a_directed_request) {
  Meeting meeting(3);
  meeting.submit(1, {{7, 0}, 2, 2, 2, milliseconds(70), blob("x")});
  ASSERT_EQ(meeting.requests().size(), 1u);
  EXPECT_EQ(meeting.request(0).target, Target::rank);
  EXPECT_EQ(meeting.request(0).rank, 2);
  EXPECT_EQ(meeting.request(0).patience, milliseconds(70));
  EXPECT_EQ(meeting.request(0).payloads, Parts{blob("x")});
  meeting.answer(0, answer_note(Status::ok, Parts{blob("X")}));
  EXPECT_EQ(meeting.outcome(1), answer_note(Status::ok, Parts{blob("X")}));
}

TEST(Rendezvous, a_selection_that_mixes_ranks_and_others_at_the_groups_size_is_refused) {
  Meeting meeting(3);
  meeting.submit(1, {{7, 0}, 0, 3, 2, {}, blob("x")});
  EXPECT_EQ(meeting.outcome(1).status, Status::invalid);
  const std::string text(meeting.outcome(1).text.text());
  EXPECT_NE(text.find("mixes 2 ranks of the group with 1 other workers"), std::string::npos) << text;
  EXPECT_EQ(meeting.machine.state_name(), "empty");
}

TEST(Rendezvous, a_member_outside_the_group_or_without_a_description_is_refused) {
  Meeting meeting(2);
  meeting.submit(1, {{7, 0}, 2, 2, 2, {}, blob("x")});
  EXPECT_EQ(meeting.outcome(1).status, Status::invalid);
  Note broken = join_call({{7, 0}, 1, 2, 2, {}, blob("x")});
  broken.text = blob("short");
  meeting.deliver(event::Submitted{meeting.now, Ticket{2}, broken});
  EXPECT_EQ(meeting.outcome(2).status, Status::invalid);
  broken = join_call({{7, 0}, 1, 2, 2, {}, blob("x")});
  broken.parts = {};
  meeting.deliver(event::Submitted{meeting.now, Ticket{3}, broken});
  EXPECT_EQ(meeting.outcome(3).status, Status::invalid);
  meeting.submit(4, {{7, 0}, 1, 2, 2, milliseconds(-1), blob("x")});
  EXPECT_EQ(meeting.outcome(4).status, Status::invalid);
}

TEST(Rendezvous, a_payload_that_no_request_can_hold_is_refused_before_anyone_waits_for_it) {
  Meeting meeting(2);
  const std::size_t largest = layout::vector_bytes_max - 12;
  auto zeros = [](std::size_t size) { return Blob(size, [](MutableBytes to) { std::memset(to.data(), 0, to.size()); }); };
  meeting.submit(1, {{7, 0}, 0, 2, 2, {}, zeros(largest + 1)});
  EXPECT_EQ(meeting.outcome(1).status, Status::no_space);
  meeting.submit(2, {{7, 0}, 0, 2, 2, {}, zeros(largest)});
  EXPECT_FALSE(meeting.is_complete(2));
}

TEST(Rendezvous, the_end_of_the_group_fails_who_gathers_and_leaves_the_exchange_to_the_channel) {
  Meeting meeting(2);
  meeting.arrive(1, {7, 0}, 0, "a");
  meeting.arrive(2, {7, 0}, 1, "b");
  meeting.arrive(3, {8, 0}, 0, "a");
  meeting.end("rank 1 is gone");
  EXPECT_EQ(meeting.outcome(3).status, Status::peer_lost);
  EXPECT_TRUE(meeting.armed().empty());
  EXPECT_FALSE(meeting.is_complete(1));
  meeting.answer(0, answer_note(Status::peer_lost, {}, blob("gone")));
  EXPECT_TRUE(meeting.is_complete(1) && meeting.is_complete(2));
  meeting.arrive(4, {9, 0}, 0, "a");
  EXPECT_EQ(meeting.outcome(4).status, Status::unavailable);
  EXPECT_EQ(meeting.machine.waiting_members(), 0u);
}

TEST(Rendezvous, more_operations_than_the_limit_are_refused_and_counted) {
  Meeting meeting(2);
  for (std::uint64_t slot = 0; slot < batches_max; ++slot) meeting.arrive(slot + 1, {slot, 0}, 0, "x");
  meeting.arrive(100, {100, 0}, 0, "x");
  EXPECT_EQ(meeting.outcome(100).status, Status::no_space);
  meeting.arrive(101, {0, 0}, 1, "x");
  EXPECT_EQ(meeting.requests().size(), 1u) << "a waiting one can still be completed";
}

TEST(Rendezvous, a_copy_goes_its_own_way) {
  Meeting meeting(2);
  meeting.arrive(1, {7, 0}, 0, "a");
  const Rendezvous before = meeting.machine;
  const std::uint64_t digest = digest_value(before);
  meeting.arrive(2, {7, 0}, 1, "b");
  EXPECT_NE(before, meeting.machine);
  EXPECT_EQ(digest_value(before), digest);
  EXPECT_EQ(before.state_name(), "gathering");
}

TEST(Rendezvous, its_table_is_the_golden_one) {
  test::GoldenTable<Rendezvous> table;
  Meeting empty(2), gathering(2), exchanging(2), ended(2);
  gathering.arrive(1, {7, 0}, 0, "a");
  exchanging.arrive(1, {7, 0}, 0, "a");
  exchanging.arrive(2, {7, 0}, 1, "b");
  ended.end("rank 1 is gone");
  table.state("empty", empty.machine);
  table.state("gathering", gathering.machine);
  table.state("exchanging", exchanging.machine);
  table.state("ended", ended.machine);
  const Time now{1'000'000};
  auto submitted = [&](Join join) { return event::Submitted{now, Ticket{9}, join_call(join)}; };
  table.event("started", event::Started{now}, "it begins with the first member");
  table.event("submitted(first of a batch)", submitted({{8, 0}, 0, 2, 2, {}, blob("x")}));
  table.event("submitted(last of a batch)", submitted({{7, 0}, 1, 2, 2, {}, blob("x")}));
  table.event("submitted(part of the group)", submitted({{7, 0}, 1, 1, 1, {}, blob("x")}));
  table.event("submitted(mixed selection)", submitted({{7, 0}, 1, 2, 1, {}, blob("x")}));
  table.event("submitted(not a member)", event::Submitted{now, Ticket{9}, plain_note(NoteKind::stop)});
  table.event("timer_fired(patience)", event::TimerFired{now, operation(RendezvousOperation::patience, 1)},
              "armed only while that member's batch gathers");
  table.event("timer_fired(stale)", event::TimerFired{now, operation(RendezvousOperation::patience, 99)}, "of no waiting member");
  Note answer = answer_note(Status::ok, Parts{blob("A"), blob("B")});
  answer.ticket = 1;
  table.event("told(answer)", event::Told{now, channel_role, answer}, "of no exchange that is under way");
  answer.ticket = 99;
  table.event("told(answer to another)", event::Told{now, channel_role, answer}, "of no exchange that is under way");
  table.event("told(group ended)", event::Told{now, launch_role, text_note(NoteKind::group_ended, blob("gone"))},
              "it has ended already");
  table.event("told(foreign note)", event::Told{now, launch_role, plain_note(NoteKind::round)}, "of no meaning here");
  table.expect_complete({"empty", "gathering", "exchanging", "ended"});
  table.expect_matches("rendezvous");
}

}  // namespace
}  // namespace rendezvous_test
}  // namespace tenter::mailbox
