#include "core/mailbox/channel.hpp"

#include "core/mailbox/envelope.hpp"
#include "core/mailbox/frame.hpp"
#include "core/mailbox/vector.hpp"
#include "tests/core/mailbox_machines/script.hpp"

namespace tenter::mailbox::test {
namespace channel_test {
namespace {

using O = ChannelOperation;
constexpr auto ready = number(GroupState::ready);
constexpr auto terminal = number(GroupState::terminal);
constexpr auto idle = number(RequestState::idle);
constexpr auto done = number(RequestState::task_done);
constexpr auto failed = number(RequestState::task_failed);

Event submit(const RequestCall& call, std::uint64_t ticket = 1, Time now = Time{1}) {
  return event::Submitted{now, Ticket{ticket}, request_note(call)};
}
RequestCall ping(Duration patience = {}) { return {Opcode::ping, Target::group, -1, patience, Parts{Blob()}}; }
RequestCall directed(std::int32_t rank, Blob payload) {
  return {Opcode::task, Target::rank, rank, {}, Parts{std::move(payload)}};
}
Event from_launch(Note note) { return event::Told{Time{1}, launch_role, std::move(note)}; }

Script<Channel> started(std::uint32_t world = 2) {
  Script<Channel> script{Channel(ChannelConfig{world}), {}};
  script << from_launch(plain_note(NoteKind::group_ready));
  script.clear();
  return script;
}

// The whole answer to request `sequence`: DONE, group READY, one reply.
void answer(Script<Channel>& s, std::uint64_t sequence, const Blob& reply, std::uint32_t index = 0) {
  const auto bytes = static_cast<std::uint32_t>(reply.size());
  s << word_event(O::lane, request_word, done, sequence, index) << word_event(O::reread, group_word, ready, sequence)
    << copied_event(O::lengths, words({1, 8 + bytes}), sequence) << copied_event(O::prefix, words({1, bytes}), sequence);
  if (!reply.empty()) s << copied_event(O::reply, reply, sequence);
}

TEST(Channel, publishes_fields_prefix_and_payload_before_the_word_and_watches_it_afterwards) {
  auto s = started();
  const Blob payload(std::string_view("payload"));
  s << submit(directed(1, payload));
  EXPECT_EQ(s.said(), "write_region write_region write_region publish arm watch ");
  const auto writes = s.all<action::WriteRegion>();
  EXPECT_EQ(writes[0], (action::WriteRegion{40, write_request_fields({1, Opcode::task, Target::rank, 1, 1, 15})}));
  EXPECT_EQ(writes[1], (action::WriteRegion{256, words({1, 7})}));
  EXPECT_EQ(writes[2], (action::WriteRegion{264, payload}));
  EXPECT_EQ(s.last<action::Publish>(), (action::Publish{request_word, 1}));
  EXPECT_EQ(s.last<action::Watch>().seen, 1u);
}

TEST(Channel, takes_an_answer_with_one_copy_a_reply_and_releases_the_lane_without_a_wake) {
  auto s = started();
  s << submit(directed(0, Blob(std::string_view("x"))));
  s.clear();
  answer(s, 1, Blob(std::string_view("reply")));
  EXPECT_EQ(s.all<action::CopyIn>().size(), 3u);
  EXPECT_EQ(s.all<action::CopyIn>()[2].offset, layout::response_vector + 8);
  EXPECT_EQ(s.last<action::Complete>().outcome.parts, Parts{Blob(std::string_view("reply"))});
  EXPECT_TRUE(s.did(action::PublishQuiet{request_word, idle}));
  EXPECT_TRUE(s.all<action::Publish>().empty());
  EXPECT_EQ(s.machine.state(), ChannelState::idle);
}

TEST(Channel, numbers_its_requests_from_1_without_a_gap_for_refused_ones) {
  auto s = started();
  s << submit(directed(9, Blob())) << submit(ping());
  EXPECT_EQ(s.machine.sequence(), 1u);
  answer(s, 1, Blob());
  s << submit(directed(-1, Blob())) << submit(ping());
  EXPECT_EQ(s.machine.sequence(), 2u);
}

TEST(Channel, refuses_what_is_not_legal_before_it_touches_anything_shared) {
  const std::vector<RequestCall> illegal = {
      {Opcode{0}, Target::group, -1, {}, Parts{Blob()}},
      {Opcode{5}, Target::group, -1, {}, Parts{Blob()}},
      {Opcode::task, Target{0}, -1, {}, Parts{Blob()}},
      {Opcode::task, Target{4}, -1, {}, Parts{Blob()}},
      {Opcode::task, Target::rank, 2, {}, Parts{Blob()}},
      {Opcode::task, Target::rank, -1, {}, Parts{Blob()}},
      {Opcode::task, Target::group, 0, {}, Parts{Blob()}},
      {Opcode::task, Target::per_rank, 0, {}, Parts{Blob(), Blob()}},
      {Opcode::task, Target::per_rank, -1, {}, Parts{Blob()}},
      {Opcode::task, Target::per_rank, -1, {}, Parts{Blob(), Blob(), Blob()}},
      {Opcode::task, Target::rank, 0, {}, Parts{}},
      {Opcode::ping, Target::rank, 0, {}, Parts{Blob()}},
      {Opcode::shutdown, Target::per_rank, -1, {}, Parts{Blob(), Blob()}},
      {Opcode::task, Target::group, -1, nanoseconds(-1), Parts{Blob()}},
  };
  for (const RequestCall& call : illegal) {
    auto s = started(2);
    s << submit(call);
    EXPECT_EQ(s.said(), "complete ") << text_of(call);
    EXPECT_EQ(s.last<action::Complete>().outcome.status, Status::invalid) << text_of(call);
    EXPECT_NE(first_message(s.last<action::Complete>().outcome.text), "") << text_of(call);
  }
}

TEST(Channel, accepts_a_payload_that_just_fits_the_page_and_refuses_one_byte_more) {
  const std::uint64_t fits = layout::vector_bytes_max - 8;
  auto s = started();
  s << submit(directed(0, sized(fits)));
  EXPECT_EQ(s.machine.state(), ChannelState::waiting);
  auto t = started();
  t << submit(directed(0, sized(fits + 1)));
  EXPECT_EQ(t.machine.state(), ChannelState::idle);
  EXPECT_NE(first_message(t.last<action::Complete>().outcome.text).find("167772"), std::string::npos);
}

TEST(Channel, queues_64_calls_and_refuses_the_65th) {
  auto s = started();
  s << submit(ping(), 1);
  for (std::uint64_t i = 0; i < waiting_calls_max; ++i) s << submit(ping(), 2 + i);
  EXPECT_TRUE(s.all<action::Complete>().empty());
  s << submit(ping(), 99);
  EXPECT_EQ(s.last<action::Complete>().ticket, Ticket{99});
  EXPECT_EQ(s.last<action::Complete>().outcome.status, Status::no_space);
  for (std::uint64_t i = 1; i <= waiting_calls_max + 1; ++i) answer(s, i, Blob());
  const auto completed = s.all<action::Complete>();
  ASSERT_EQ(completed.size(), waiting_calls_max + 2);
  for (std::uint64_t i = 0; i <= waiting_calls_max; ++i)
    EXPECT_EQ(completed[i + 1].ticket, Ticket{i + 1}) << "first in, first out";
}

TEST(Channel, counts_the_wait_in_the_queue_against_the_calls_own_deadline) {
  auto s = started();
  s << submit(ping(), 1) << submit(ping(nanoseconds(10)), 2) << submit(ping(nanoseconds(50)), 3);
  EXPECT_EQ(s.last<action::Arm>(), (action::Arm{operation(O::queue_deadline), Time{11}}));
  s << fired_event(O::queue_deadline, Time{11});
  EXPECT_EQ(s.last<action::Complete>().ticket, Ticket{2});
  EXPECT_EQ(s.last<action::Complete>().outcome.status, Status::timed_out);
  EXPECT_EQ(s.last<action::Arm>(), (action::Arm{operation(O::queue_deadline), Time{51}}));
  EXPECT_EQ(s.machine.state(), ChannelState::waiting) << "a call that was never published ends alone";
  s.clear();
  s << word_event(O::lane, request_word, done, 1, 0, Time{40}) << word_event(O::reread, group_word, ready, 1, 0, Time{40})
    << copied_event(O::lengths, words({1, 8}), 1, 0, Time{40}) << copied_event(O::prefix, words({1, 0}), 1, 0, Time{40});
  EXPECT_EQ(s.all<action::Arm>().at(0), (action::Arm{operation(O::deadline), Time{51}})) << "not its whole patience again";
}

TEST(Channel, never_publishes_a_call_whose_time_was_over_before_the_lane_was_free) {
  auto s = started();
  s << submit(ping(), 1) << submit(ping(nanoseconds(10)), 2);
  s << word_event(O::lane, request_word, done, 1) << word_event(O::reread, group_word, ready, 1)
    << copied_event(O::lengths, words({1, 8}), 1) << copied_event(O::prefix, words({1, 0}), 1, 0, Time{11});
  EXPECT_EQ(s.machine.state(), ChannelState::idle);
  EXPECT_EQ(s.last<action::Complete>().outcome.status, Status::timed_out);
  EXPECT_EQ(s.machine.sequence(), 1u);
}

TEST(Channel, believes_the_group_word_over_task_done) {
  auto s = started();
  s << submit(ping()) << word_event(O::lane, request_word, done, 1) << copied_event(O::lengths, words({1, 8}), 1)
    << copied_event(O::prefix, words({1, 0}), 1);
  EXPECT_TRUE(s.all<action::Complete>().empty()) << "not before the group word was read again";
  s << word_event(O::reread, group_word, terminal, 1);
  EXPECT_EQ(s.machine.state(), ChannelState::explaining);
  EXPECT_FALSE(s.did(action::PublishQuiet{request_word, idle}));
}

TEST(Channel, ends_the_group_on_any_answer_that_breaks_its_format) {
  const std::vector<std::pair<Blob, Blob>> broken = {
      {words({2, 8}), words({1, 0})},                             // count
      {words({0, 8}), words({1, 0})},                             //
      {words({1, layout::vector_bytes_max + 1}), words({1, 0})},  // over the page
      {words({1, 9}), words({1, 0})},                             // bytes after the last payload
      {words({1, 8}), words({1, 1})},                             // length beyond the end
      {words({1, 8}), words({2, 0})},                             // count in the vector
      {words({1, 8}), words({1, 0xFFFF'FFFF})},                   // wraps in 32 bits
      {words({1, 4}), words({1, 0})},                             // shorter than its prefix
      {words({1}), words({1, 0})},                                // a short copy
  };
  for (const auto& [lengths, prefix] : broken) {
    auto s = started();
    s << submit(ping()) << word_event(O::lane, request_word, done, 1) << word_event(O::reread, group_word, ready, 1)
      << copied_event(O::lengths, lengths, 1) << copied_event(O::prefix, prefix, 1);
    EXPECT_EQ(s.machine.state(), ChannelState::condemning) << text_of(lengths) << text_of(prefix);
    EXPECT_TRUE(s.all<action::Complete>().empty());
  }
}

TEST(Channel, never_writes_the_error_area_while_rank_0_may_own_it) {
  auto s = started();
  s << submit(ping()) << fired_event(O::deadline, Time{100})
    << from_launch(text_note(NoteKind::culprit, encode_error(1, "Stopped", "pid 9 is stopped")))
    << swapped_event(O::condemn, ready, 1) << swapped_event(O::withdraw, number(RequestState::task_accepted), 1);
  EXPECT_EQ(s.machine.state(), ChannelState::terminal);
  for (const auto& write : s.all<action::WriteRegion>()) EXPECT_LT(write.offset, layout::error_area);
}

TEST(Channel, looks_at_the_processes_before_terminal_makes_them_leave) {
  auto s = started();
  s << submit(ping()) << fired_event(O::deadline, Time{100});
  EXPECT_EQ(s.machine.state(), ChannelState::blaming);
  EXPECT_EQ(s.last<action::Tell>().note.kind, number(NoteKind::who_is_to_blame));
  EXPECT_TRUE(s.all<action::PublishIf>().empty());
  s << from_launch(text_note(NoteKind::culprit, encode_error(1, "ProcessStopped", "pid 9 is stopped")));
  EXPECT_EQ(s.machine.state(), ChannelState::condemning);
  s << swapped_event(O::condemn, ready, 1) << swapped_event(O::withdraw, number(RequestState::request_ready), 1);
  EXPECT_NE(s.last<action::Complete>().outcome.text.text().find("pid 9 is stopped"), std::string_view::npos);
}

TEST(Channel, leaves_the_reason_of_another_winner_alone) {
  auto s = started();
  s << submit(ping()) << word_event(O::group, group_word, terminal) << word_event(O::error_length, error_length_word, 90, 1, 1)
    << copied_event(O::errors, encode_error(0, "LaneStalled", "lane stalled"), 1, 1);
  EXPECT_EQ(s.machine.state(), ChannelState::terminal);
  EXPECT_EQ(first_message(s.machine.reason()), "lane stalled");
  for (const auto& write : s.all<action::WriteRegion>()) EXPECT_LT(write.offset, layout::error_area);
}

TEST(Channel, reads_a_reason_that_a_peer_of_the_reference_wrote_as_bare_text) {
  auto s = started();
  s << word_event(O::group, group_word, terminal) << word_event(O::error_length, error_length_word, 12, 0, 1)
    << copied_event(O::errors, Blob(std::string_view("lane stalled")), 0, 1);
  EXPECT_EQ(first_message(s.machine.reason()), "lane stalled");
}

TEST(Channel, does_not_wait_for_ever_for_a_reason_that_never_becomes_complete) {
  auto s = started();
  s << submit(ping()) << word_event(O::group, group_word, terminal);
  EXPECT_EQ(s.last<action::Arm>().op, operation(O::patience));
  s << fired_event(O::patience, Time{2'000'000'000});
  EXPECT_EQ(s.last<action::Complete>().outcome.status, Status::peer_lost);
  EXPECT_NE(first_message(s.machine.reason()), "");
}

TEST(Channel, names_the_phase_that_a_request_had_reached_at_its_deadline) {
  const std::vector<std::pair<RequestState, std::string>> phases = {{RequestState::request_ready, "had not accepted"},
                                                                    {RequestState::task_accepted, "accepted by rank 0"},
                                                                    {RequestState::task_done, "had not been taken"}};
  for (const auto& [lane, phrase] : phases) {
    auto s = started();
    s << submit(ping()) << fired_event(O::deadline, Time{100}) << fired_event(O::patience, Time{200})
      << swapped_event(O::condemn, ready, 1) << swapped_event(O::withdraw, number(lane), 1);
    EXPECT_NE(first_message(s.last<action::Complete>().outcome.text).find(phrase), std::string::npos) << to_string(lane);
    EXPECT_EQ(s.all<action::Publish>().back() == (action::Publish{request_word, failed}), lane != RequestState::task_accepted)
        << "rank 0 is woken by the compare-exchange, or by the store";
  }
}

TEST(Channel, keeps_the_first_reason_and_fails_everybody_with_it) {
  auto s = started();
  s << submit(ping(), 1) << submit(ping(), 2)
    << from_launch(text_note(NoteKind::group_broken, encode_error(1, "Exited", "signal 9")))
    << swapped_event(O::condemn, ready, 1) << swapped_event(O::withdraw, number(RequestState::task_accepted), 1);
  ASSERT_EQ(s.machine.state(), ChannelState::terminal) << "Launch named the culprit, nobody is asked";
  const Blob reason = s.machine.reason();
  EXPECT_EQ(decode_error_list(reason.bytes())[0].rank, 1);
  s << from_launch(text_note(NoteKind::group_broken, encode_error(0, "Exited", "later")))
    << word_event(O::group, group_word, terminal) << submit(ping(), 3);
  EXPECT_EQ(s.machine.reason(), reason);
  for (const auto& complete : s.all<action::Complete>()) {
    EXPECT_EQ(complete.outcome.status, Status::peer_lost);
    EXPECT_EQ(complete.outcome.text, reason);
  }
  EXPECT_EQ(s.all<action::Complete>().size(), 3u);
}

TEST(Channel, makes_terminal_stick_against_a_stranger_who_rewrites_the_group_word) {
  auto s = started();
  s << submit(ping()) << word_event(O::group, group_word, 77);
  for (std::uint32_t i = 0; i < condemn_attempts_max; ++i) s << swapped_event(O::condemn, 100 + i, 1, i);
  EXPECT_TRUE(s.did(action::Publish{group_word, terminal}));
  EXPECT_EQ(s.machine.state(), ChannelState::withdrawing);
}

TEST(Channel, ignores_the_late_answer_after_a_time_out) {
  auto s = started();
  s << submit(ping()) << fired_event(O::deadline, Time{100});
  const Channel before = s.machine;
  answer(s, 1, Blob(std::string_view("late")));
  EXPECT_EQ(s.machine, before);
  EXPECT_TRUE(s.all<action::Complete>().empty());
}

TEST(Channel, zeroes_the_error_length_while_the_area_is_still_its_own) {
  auto s = started();
  s << submit(ping()) << word_event(O::lane, request_word, failed, 1) << word_event(O::reread, group_word, ready, 1)
    << word_event(O::error_length, error_length_word, 70, 1) << copied_event(O::errors, encode_error(0, "T", "m"), 1);
  const auto quiet = s.all<action::PublishQuiet>();
  ASSERT_EQ(quiet.size(), 2u);
  EXPECT_EQ(quiet[0], (action::PublishQuiet{error_length_word, 0}));
  EXPECT_EQ(quiet[1], (action::PublishQuiet{request_word, idle}));
}

TEST(Channel, believes_an_error_length_of_1_to_65536_only) {
  for (const std::uint32_t length : {1u, layout::error_bytes_max}) {
    auto s = started();
    s << submit(ping()) << word_event(O::lane, request_word, failed, 1) << word_event(O::reread, group_word, ready, 1)
      << word_event(O::error_length, error_length_word, length, 1);
    EXPECT_EQ(s.last<action::CopyIn>().bytes, length);
  }
  for (const std::uint32_t length : {0u, layout::error_bytes_max + 1}) {
    auto s = started();
    s << submit(ping()) << word_event(O::lane, request_word, failed, 1) << word_event(O::reread, group_word, ready, 1)
      << word_event(O::error_length, error_length_word, length, 1);
    EXPECT_EQ(s.machine.state(), ChannelState::condemning);
  }
}

TEST(Channel, answers_a_machine_of_its_process_by_a_note_with_the_ticket) {
  auto s = started();
  s << event::Told{Time{1}, rendezvous_role, request_note(ping(), 42)};
  answer(s, 1, Blob());
  EXPECT_EQ(s.last<action::Tell>().to, rendezvous_role);
  EXPECT_EQ(s.last<action::Tell>().note.ticket, 42u);
  EXPECT_TRUE(s.all<action::Complete>().empty());
}

TEST(Channel, a_shutdown_whose_deadline_meets_closed_has_succeeded) {
  auto s = started();
  s << submit({Opcode::shutdown, Target::group, -1, {}, Parts{Blob()}}) << fired_event(O::deadline, Time{100})
    << fired_event(O::patience, Time{200}) << swapped_event(O::condemn, number(GroupState::closed), 1);
  EXPECT_EQ(s.machine.state(), ChannelState::closed);
  EXPECT_EQ(s.last<action::Complete>().outcome.status, Status::ok);
}

TEST(Channel, equal_machines_have_equal_digests_and_different_ones_differ) {
  auto a = started(), b = started();
  EXPECT_EQ(a.machine, b.machine);
  EXPECT_EQ(digest_value(a.machine), digest_value(b.machine));
  b << submit(ping());
  EXPECT_FALSE(a.machine == b.machine);
  EXPECT_NE(digest_value(a.machine), digest_value(b.machine));
}

}  // namespace
}  // namespace channel_test
}  // namespace tenter::mailbox::test
