// D7, D2: a thousand adds that fail, at each of their steps in turn, give every region back; the next one succeeds.
#include "publisher_kit.hpp"

namespace tenter::store::test {
namespace failed_adds_test {
namespace {

// The answer that the newest operation of one kind waits for, whatever its number is.
class ManyAdds {
 public:
  void begin() { s_ << add_call(); }
  void agree(const std::string& other = {}) { s_ << agreed(gathered(), "add \"x\" of uint8 [4]", {}, other); }
  void registered(Status status = Status::ok) {
    s_ << event::RegionRegistered{Time{0}, s_.last<action::RegisterRegion>().op, status, blob("key"), 0x1000, blob("a cause")};
  }
  void share(Status status = Status::ok) {
    auto event = std::get<event::CollectiveDone>(shards(status));
    event.op = s_.last<action::Allgather>().op;
    s_ << Event(event);
  }
  void look(Status status, Blob content = {}) {
    s_ << event::FilesListed{Time{0}, s_.last<action::ListFiles>().op, Status::ok, {}};
    s_ << event::FileDone{Time{0}, s_.last<action::ReadFile>().op, status, std::move(content)};
  }
  void heartbeat(std::uint64_t count) {
    s_ << event::FileDone{Time{0}, s_.last<action::ReadFile>().op, Status::ok, heartbeat_of_another(count)};
  }
  void look_again() {
    Op op{};
    for (const action::Arm& arm : s_.all<action::Arm>()) op = arm.op;
    s_ << event::TimerFired{after(2'000), op};
    s_ << event::FilesListed{Time{0}, s_.last<action::ListFiles>().op, Status::ok, {}};
  }
  void publish(Status status) { s_ << event::FileDone{Time{0}, s_.last<action::PublishFile>().op, status, blob("a cause")}; }
  // What rank 0 said comes back to it, as to everybody.
  void conclude() {
    const auto said = s_.last<action::Bcast>();
    s_ << event::CollectiveDone{Time{0}, said.op, Status::ok, said.content, {}};
  }
  void lose_the_outcome() {
    s_ << event::CollectiveDone{Time{0}, s_.last<action::Bcast>().op, Status::failed, blob("a cause"), {}};
  }
  void undone() { s_ << event::FabricDone{Time{0}, s_.last<action::UnregisterRegion>().op, Status::ok, {}}; }
  void attached() {
    s_ << note_from(reader_role, number_note(NoteKind::attached, static_cast<std::uint64_t>(s_.last<action::Tell>().note.a)));
  }
  Status answered() const { return s_.last<action::Complete>().outcome.status; }

  void expect_nothing_left(int attempt) {
    EXPECT_EQ(s_.machine.state_name(), "idle") << attempt;
    EXPECT_EQ(s_.machine.variables(), 0u) << attempt;
    ASSERT_EQ(s_.all<action::Complete>().size(), 1u) << attempt;
    EXPECT_NE(answered(), Status::ok) << attempt;
    const auto made = s_.all<action::RegisterRegion>();
    const auto given_back = s_.all<action::UnregisterRegion>();
    ASSERT_EQ(made.size(), given_back.size()) << attempt;
    for (std::size_t i = 0; i < made.size(); ++i) EXPECT_EQ(made[i].region, given_back[i].region) << attempt;
    s_.clear();
  }
  void expect_published() {
    EXPECT_EQ(s_.machine.variables(), 1u);
    EXPECT_EQ(answered(), Status::ok);
    EXPECT_TRUE(s_.all<action::UnregisterRegion>().empty());
  }
  void clear() { s_.clear(); }

 private:
  std::uint64_t gathered() const { return number(s_.last<action::Allgather>().op) >> 8; }
  Publishes s_ = open_store();
};

// Each step is taken; at the one of this attempt it fails.
void fail_at(ManyAdds& adds, int step) {
  adds.begin();
  if (step == 0) return adds.agree("add \"x\" of int8 [4]");
  adds.agree();
  adds.registered(step == 1 ? Status::no_space : Status::ok);
  adds.share(step == 1 || step == 2 ? Status::no_space : Status::ok);
  if (step <= 2) return adds.undone();
  if (step == 3) {  // a living job has the name
    adds.look(Status::ok, record_of_another());
    adds.heartbeat(1);
    adds.look_again();
    adds.heartbeat(2);
  } else if (step == 4) {  // another format version, perhaps a living job's
    std::vector<std::byte> bytes = mutable_copy(record_of_another());
    bytes[layout::version.offset] = std::byte{9};
    adds.look(Status::ok, Blob(Bytes(bytes)));
  } else {
    adds.look(Status::not_found);
    adds.publish(step == 5 ? Status::no_space : Status::ok);
  }
  if (step == 6)
    adds.lose_the_outcome();
  else
    adds.conclude();
  adds.undone();
}

TEST(Publisher, a_thousand_adds_that_fail_at_each_step_give_every_region_back_and_the_next_one_succeeds) {
  ManyAdds adds;
  adds.clear();
  for (int attempt = 0; attempt < 1'000; ++attempt) {
    fail_at(adds, attempt % 7);
    adds.expect_nothing_left(attempt);
  }
  adds.begin();
  adds.agree();
  adds.registered();
  adds.share();
  adds.look(Status::not_found);
  adds.publish(Status::ok);
  adds.conclude();
  adds.attached();
  adds.expect_published();
}

}  // namespace
}  // namespace failed_adds_test
}  // namespace tenter::store::test
