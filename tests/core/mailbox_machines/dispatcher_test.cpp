#include "core/mailbox/dispatcher.hpp"

#include <algorithm>

#include "core/mailbox/vector.hpp"
#include "tests/core/mailbox_machines/script.hpp"

namespace tenter::mailbox::test {
namespace dispatcher_test {
namespace {

using O = DispatcherOperation;
constexpr auto initializing = number(GroupState::initializing);
constexpr auto ready = number(GroupState::ready);
constexpr auto terminal = number(GroupState::terminal);
constexpr auto idle = number(RequestState::idle);
constexpr auto request_ready = number(RequestState::request_ready);
constexpr auto accepted = number(RequestState::task_accepted);
constexpr auto done = number(RequestState::task_done);
constexpr auto failed = number(RequestState::task_failed);

// Bytes 0..255 of a fresh page, to be spoilt.
std::vector<std::byte> fresh_header(std::uint32_t world = 2) {
  std::vector<std::byte> header(layout::header_bytes);
  std::copy_n(std::as_bytes(std::span(layout::magic_bytes)).begin(), 8, header.begin());
  wire::store(header.data() + 8, layout::protocol_version);
  wire::store(header.data() + 12, layout::header_bytes);
  wire::store(header.data() + 16, layout::page_bytes);
  wire::store(header.data() + 24, world);
  return header;
}

Script<Dispatcher> opened(Blob reasons = {}) {
  Script<Dispatcher> s{Dispatcher{}, {}};
  s << event::Told{Time{1}, member_role, attach_note({Blob(std::string_view("page")), 2, std::move(reasons)})}
    << event::PageOpened{Time{1}, operation(O::open), Status::ok, layout::page_bytes, {}};
  return s;
}
void look(Script<Dispatcher>& s, const std::vector<std::byte>& header) {
  const Bytes bytes(header);
  s << copied_event(O::identity, Blob(bytes.subspan(0, 28))) << copied_event(O::fields, Blob(bytes.subspan(36, 40)))
    << copied_event(O::reserved, Blob(bytes.subspan(80)))
    << word_event(O::lane, request_word, wire::load<std::uint32_t>(&header[32]), 1);
}
Script<Dispatcher> parked() {
  auto s = opened();
  look(s, fresh_header());
  s << swapped_event(O::announce, initializing, 1);
  EXPECT_EQ(s.machine.state(), DispatcherState::parked);
  s.clear();
  return s;
}
RequestFields directed(std::uint64_t sequence = 1, std::uint32_t bytes = 9) {
  return {sequence, Opcode::task, Target::rank, 1, 1, bytes};
}
Blob vector_of_one(std::uint32_t length = 1) {
  wire::Writer writer;
  return writer.u32(1).u32(length).bytes(sized(length, 7).bytes()).blob();
}
Parts records(const Record& first, const Record& second) { return Parts{write_record(first), write_record(second)}; }
const Record nothing{0, Outcome::idle, {}, {}, {}};

void accept(Script<Dispatcher>& s, const RequestFields& fields, std::uint64_t look_number = 2) {
  s << word_event(O::lane, request_word, request_ready, look_number)
    << copied_event(O::fields, write_request_fields(fields), look_number) << copied_event(O::vector, vector_of_one(), look_number)
    << swapped_event(O::accept, request_ready, look_number);
}
void gathered(Script<Dispatcher>& s, Parts all) { s << event::Told{Time{1}, member_role, gathered_note(std::move(all))}; }

TEST(Dispatcher, refuses_a_page_with_any_header_byte_wrong_and_writes_nothing_into_it) {
  for (std::uint32_t offset = 0; offset < layout::header_bytes; ++offset) {
    if (offset >= 28 && offset < 32) continue;  // the group word is checked by its compare-exchange
    if (offset >= 48 && offset < 80) continue;  // fields of a request; the sequence says whether there was one
    auto header = fresh_header();
    header[offset] ^= std::byte{0x01};
    auto s = opened();
    look(s, header);
    ASSERT_EQ(s.machine.state(), DispatcherState::left) << "offset " << offset;
    EXPECT_TRUE(s.all<action::WriteRegion>().empty() && s.all<action::Publish>().empty() && s.all<action::PublishIf>().empty());
    EXPECT_NE(s.last<action::Tell>().note.text.size(), 0u);
  }
}

TEST(Dispatcher, refuses_a_page_of_another_size_or_none) {
  for (const std::uint64_t bytes : {layout::page_bytes - 1, layout::page_bytes + 1, std::uint64_t{0}}) {
    Script<Dispatcher> s{Dispatcher{}, {}};
    s << event::Told{Time{1}, member_role, attach_note({Blob(std::string_view("page")), 2, {}})}
      << event::PageOpened{Time{1}, operation(O::open), Status::ok, bytes, {}};
    EXPECT_EQ(s.machine.state(), DispatcherState::left);
  }
}

TEST(Dispatcher, publishes_ready_only_from_initializing) {
  for (const std::uint32_t seen : {ready, terminal, number(GroupState::closed), 77u}) {
    auto s = opened();
    look(s, fresh_header());
    EXPECT_EQ(s.last<action::PublishIf>().expected, initializing);
    s << swapped_event(O::announce, seen, 1);
    EXPECT_EQ(s.machine.state(), DispatcherState::left) << seen;
    EXPECT_TRUE(s.all<action::WriteRegion>().empty());
    EXPECT_FALSE(s.last<action::Tell>().note.text.empty());
  }
}

TEST(Dispatcher, publishes_terminal_with_every_ranks_reason_when_one_is_not_ready) {
  const Blob reasons = encode_error_list({{0, "NotReady", "a", false}, {1, "NotReady", "b", false}});
  auto s = opened(reasons);
  look(s, fresh_header());
  EXPECT_EQ(s.last<action::PublishIf>().value, terminal);
  s << swapped_event(O::announce, initializing, 1);
  EXPECT_EQ(s.last<action::WriteRegion>(), (action::WriteRegion{layout::error_area, reasons}));
  EXPECT_EQ(s.last<action::Publish>().word, error_length_word);
  EXPECT_EQ(s.machine.state(), DispatcherState::left);
}

TEST(Dispatcher, accepts_only_after_the_private_copy_is_whole_and_wakes_nobody_by_it) {
  auto s = parked();
  s << word_event(O::lane, request_word, request_ready, 2);
  EXPECT_EQ(s.last<action::CopyIn>(), (action::CopyIn{operation(O::fields, 2), 40, 36}));
  s << copied_event(O::fields, write_request_fields(directed()), 2);
  EXPECT_EQ(s.last<action::CopyIn>(), (action::CopyIn{operation(O::vector, 2), 256, 9}));
  EXPECT_TRUE(s.all<action::PublishIf>().empty());
  s << copied_event(O::vector, vector_of_one(), 2);
  EXPECT_EQ(s.last<action::PublishIf>(),
            (action::PublishIf{operation(O::accept, 2), request_word, request_ready, accepted, false}));
  EXPECT_TRUE(s.all<action::Tell>().empty()) << "nothing is worked on before it is accepted";
  s << swapped_event(O::accept, request_ready, 2);
  auto envelope = read_envelope(s.last<action::Tell>().note.text.bytes());
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->fields, directed());
  EXPECT_EQ(Blob(envelope->vector), vector_of_one());
}

TEST(Dispatcher, refuses_every_illegal_header_and_says_which_field) {
  auto with = [](auto change) {
    RequestFields fields = directed();
    change(fields);
    return fields;
  };
  const std::vector<std::pair<RequestFields, std::string>> illegal = {
      {with([](auto& f) { f.sequence = 0; }), "sequence"},
      {with([](auto& f) { f.opcode = Opcode{0}; }), "opcode"},
      {with([](auto& f) { f.opcode = Opcode{5}; }), "opcode"},
      {with([](auto& f) { f.opcode = Opcode::shutdown; }), "opcode"},
      {with([](auto& f) { f.opcode = Opcode::ping; }), "target"},
      {with([](auto& f) { f.target = Target{0}; }), "target"},
      {with([](auto& f) { f.target = Target{4}; }), "target"},
      {with([](auto& f) { f.rank = 2; }), "target_rank"},
      {with([](auto& f) { f.rank = -1; }), "target_rank"},
      {with([](auto& f) { f.target = Target::group; }), "target_rank"},
      {with([](auto& f) { f.count = 0; }), "request_count"},
      {with([](auto& f) { f.count = 2; }), "request_count"},
      {with([](auto& f) { f.count = 0x4000'0000; }), "request_count"},
      {with([](auto& f) { f.bytes = 7; }), "request_bytes"},
      {with([](auto& f) { f.bytes = layout::vector_bytes_max + 1; }), "request_bytes"},
  };
  for (const auto& [fields, field] : illegal) {
    auto s = parked();
    s << word_event(O::lane, request_word, request_ready, 2) << copied_event(O::fields, write_request_fields(fields), 2);
    ASSERT_EQ(s.machine.state(), DispatcherState::condemning) << text_of(fields);
    EXPECT_NE(first_message(s.machine.reason()).find(field), std::string::npos) << first_message(s.machine.reason());
    EXPECT_EQ(s.all<action::CopyIn>().size(), 1u) << "a length that is not believed is never used";
  }
}

TEST(Dispatcher, executes_a_sequence_once_and_accepts_gaps) {
  auto s = parked();
  accept(s, directed(5));
  gathered(s, records(nothing, {1, Outcome::done, {}, {}, {}}));
  s << swapped_event(O::complete, accepted, 2) << word_event(O::lane, request_word, request_ready, 3);
  auto duplicate = s, older = s, newer = s;
  duplicate << copied_event(O::fields, write_request_fields(directed(5)), 3);
  EXPECT_EQ(duplicate.machine.state(), DispatcherState::condemning);
  older << copied_event(O::fields, write_request_fields(directed(4)), 3);
  EXPECT_EQ(older.machine.state(), DispatcherState::condemning);
  newer << copied_event(O::fields, write_request_fields(directed(9)), 3);
  EXPECT_EQ(newer.machine.state(), DispatcherState::reading);
}

TEST(Dispatcher, completes_by_compare_exchange_and_gives_up_when_the_parent_was_first) {
  auto s = parked();
  accept(s, directed());
  const Blob reply(std::string_view("reply"));
  gathered(s, records(nothing, {1, Outcome::done, {}, {}, reply.bytes()}));
  EXPECT_EQ(s.last<action::PublishIf>(), (action::PublishIf{operation(O::complete, 2), request_word, accepted, done, true}));
  const auto writes = s.all<action::WriteRegion>();
  ASSERT_EQ(writes.size(), 3u);
  EXPECT_EQ(writes[0], (action::WriteRegion{68, words({1, 13})}));
  EXPECT_EQ(writes[1], (action::WriteRegion{layout::response_vector, words({1, 5})}));
  EXPECT_EQ(writes[2], (action::WriteRegion{layout::response_vector + 8, reply}));
  s.clear();
  s << swapped_event(O::complete, failed, 2) << swapped_event(O::condemn, terminal, 2);
  EXPECT_EQ(s.machine.state(), DispatcherState::left);
  EXPECT_TRUE(s.all<action::WriteRegion>().empty()) << "the error area belongs to the winner";
  EXPECT_FALSE(leave_is_orderly(s.last<action::Tell>().note));
}

TEST(Dispatcher, an_application_error_leaves_the_group_ready) {
  auto s = parked();
  accept(s, directed());
  gathered(s, records(nothing, {1, Outcome::application, "RemoteOperationError", "disk full", {}}));
  EXPECT_EQ(s.last<action::PublishIf>().value, failed);
  EXPECT_EQ(s.last<action::WriteRegion>().offset, layout::error_area);
  EXPECT_EQ(s.last<action::PublishQuiet>().value, s.last<action::WriteRegion>().content.size());
  s << swapped_event(O::complete, accepted, 2);
  EXPECT_EQ(s.machine.state(), DispatcherState::parked);
}

TEST(Dispatcher, a_transport_error_outranks_an_application_error_and_ends_the_group) {
  auto s = parked();
  accept(s, directed());
  gathered(s, records({0, Outcome::application, "A", "application", {}}, {1, Outcome::transport, "T", "transport", {}}));
  ASSERT_EQ(s.machine.state(), DispatcherState::condemning);
  const auto errors = decode_error_list(s.machine.reason().bytes());
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].rank, 1);
  s << swapped_event(O::condemn, ready, 2);
  EXPECT_EQ(s.last<action::PublishIf>(), (action::PublishIf{operation(O::release, 2), request_word, accepted, failed, true}));
}

TEST(Dispatcher, writes_the_reason_before_its_length_and_the_length_before_the_request_word) {
  auto s = parked();
  accept(s, directed());
  gathered(s, Parts{});
  s.clear();
  s << swapped_event(O::condemn, ready, 2);
  EXPECT_EQ(s.said(), "write_region publish publish_if ");
  EXPECT_EQ(s.last<action::Publish>().value, s.machine.reason().size());
}

TEST(Dispatcher, names_the_rank_whose_record_is_broken_missing_or_not_its_own) {
  const std::vector<Parts> broken = {
      Parts{write_record(nothing), Blob(std::string_view("?"))}, Parts{write_record(nothing), Blob()},
      records(nothing, {0, Outcome::done, {}, {}, {}}), records(nothing, {1, Outcome::idle, {}, {}, {}}),  // it was addressed
  };
  for (const Parts& all : broken) {
    auto s = parked();
    accept(s, directed());
    gathered(s, all);
    ASSERT_EQ(s.machine.state(), DispatcherState::condemning);
    EXPECT_EQ(decode_error_list(s.machine.reason().bytes()).at(0).rank, 1);
  }
}

TEST(Dispatcher, replies_over_the_page_are_an_ordinary_error_and_just_under_they_are_an_answer) {
  const RequestFields both{1, Opcode::task, Target::per_rank, -1, 2, 12};
  const std::uint64_t room = layout::vector_bytes_max - 12;
  for (const bool over : {false, true}) {
    const Blob half = sized(room / 2), rest = sized(room - room / 2 + (over ? 1 : 0));
    auto s = parked();
    s << word_event(O::lane, request_word, request_ready, 2) << copied_event(O::fields, write_request_fields(both), 2)
      << copied_event(O::vector, words({2, 0, 0}), 2) << swapped_event(O::accept, request_ready, 2);
    gathered(s, records({0, Outcome::done, {}, {}, half.bytes()}, {1, Outcome::done, {}, {}, rest.bytes()}));
    EXPECT_EQ(s.last<action::PublishIf>().value, over ? failed : done);
  }
}

TEST(Dispatcher, an_answer_that_nobody_takes_ends_the_group_but_one_that_was_taken_quietly_does_not) {
  auto s = parked();
  accept(s, directed());
  gathered(s, records(nothing, {1, Outcome::done, {}, {}, {}}));
  s << swapped_event(O::complete, accepted, 2);
  EXPECT_EQ(s.last<action::Arm>(), (action::Arm{operation(O::stall), Time{1} + seconds(30)}));
  s << fired_event(O::stall, Time{1} + seconds(30));
  auto taken = s;
  s << word_event(O::doubt, request_word, done, 4);
  EXPECT_EQ(s.machine.state(), DispatcherState::condemning);
  EXPECT_NE(first_message(s.machine.reason()).find("lane stalled"), std::string::npos);
  taken << word_event(O::doubt, request_word, idle, 4);
  EXPECT_EQ(taken.machine.state(), DispatcherState::parked);
}

TEST(Dispatcher, does_not_overwrite_an_application_error_that_the_parent_may_be_reading) {
  auto s = parked();
  accept(s, directed());
  gathered(s, records(nothing, {1, Outcome::application, "T", "m", {}}));
  s << swapped_event(O::complete, accepted, 2) << fired_event(O::stall, Time{1} + seconds(30))
    << word_event(O::doubt, request_word, failed, 4);
  s.clear();
  s << swapped_event(O::condemn, ready, 4);
  EXPECT_TRUE(s.all<action::WriteRegion>().empty());
}

TEST(Dispatcher, never_touches_an_idle_request_word_and_does_fail_a_request_published_meanwhile) {
  auto s = parked();
  s << word_event(O::group, group_word, 77) << swapped_event(O::condemn, 77, 2);
  EXPECT_EQ(s.last<action::PublishIf>().expected, request_ready);
  auto calm = s;
  calm << swapped_event(O::release, idle, 2);
  EXPECT_EQ(calm.machine.state(), DispatcherState::left);
  s << swapped_event(O::release, number(RequestState::shutdown_ready), 2);
  EXPECT_EQ(s.last<action::PublishIf>().expected, number(RequestState::shutdown_ready));
}

TEST(Dispatcher, shutdown_publishes_closed_before_shutdown_done) {
  auto s = parked();
  s << word_event(O::lane, request_word, number(RequestState::shutdown_ready), 2)
    << copied_event(O::fields, write_request_fields({1, Opcode::shutdown, Target::group, -1, 1, 8}), 2)
    << copied_event(O::vector, vector_of_one(0), 2) << swapped_event(O::accept, number(RequestState::shutdown_ready), 2);
  s.clear();
  gathered(s, records({0, Outcome::done, {}, {}, {}}, {1, Outcome::done, {}, {}, {}}));
  EXPECT_EQ(s.last<action::PublishIf>(),
            (action::PublishIf{operation(O::close, 2), group_word, ready, number(GroupState::closed), true}));
  s << word_event(O::group, group_word, number(GroupState::closed));  // its own, seen before the answer
  s << swapped_event(O::close, ready, 2);
  EXPECT_EQ(s.last<action::PublishIf>().value, number(RequestState::shutdown_done));
  s << swapped_event(O::complete, accepted, 2);
  EXPECT_TRUE(leave_is_orderly(s.last<action::Tell>().note));
}

}  // namespace
}  // namespace dispatcher_test
}  // namespace tenter::mailbox::test
