// D1: a thousand joins that fail, at each of their steps in turn, leave nothing; the next one succeeds. Joiner and Reader are
// tried by themselves: each gives back what it took, by its own actions.
#include "core/store/reader.hpp"
#include "joiner_kit.hpp"

namespace tenter::store::test {
namespace failed_joins_test {
namespace {

constexpr int attempts = 1'000;

std::uint64_t sequence_of(Op op) { return number(op) >> 8; }

// One join after the other, by whatever numbers the Joiner chose.
class ManyJoins {
 public:
  void begin() { s_ << call_of(join_note({name_of_sample(), seconds(20), 0, DType::raw, true})); }
  void read(Blob content, Status status = Status::ok) {
    s_ << file_of(JoinerOperation::read, sequence_of(s_.last<action::ReadFile>().op), std::move(content), status);
  }
  void probed(Status status = Status::ok) { s_ << attached_note(attached(), status); }
  void heartbeat_missing() {
    s_ << file_of(JoinerOperation::beat, sequence_of(s_.last<action::ReadFile>().op), {}, Status::not_found);
  }
  void announce(Status status = Status::ok) {
    if (s_.all<action::DrawRandom>().size() == 1 && !drawn_) {
      drawn_ = true;
      s_ << drawn_lease();
    }
    s_ << announced_note(status);
  }
  void deadline() {
    const auto deadlines = s_.all<action::Arm>();
    Op op{};
    for (const action::Arm& arm : deadlines)
      if ((number(arm.op) & 0xFF) == static_cast<std::uint64_t>(JoinerOperation::deadline)) op = arm.op;
    s_ << event::TimerFired{after(20'000), op};
  }
  void detached() { s_ << detached_note(attached()); }
  void expect_nothing_left(int attempt) {
    EXPECT_EQ(s_.machine.state_name(), "idle") << attempt;
    EXPECT_EQ(s_.machine.lease(), LeaseState::none) << attempt;
    const auto answers = s_.all<action::Complete>();
    ASSERT_EQ(answers.size(), 1u) << attempt;
    EXPECT_EQ(answers[0].outcome.status, Status::timed_out) << attempt;
    expect_timers_cancelled(attempt);
    s_.clear();
  }
  void expect_joined() {
    EXPECT_EQ(s_.machine.joined(), 1u);
    EXPECT_EQ(s_.machine.lease(), LeaseState::held);
    EXPECT_EQ(s_.last<action::Complete>().outcome.status, Status::ok);
  }

 private:
  std::uint64_t attached() {
    std::uint64_t number_of = 0;
    for (const action::Tell& tell : s_.all<action::Tell>())
      if (is(tell.note, NoteKind::attach)) number_of = static_cast<std::uint64_t>(tell.note.a);
    return number_of;
  }
  // Every look that was armed has fired or was cancelled; the deadline, too.
  void expect_timers_cancelled(int attempt) {
    const auto armed = s_.all<action::Arm>();
    const auto cancelled = s_.all<action::Cancel>();
    for (const action::Arm& arm : armed)
      EXPECT_TRUE(std::any_of(cancelled.begin(), cancelled.end(), [&](const auto& c) { return c.op == arm.op; }))
          << attempt << ": " << number(arm.op);
  }
  Joins s_ = nothing_joined();
  bool drawn_ = false;
};

TEST(Joiner, a_thousand_joins_that_fail_at_each_step_leave_nothing_and_the_next_one_succeeds) {
  const Blob record = encode_record(sample_record());
  ManyJoins joins;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    joins.begin();
    switch (attempt % 7) {
      case 0:  // nothing was answered at all
        joins.deadline();
        break;
      case 1:
        joins.read({}, Status::not_found);
        joins.deadline();
        break;
      case 2:
        joins.read(Blob(record.bytes().first(static_cast<std::size_t>(attempt) % record.size())));
        joins.deadline();
        break;
      case 3:  // the probes are not answered
        joins.read(record);
        joins.deadline();
        joins.detached();
        break;
      case 4:  // a probe fails
        joins.read(record);
        joins.probed(Status::mismatch);
        joins.deadline();
        break;
      case 5:
        joins.read(record);
        joins.probed(Status::failed);
        joins.heartbeat_missing();
        joins.deadline();
        break;
      default:  // the lease cannot be written
        joins.read(record);
        joins.probed();
        joins.announce(Status::no_space);
        joins.deadline();
        joins.detached();
    }
    joins.expect_nothing_left(attempt);
  }
  joins.begin();
  joins.read(record);
  joins.probed();
  joins.announce();
  joins.expect_joined();
}

TEST(Reader, a_thousand_attaches_that_fail_at_each_step_leave_no_endpoint_and_the_next_one_succeeds) {
  using Do = ReaderOperation;
  ReaderConfig config;
  config.owner = Role{4};
  config.provider = Blob(sample_record().provider);
  mailbox::test::Script<Reader> s{Reader(config), {}};
  const Record record = sample_record();
  const auto attach = [&](std::uint64_t number) { s << note_from(config.owner, attach_note(number, encode_record(record))); };
  const auto opened = [&](Status status = Status::ok) {
    s << event::FabricOpened{Time{0}, s.last<action::OpenFabric>().op, status, 0, 3, 1u << 20, name_of_sample(), {}};
  };
  const auto insert = [&](Status last = Status::ok) {
    const auto peers = s.all<action::InsertPeer>();
    for (std::size_t i = 0; i < peers.size(); ++i)
      s << event::FabricDone{Time{0}, peers[i].op, i + 1 == peers.size() ? last : Status::ok, {}};
  };
  const auto probe = [&](Status status, bool right) {
    const auto probes = s.all<action::ReadRemote>();
    for (std::uint32_t rank = 0; rank < probes.size(); ++rank) {
      Generation generation = record.generation;
      generation.low += right ? 0 : 1;
      s << event::ReadDone{Time{0},
                           probes[rank].op,
                           status,
                           encode_identity({generation, identity_of_name(record.variable), record.shards[rank].rows,
                                            format_of(record).slot_bytes(), rank}),
                           {}};
    }
  };
  std::uint64_t number = 0;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    s.clear();
    attach(++number);
    const int step = attempt % 5;
    opened(step == 0 ? Status::failed : Status::ok);
    if (step >= 1) insert(step == 1 ? Status::invalid : Status::ok);
    if (step == 2) probe(Status::failed, true);
    if (step == 3) probe(Status::ok, false);
    if (step == 4) s << note_from(config.owner, number_note(NoteKind::detach, number));  // who waited has given up
    for (const action::CloseFabric& close : s.all<action::CloseFabric>())
      s << event::FabricDone{Time{0}, close.op, Status::ok, {}};
    EXPECT_EQ(s.all<action::CloseFabric>().size(), step == 0 ? 0u : 1u) << attempt;
    EXPECT_EQ(s.all<action::OpenFabric>().size(), 1u) << attempt << ": nothing is opened for nobody";
    EXPECT_EQ(s.machine.state_name(), "closed") << attempt;
    EXPECT_EQ(s.machine.attachments(), 0u) << attempt;
    EXPECT_EQ(s.machine.reads_in_flight(), 0u) << attempt;
    EXPECT_EQ(s.all<action::Tell>().size(), 1u) << attempt << ": its owner is told once";
  }
  s.clear();
  attach(++number);
  opened();
  insert();
  probe(Status::ok, true);
  EXPECT_EQ(s.last<action::Tell>().note, number_note(NoteKind::attached, number));
}

}  // namespace
}  // namespace failed_joins_test
}  // namespace tenter::store::test
