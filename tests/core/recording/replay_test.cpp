#include "core/recording/replay.hpp"

#include <gtest/gtest.h>

#include "core/recording/value.hpp"
#include "core/traced.hpp"
#include "tests/core/recording/samples.hpp"

namespace tenter::recording {
namespace {

struct CounterConfig {
  Rank rank{};
  bool loud = false;
  std::int32_t slip_at = -1;  // the word's value at which this machine behaves differently
  Duration pause{};
  Status answer = Status::ok;
  std::string label;
  Blob seed;
  friend bool operator==(const CounterConfig&, const CounterConfig&) = default;
  TENTER_DESCRIBE(counter_config, rank, loud, slip_at, pause, answer, label, seed)
};

class Counter {
 public:
  explicit Counter(CounterConfig config) : config_(std::move(config)) {}
  template <SharedPage O>
  void on(const event::Started&, O& out) {
    out.watch(Op{1}, Word{64}, 0);
  }
  template <SharedPage O>
  void on(const event::WordChanged& changed, O& out) {
    sum_ += changed.value;
    if (static_cast<std::int32_t>(changed.value) == config_.slip_at) return;
    out.publish(Word{128}, static_cast<std::uint32_t>(sum_));
    out.watch(Op{1}, Word{64}, changed.value);
  }
  std::string_view state_name() const { return "counting"; }
  TENTER_DESCRIBE(counter, config_, sum_)

 private:
  CounterConfig config_;
  std::uint64_t sum_ = 0;
};

CounterConfig config() { return {Rank{3}, true, -1, milliseconds(5), Status::peer_lost, "a label", Blob("\x01\x02")}; }

// Records a run of one machine as the loop does: through Traced.
std::vector<std::byte> recording(CounterConfig of, bool orderly) {
  LogWriter writer({"counting", "rank-3", Rank{3}, {{"counter", encode_value(of)}}});
  Counter machine(of);
  Outbox world;
  Traced<Outbox> traced(world);
  auto feed = [&](const Event& event) {
    deliver(machine, event, traced);
    writer.append(Role{0}, event, short_digest(traced.take_digest()));
  };
  feed(event::Started{Time{10}});
  for (std::uint32_t value = 1; value <= 50; ++value) feed(event::WordChanged{Time{20 * value}, Op{1}, Word{64}, value});
  feed(event::FilesChanged{Time{2000}, Op{4}});  // not handled: answered with nothing
  if (orderly) writer.end();
  const Bytes log = writer.batch().log.bytes();
  return {log.begin(), log.end()};
}

ReplayResult replay_with(Bytes log, CounterConfig of) {
  auto reader = LogReader::open(log, BlobStore());
  EXPECT_TRUE(reader);
  std::vector<AnyMachine> machines{AnyMachine(Counter(std::move(of)))};
  return replay(*reader, machines);
}

TEST(Replay, the_same_machine_answers_every_event_alike) {
  const auto log = recording(config(), true);
  const auto reader = LogReader::open(log, BlobStore());
  ASSERT_TRUE(reader);
  const auto from_header = decode_value<CounterConfig>(reader->header().roles.at(0).configuration.bytes());
  ASSERT_TRUE(from_header) << from_header.error().what;
  const ReplayResult result = replay_with(log, *from_header);
  EXPECT_TRUE(result.equal());
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.steps, 52u);
}

TEST(Replay, a_changed_machine_is_found_at_the_step_where_it_differs) {
  const auto log = recording(config(), true);
  CounterConfig changed = config();
  changed.slip_at = 17;
  const ReplayResult result = replay_with(log, changed);
  ASSERT_TRUE(result.difference);
  EXPECT_EQ(result.difference->step, 17u);  // after Started and sixteen values
  EXPECT_EQ(result.steps, 17u);
  EXPECT_EQ(result.difference->role, Role{0});
  EXPECT_EQ(result.difference->event, "word_changed(now=340, op=1, word=64, value=17)");
  EXPECT_EQ(result.difference->actions, "none");
  EXPECT_EQ(result.difference->got, digest_of_actions({}));
  EXPECT_EQ(result.difference->expected,
            digest_of_actions({action::Publish{Word{128}, 153}, action::Watch{Op{1}, Word{64}, 17}}));
}

TEST(Replay, a_log_without_its_end_is_replayed_and_called_incomplete) {
  const ReplayResult result = replay_with(recording(config(), false), config());
  EXPECT_TRUE(result.equal());
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.steps, 52u);
}

TEST(Replay, damage_is_told_apart_from_a_difference) {
  auto log = recording(config(), true);
  log[log.size() / 2] ^= std::byte{0x10};
  const ReplayResult result = replay_with(log, config());
  EXPECT_FALSE(result.difference);
  ASSERT_TRUE(result.damage);
  EXPECT_FALSE(result.equal());
}

TEST(Value, a_configuration_is_read_as_it_was_written) {
  const Blob bytes = encode_value(config());
  const auto read = decode_value<CounterConfig>(bytes.bytes());
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, config());
}

struct Named {
  std::array<std::byte, 4> digest{};
  std::uint32_t number = 0;
  friend bool operator==(const Named&, const Named&) = default;
  TENTER_DESCRIBE(named, digest, number)
};

TEST(Value, an_array_of_bytes_is_read_as_it_was_written_and_none_of_another_length_is_taken) {
  const Named named{{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{255}}, 7};
  const auto read = decode_value<Named>(encode_value(named).bytes());
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, named);
  ValueSink sink;
  sink.blob(Blob("abc"));
  sink.number(7);
  EXPECT_FALSE(decode_value<Named>(sink.written()));
}

TEST(Value, cut_or_longer_bytes_are_no_configuration) {
  const Blob bytes = encode_value(config());
  for (std::size_t length = 0; length < bytes.size(); ++length)
    ASSERT_FALSE(decode_value<CounterConfig>(bytes.bytes().first(length))) << length;
  std::vector<std::byte> longer(bytes.bytes().begin(), bytes.bytes().end());
  longer.push_back(std::byte{0});
  const auto read = decode_value<CounterConfig>(longer);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().what.find("counter_config"), std::string::npos);
}

}  // namespace
}  // namespace tenter::recording
