// What a Reader refuses, and what its texts say; its table of all states and events. Spec B5, D11, D12, D14, D23, D24, D27.
#include "core/store/reader.hpp"

#include "joiner_kit.hpp"
#include "tests/core/golden.hpp"

namespace tenter::store::test {
namespace reader_test {
namespace {

using Reads = mailbox::test::Script<Reader>;
using Do = ReaderOperation;
constexpr Role owner{4};

// Operations: open 1, inserts 2 to 4, probes 5 to 7, the first read of rows 8.
Reads closed() {
  ReaderConfig config;
  config.owner = owner;
  config.provider = Blob(sample_record().provider);
  return {Reader(config), {}};
}
Event attach(const Record& record = sample_record()) { return note_from(owner, attach_note(1, encode_record(record))); }
Event detach() { return note_from(owner, number_note(NoteKind::detach, 1)); }
Event opened(Status status = Status::ok, std::uint32_t format = 3) {
  return event::FabricOpened{Time{0},
                             operation(Do::open, 1),
                             status,
                             0x34,
                             format,
                             1u << 20,
                             Blob(std::string_view("own")),
                             Blob(std::string_view("a cause"))};
}
Event done(Do kind, std::uint64_t sequence, Status status = Status::ok) {
  return event::FabricDone{Time{0}, operation(kind, sequence), status, Blob(std::string_view("a cause"))};
}
Event probe(std::uint64_t sequence, std::uint32_t rank, Status status = Status::ok, std::uint64_t other_job = 0,
            bool versioned = false) {
  const Record record = sample_record(versioned);
  Generation generation = record.generation;
  generation.low += other_job;
  const std::uint64_t slot = format_of(record).slot_bytes();
  return event::ReadDone{Time{0}, operation(Do::read, sequence), status,
                         encode_identity({generation, identity_of_name(record.variable), record.shards[rank].rows, slot, rank}),
                         Blob(std::string_view("a cause"))};
}
Event landed(std::uint64_t sequence, Status status = Status::ok) {
  return event::ReadDone{Time{0}, operation(Do::read, sequence), status, {}, Blob(std::string_view("a cause"))};
}
Event get(std::uint64_t first, std::uint64_t rows, std::uint64_t bytes, DType wanted = DType::float32) {
  return call_of(get_note({name_of_sample(), {{first, rows}}, Buffer{1}, bytes, seconds(5), wanted, false}));
}
Event get_deadline() { return event::TimerFired{after(5'000), operation(Do::deadline, 1)}; }
Reads opening() { return std::move(closed() << attach()); }
Reads inserting() { return std::move(opening() << opened()); }
Reads probing() { return std::move(inserting() << done(Do::insert, 2) << done(Do::insert, 3) << done(Do::insert, 4)); }
Reads serving() { return std::move(probing() << probe(5, 0) << probe(6, 1) << probe(7, 2)); }
Reads reading() { return std::move(serving() << get(0, 2, 48)); }

Note told(const Reads& s) { return s.last<action::Tell>().note; }
Note said(const Reads& s) { return s.last<action::Complete>().outcome; }
std::string text(const Note& note) { return std::string(note.text.text()); }

TEST(Reader, believes_a_variable_when_every_rank_has_passed_its_probe_the_one_without_rows_too) {
  Reads s = probing();
  s << probe(5, 0) << probe(7, 2);
  EXPECT_TRUE(s.all<action::Tell>().empty());
  s << probe(6, 1);
  EXPECT_EQ(told(s), number_note(NoteKind::attached, 1));
}

TEST(Reader, refuses_a_region_of_another_generation_and_names_variable_and_rank) {
  Reads s = probing();
  s << probe(6, 1, Status::ok, 1) << done(Do::close, 8);
  EXPECT_EQ(told(s).status, Status::mismatch);
  EXPECT_TRUE(text(told(s)).starts_with("variable \"x/größe 1\": generation changed: region of rank 1: ")) << text(told(s));
}

TEST(Reader, names_rank_and_cause_of_a_probe_and_an_address_that_failed) {
  Reads s = probing();
  s << probe(6, 1, Status::failed) << done(Do::close, 8);
  EXPECT_EQ(text(told(s)), "probe of variable \"x/größe 1\", rank 1: the probe failed: a cause");
  Reads address = inserting();
  address << done(Do::insert, 4, Status::invalid) << done(Do::close, 5);
  EXPECT_EQ(text(told(address)), "probe of variable \"x/größe 1\", rank 2: its address was refused: a cause");
}

TEST(Reader, refuses_another_provider_and_another_address_format_with_both) {
  Record other = sample_record();
  other.provider = "shm";
  Reads s = closed();
  s << attach(other);
  EXPECT_EQ(text(told(s)), "variable \"x/größe 1\" is served by provider shm, this process uses tcp;ofi_rxm");
  Reads format = opening();
  format << opened(Status::ok, 9) << done(Do::close, 2);
  EXPECT_EQ(text(told(format)), "variable \"x/größe 1\" has addresses of format 3, this endpoint's are of format 9");
}

TEST(Reader, refuses_a_wrong_get_before_anything_is_posted) {
  Reads s = serving();
  s.clear();
  s << get(0, 2, 47);
  EXPECT_EQ(text(said(s)), "get: the rows wanted have 48 bytes, the buffer 47");
  s << get(0, 2, 48, DType::int32);
  EXPECT_EQ(text(said(s)), "get: variable \"x/größe 1\" has elements of float32, they are wanted as int32");
  s << get(6, 2, 48);
  EXPECT_EQ(said(s).status, Status::invalid);
  Reads none = closed();
  none << get(0, 2, 48);
  EXPECT_EQ(text(said(none)), "get: there is no variable \"x/größe 1\"; join it first");
  EXPECT_EQ(s.out.actions().size(), 3u) << "nothing but three answers";
  EXPECT_EQ(none.machine, closed().machine);
}

TEST(Reader, answers_a_late_get_only_after_its_endpoint_is_closed_and_drops_what_comes_then) {
  Reads s = reading();
  s << get_deadline();
  EXPECT_TRUE(s.all<action::Complete>().empty());
  EXPECT_EQ(s.last<action::CloseFabric>().endpoint, Endpoint{1});
  s << landed(8);
  EXPECT_TRUE(s.all<action::Complete>().empty());
  s << done(Do::close, 9);
  EXPECT_EQ(said(s).status, Status::timed_out);
  EXPECT_EQ(text(said(s)), "get: variable \"x/größe 1\", rank 0: 1 of 1 reads were not answered by the deadline");
}

TEST(Reader, takes_an_answer_of_another_length_than_was_asked_for_a_failure) {
  Reads direct = reading();
  const Event more = event::ReadDone{Time{0}, operation(Do::read, 8), Status::ok, Blob(std::string_view("abc")), {}};
  direct << more;
  EXPECT_EQ(direct.last<action::CloseFabric>().endpoint, Endpoint{1});
  EXPECT_TRUE(direct.all<action::Complete>().empty());
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{79}, std::size_t{81}, std::size_t{4'096}}) {
    Reads s = closed();
    s << attach(sample_record(true)) << opened() << done(Do::insert, 2) << done(Do::insert, 3) << done(Do::insert, 4);
    for (std::uint32_t rank = 0; rank < 3; ++rank) s << probe(5 + rank, rank, Status::ok, 0, true);
    s << get(0, 2, 48);
    ASSERT_EQ(s.last<action::ReadRemote>().bytes, 2 * format_of(sample_record(true)).slot_bytes());
    ASSERT_NE(s.last<action::ReadRemote>().bytes, bytes);
    s << event::ReadDone{Time{0}, operation(Do::read, 8), Status::ok, mailbox::test::sized(bytes), {}};
    EXPECT_TRUE(s.all<action::FillBuffer>().empty()) << bytes;
    EXPECT_TRUE(s.all<action::Complete>().empty()) << bytes;
    EXPECT_EQ(s.all<action::CloseFabric>().size(), 1u) << bytes;
  }
}

TEST(Reader, table_of_all_states_and_events) {
  tenter::test::GoldenTable<Reader> table;
  table.state("closed", closed().machine);
  table.state("opening", opening().machine);
  table.state("serving/inserting", inserting().machine);
  table.state("serving/probing", probing().machine);
  table.state("serving", serving().machine);
  table.state("serving/reading", reading().machine);
  table.state("closing", (reading() << get_deadline()).machine);
  table.state("closing/failed probe", (probing() << probe(5, 0, Status::failed)).machine);
  const std::string other = "not what is awaited";
  table.event("started", event::Started{}, "begins with an attach");
  table.event("told(attach)", attach());
  table.event("told(attach, no record)", note_from(owner, number_note(NoteKind::attach, 2)));
  table.event("told(detach)", detach());
  table.event("told(foreign)", note_from(owner, plain_note(NoteKind::say)), "of no meaning here");
  table.event("told(by a stranger)", note_from(stranger_role, number_note(NoteKind::detach, 1)), "not its owner");
  table.event("submitted(get)", get(0, 2, 48));
  table.event("submitted(get of nothing)", get(0, 0, 0));
  table.event("submitted(get outside)", get(6, 2, 48));
  table.event("submitted(no get)", call_of(close_note({})));
  table.event("fabric_opened", opened(), other);
  table.event("fabric_opened(failed)", opened(Status::failed), other);
  table.event("fabric_done(insert)", done(Do::insert, 2), other);
  table.event("fabric_done(insert, failed)", done(Do::insert, 2, Status::failed), other);
  table.event("fabric_done(close 9)", done(Do::close, 9), other);
  table.event("fabric_done(close 8)", done(Do::close, 8), other);
  table.event("region_registered", event::RegionRegistered{}, "it registers nothing");
  table.event("read_done(probe)", probe(5, 0), "no probe awaits it, or its endpoint was given up");
  table.event("read_done(probe, failed)", probe(5, 0, Status::failed), "no probe awaits it, or its endpoint was given up");
  table.event("read_done(probe, another job's)", probe(5, 0, Status::ok, 1), "no probe awaits it, or its endpoint was given up");
  table.event("read_done(rows)", landed(8), "no read awaits it, or its endpoint was given up");
  table.event("read_done(rows, failed)", landed(8, Status::failed), "no read awaits it, or its endpoint was given up");
  table.event("timer_fired(deadline)", get_deadline(), "no get, or it is being ended");
  table.event("timer_fired(again)", event::TimerFired{Time{0}, operation(Do::again, 1)}, "no torn row rests");
  table.expect_complete({"closed", "opening", "serving", "closing"});
  table.expect_matches("store_reader");
}

}  // namespace
}  // namespace reader_test
}  // namespace tenter::store::test
