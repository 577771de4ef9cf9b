#include "core/mailbox/envelope.hpp"

#include "core/mailbox/manifest.hpp"
#include "core/mailbox/notes.hpp"
#include "tests/core/mailbox_codec/bytes.hpp"

namespace tenter::mailbox::test {
namespace {

constexpr RequestFields fields{9, Opcode::task, Target::per_rank, -1, 3, 5};

TEST(Envelope, gives_back_the_request_and_its_vector) {
  const Blob blob = write_envelope(fields, bytes_of("hello"));
  const auto envelope = read_envelope(blob.bytes()).value();
  EXPECT_FALSE(envelope.leave);
  EXPECT_EQ(envelope.fields, fields);
  EXPECT_EQ(hex(envelope.vector), hex(bytes_of("hello")));
}

TEST(Envelope, the_order_to_leave_is_nothing_else) {
  EXPECT_TRUE(read_envelope(write_leave_envelope().bytes()).value().leave);
  std::vector<std::byte> longer = mutable_copy(write_leave_envelope());
  longer.push_back(std::byte{0});
  EXPECT_FALSE(read_envelope(Bytes(longer)));
}

TEST(Envelope, no_cut_is_believed_least_of_all_as_the_order_to_leave) {
  for_each_cut(write_envelope(fields, bytes_of("hello")), [](Bytes cut) { EXPECT_FALSE(read_envelope(cut)) << cut.size(); });
  for_each_cut(write_leave_envelope(), [](Bytes cut) { EXPECT_FALSE(read_envelope(cut)) << cut.size(); });
}

TEST(Envelope, one_flipped_bit_never_turns_a_request_into_the_order_to_leave_or_changes_its_length) {
  for_each_flip(write_envelope(fields, bytes_of("hello")), [](Bytes flipped, std::size_t at) {
    const auto envelope = read_envelope(flipped);
    if (!envelope) return;
    EXPECT_FALSE(envelope->leave) << at;
    EXPECT_EQ(envelope->vector.size(), 5u) << at;
    EXPECT_EQ(write_envelope(envelope->fields, envelope->vector), Blob(flipped)) << at;
  });
}

TEST(RankRecord, gives_back_every_outcome) {
  for (const Outcome outcome : {Outcome::idle, Outcome::done, Outcome::application, Outcome::transport}) {
    const Blob blob = write_record({7, outcome, "ValueError", "why", bytes_of("reply")});
    const auto record = read_record(blob.bytes()).value();
    EXPECT_EQ(record.rank, 7u);
    EXPECT_EQ(record.outcome, outcome);
    EXPECT_EQ(record.error_type, "ValueError");
    EXPECT_EQ(record.message, "why");
    EXPECT_EQ(hex(record.reply), hex(bytes_of("reply")));
  }
}

TEST(RankRecord, every_cut_and_an_unknown_outcome_are_refused) {
  const Blob blob = write_record({7, Outcome::done, "T", "why", bytes_of("reply")});
  for_each_cut(blob, [](Bytes cut) { EXPECT_FALSE(read_record(cut)) << cut.size(); });
  EXPECT_FALSE(read_record(with(blob, 12, std::uint32_t{4}).bytes()));
}

TEST(RankRecord, a_text_over_the_limit_is_still_longer_than_an_error_list_takes_so_that_it_is_marked_there) {
  const Blob blob = write_record({7, Outcome::application, std::string(9'999, 't'), std::string(9'999, 'm'), {}});
  const auto record = read_record(blob.bytes()).value();
  EXPECT_GT(record.message.size(), error_message_bytes_max);
  EXPECT_GT(record.error_type.size(), error_type_bytes_max);
}

TEST(Readiness, gives_back_rank_process_and_trouble_and_no_cut_is_believed) {
  const Blob blob = write_readiness({2, {77, 88}, "no device"});
  const auto readiness = read_readiness(blob.bytes()).value();
  EXPECT_EQ(readiness.rank, 2u);
  EXPECT_EQ(readiness.process, (ProcessId{77, 88}));
  EXPECT_EQ(readiness.trouble, "no device");
  for_each_cut(blob, [](Bytes cut) { EXPECT_FALSE(read_readiness(cut)) << cut.size(); });
}

const Manifest manifest{"tenter-abc", 1, 33'620'224, 4, {321, 654}, "a host", seconds(60), seconds(30)};
constexpr std::string_view manifest_text =
    "schema tenter.manifest/1\npage tenter-abc\npage_version 1\npage_bytes 33620224\nworld 4\nowner_pid 321\n"
    "owner_start_time 654\nhost a host\nstart_patience_ns 60000000000\nstop_patience_ns 30000000000\n";

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result(text);
  const std::size_t at = result.find(from);
  EXPECT_NE(at, std::string::npos);
  return result.replace(at, from.size(), to);
}

TEST(ManifestFile, has_one_line_a_field) {
  EXPECT_EQ(write_manifest(manifest).text(), manifest_text);
  EXPECT_EQ(read_manifest(manifest_text).value(), manifest);
}

TEST(ManifestFile, every_cut_is_refused) {
  for (std::size_t size = 0; size < manifest_text.size(); ++size)
    EXPECT_FALSE(read_manifest(manifest_text.substr(0, size))) << size;
}

TEST(ManifestFile, a_broken_line_is_named) {
  EXPECT_REFUSED(read_manifest(replaced(manifest_text, "tenter.manifest/1", "tenter.manifest/2")), "tenter.manifest/2");
  EXPECT_EQ(read_manifest(replaced(manifest_text, "/1", "/2")).error().status, Status::mismatch);
  EXPECT_REFUSED(read_manifest(replaced(manifest_text, "page tenter-abc", "tenter-abc")), "line 2");
  EXPECT_REFUSED(read_manifest(replaced(manifest_text, "world 4", "worlds 4")), "'worlds'", "line 5", "not known");
  EXPECT_REFUSED(read_manifest(replaced(manifest_text, "world 4", "page x")), "'page'", "comes twice");
  EXPECT_REFUSED(read_manifest(replaced(manifest_text, "world 4\n", "")), "'world' is missing");
  EXPECT_REFUSED(read_manifest(""), "empty");
}

TEST(ManifestFile, a_broken_number_is_named) {
  for (const char* value : {"-1", "4x", "0x4", "+4", " 4", "4.0", "4294967296", "99999999999999999999"})
    EXPECT_REFUSED(read_manifest(replaced(manifest_text, "world 4", "world " + std::string(value))), "world is", value);
  EXPECT_REFUSED(read_manifest(replaced(manifest_text, "owner_pid 321", "owner_pid 4294967295")), "owner_pid is");
  EXPECT_REFUSED(read_manifest(replaced(manifest_text, "60000000000", "9223372036854775808")), "start_patience_ns is");
  EXPECT_REFUSED(read_manifest(replaced(manifest_text, "33620224", "18446744073709551616")), "page_bytes is");
}

TEST(RankReport, gives_back_the_process_and_no_cut_is_believed) {
  const RankReport report{3, {4'711, 123'456}};
  const Blob blob = write_report(report);
  EXPECT_EQ(read_report(blob.text()).value(), report);
  for (std::size_t size = 0; size < blob.size(); ++size) EXPECT_FALSE(read_report(blob.text().substr(0, size))) << size;
}

TEST(RankReport, a_pid_that_would_name_a_process_group_is_refused) {
  const Blob blob = write_report({3, {4'711, 5}});
  for (const char* pid : {"0", "2147483648", "4294967295", "18446744073709551615"})
    EXPECT_REFUSED(read_report(replaced(blob.text(), "4711", pid)), "pid is", pid);
}

TEST(Notes, a_request_survives_the_way_through_a_note) {
  const RequestCall call{Opcode::control, Target::rank, 2, seconds(3), Parts{Blob(std::string_view("payload"))}};
  const Note note = request_note(call, 42);
  EXPECT_EQ(note.ticket, 42u);
  EXPECT_EQ(read_request(note).value(), call);
}

TEST(Notes, another_kind_a_negative_patience_and_a_rank_beyond_32_bits_are_no_request) {
  Note note = request_note({});
  note.c = -1;
  EXPECT_REFUSED(read_request(note), "negative");
  note = request_note({});
  note.b = std::int64_t{1} << 32;
  EXPECT_REFUSED(read_request(note), "4294967296");
  EXPECT_REFUSED(read_request(plain_note(NoteKind::join)), "kind 2");
}

TEST(Notes, an_order_to_attach_survives_the_way_through_a_note) {
  for (const Blob& reasons : {Blob(), Blob(std::string_view("[]"))}) {
    const auto order = read_attach(attach_note({Blob(std::string_view("page")), 5, reasons})).value();
    EXPECT_EQ(order.page.text(), "page");
    EXPECT_EQ(order.world, 5u);
    EXPECT_EQ(order.reasons, reasons);
  }
  EXPECT_FALSE(read_attach(attach_note({Blob(), 5, {}})));
  EXPECT_FALSE(read_attach(attach_note({Blob(std::string_view("page")), 0, {}})));
  EXPECT_FALSE(read_attach(plain_note(NoteKind::round)));
}

TEST(Notes, an_answer_that_failed_carries_an_error_list) {
  const Note note = answer_error(Status::no_space, "QueueFull", "busy");
  EXPECT_EQ(note.status, Status::no_space);
  EXPECT_EQ(decode_error_list(note.text.bytes()), (std::vector<RankError>{{-1, "QueueFull", "busy", false}}));
  EXPECT_TRUE(leave_is_orderly(leave_note(true, {})));
  EXPECT_FALSE(leave_is_orderly(leave_note(false, {})));
}

}  // namespace
}  // namespace tenter::mailbox::test
