// The bugs of stream_tampered.hpp, each found by the case that names it.
#pragma once
#include "tests/conformance/stream_tampered.hpp"

namespace tenter::conformance {

template <class Suite>
void expect_failing(const char* name) {
  for (const Case<Suite>& one : Suite::cases())
    if (one.name == std::string_view(name)) {
      EXPECT_TRUE(fails(one)) << name << " does not find it";
      return;
    }
  ADD_FAILURE() << "no case " << name;
}
template <StreamFixture Bug>
void expect_found_by_case(const char* name) {
  AnyStreams::of<Bug>();
  expect_failing<StreamContract<AnyStreams>>(name);
}
template <StreamFixture Bug>
void expect_found_at_the_end(const char* name) {
  AnyStreams::of<Bug>();
  expect_failing<StreamEnds<AnyStreams>>(name);
}

// Whole: the same world with more patience, where it has any; without a bug.
template <StreamFixture F, StreamFixture Whole = F>
void expect_stream_bugs_found() {
  using event::Connected;
  using event::Listening;
  using event::StreamRead;
  using event::StreamWritten;
  EXPECT_EQ(failing_cases<StreamContract<AnyStreams>>(AnyStreams::of<TamperedStreams<Whole>>), std::vector<std::string>{})
      << "without a bug";
  EXPECT_EQ(failing_cases<StreamEnds<AnyStreams>>(AnyStreams::of<TamperedStreams<Whole>>), std::vector<std::string>{})
      << "without a bug";
  expect_found_by_case<ChangesAnswers<F, Listening, port_is_untold>>("a_listen_answers_with_its_real_port");
  expect_found_by_case<ChangesAnswers<F, Listening, taken_is_failed>>("an_address_that_is_taken_exists");
  expect_found_by_case<ChangesAnswers<F, Connected, invalid_is_failed>>("what_is_no_address_is_invalid");
  expect_found_by_case<ChangesRequests<F, on_every_address>>("it_listens_on_that_address_only");
  expect_found_by_case<ChangesAnswers<F, Connected, refused_is_ok>>("a_connect_to_nobody_is_refused");
  expect_found_by_case<ChangesAnswers<F, Connected, peer_is_unnamed>>("both_sides_are_told_of_each_other");
  expect_found_by_case<IgnoresRequests<F, action::CloseListener>>("an_address_is_free_again_after_its_listener");
  expect_found_by_case<AcceptsOnAndOn<F>>("one_accept_takes_one_peer");
  expect_found_by_case<ConnectsAtOnce<F>>("the_backlog_is_bounded");
  expect_found_by_case<IgnoresRequests<F, action::CloseListener>>("a_closed_listener_answers_no_accept");
  expect_found_by_case<IgnoresRequests<F, action::CloseListener>>("a_closed_listener_refuses_who_waited");
  expect_found_by_case<ListenerTakesAll<F>>("accepted_connections_outlive_their_listener");
  expect_found_by_case<IgnoresRequests<F, action::CloseStream>>("a_connect_that_is_closed_is_answered_no_more");
  expect_found_by_case<ChangesAnswers<F, StreamRead, loses_a_byte>>("bytes_arrive_whole_in_order_and_once");
  expect_found_by_case<ChangesAnswers<F, StreamRead, doubles_a_byte>>("bytes_arrive_whole_in_order_and_once");
  expect_found_by_case<ChangesAnswers<F, StreamRead, changes_a_byte>>("bytes_arrive_whole_in_order_and_once");
  expect_found_by_case<ReordersWrites<F>>("writes_are_read_in_their_order");
  expect_found_by_case<ChangesRequests<F, beyond_the_limit>>("a_read_gives_no_more_than_its_limit");
  expect_found_by_case<ReadsAllOrNothing<F>>("a_read_waits_for_bytes_and_not_for_its_limit");
  expect_found_by_case<MixesConnections<F>>("connections_do_not_mix");
  expect_found_by_case<AnswersTwiceOnce<F, StreamWritten>>("each_write_is_answered_once");
  expect_found_by_case<EndsByNothing<F>>("a_write_of_nothing_is_no_end");
  expect_found_by_case<WritesAtOnce<F>>("a_write_to_one_who_does_not_read_waits");
  expect_found_by_case<ForgetsTheStopped<F>>("a_stopped_process_is_silent_and_loses_nothing");
  expect_found_at_the_end<EndsEarly<F>>("the_end_is_read_behind_all_that_was_written");
  expect_found_at_the_end<EndsOnce<F>>("an_end_is_read_again");
  expect_found_at_the_end<ChangesAnswers<F, StreamRead, end_is_a_reset>>("a_waiting_read_is_told_of_the_end");
  expect_found_at_the_end<FinishesBothWays<F>>("behind_an_end_the_other_direction_goes_on");
  expect_found_at_the_end<ChangesRequests<F, always_abort>>("what_was_written_before_a_close_is_read");
  expect_found_at_the_end<ChangesRequests<F, always_abort>>("what_the_closer_has_not_read_takes_nothing_from_that");
  expect_found_at_the_end<ChangesRequests<F, never_abort>>("an_abort_is_seen_as_a_reset");
  expect_found_at_the_end<IgnoresRequests<F, action::CloseStream>>("nothing_is_answered_after_a_close");
  expect_found_at_the_end<IgnoresRequests<F, action::CloseStream>>("what_was_answered_and_not_delivered_is_taken_back");
  expect_found_at_the_end<ClosesAll<F>>("a_close_touches_no_other_connection");
  expect_found_at_the_end<KeepsConnections<F>>("nothing_is_left_when_all_is_closed");
  expect_found_at_the_end<ChangesAnswers<F, StreamWritten, lost_is_ok>>("a_write_to_one_who_is_gone_is_lost");
  expect_found_at_the_end<KeepsWaiting<F>>("a_write_that_waits_is_told_of_a_reset");
  expect_found_at_the_end<ChangesAnswers<F, StreamRead, reset_is_an_end>>("a_reset_stays_a_reset");
  expect_found_at_the_end<OutlivesProcesses<F>>("a_process_that_ends_closes_its_connections");
  expect_found_at_the_end<OutlivesProcesses<F>>("nobody_listens_for_a_process_that_has_ended");
}

}  // namespace tenter::conformance
