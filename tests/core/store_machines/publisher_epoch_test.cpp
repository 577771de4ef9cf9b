// Epochs of method window, and a process that is in no group. Spec A1; D25, D26.
#include "publisher_kit.hpp"

namespace tenter::store::test {
namespace publisher_epoch_test {
namespace {

Publishes opened_with(Method method) {
  PublisherConfig config;
  config.ranks = 2;
  config.method = method;
  config.provider = blob("shm");
  Publishes s{Publisher(config), {}};
  const std::string what = std::string("open with method ") + (method == Method::window ? "window" : "fabric") + ", provider shm";
  wire::Writer writer;
  writer.u64(own_generation.low).u64(own_generation.high);
  return std::move(s << open_call() << host() << drawn() << fabric_opened() << agreed(3, what, writer.blob()) << outcome(4));
}
Event epoch(CallKind kind) { return call_of(call_note(kind), Ticket{9}); }
// The ranks' exchange of the call that is under way, as they all see it.
Event exchanged(const Publishes& s) {
  const auto& mine = s.last<action::Allgather>();
  return event::CollectiveDone{Time{0}, mine.op, Status::ok, {}, Parts{mine.content, mine.content}};
}
Note answer(Publishes& s, CallKind kind) {
  s << epoch(kind);
  s << exchanged(s);
  return s.last<action::Complete>().outcome;
}

TEST(PublisherEpoch, begins_and_ends_in_turn_with_one_exchange_each) {
  Publishes s = opened_with(Method::window);
  for (int round = 0; round < 3; ++round)
    for (const CallKind kind : {CallKind::epoch_begin, CallKind::epoch_end}) {
      const std::size_t exchanges = s.all<action::Allgather>().size();
      const Note said = answer(s, kind);
      EXPECT_EQ(said.status, Status::ok) << said.text.text();
      EXPECT_EQ(CallKind{said.kind}, kind);
      EXPECT_EQ(s.all<action::Allgather>().size(), exchanges + 1);
    }
}

TEST(PublisherEpoch, D25_misuse_is_an_error_and_the_epoch_stays_as_it_was) {
  Publishes s = opened_with(Method::window);
  const Publisher before = s.machine;
  const Note early = answer(s, CallKind::epoch_end);
  EXPECT_EQ(early.status, Status::unavailable);
  EXPECT_NE(early.text.text().find("no epoch has begun"), std::string_view::npos) << early.text.text();
  EXPECT_EQ(s.machine.state_name(), before.state_name());
  EXPECT_EQ(answer(s, CallKind::epoch_begin).status, Status::ok);
  const Note twice = answer(s, CallKind::epoch_begin);
  EXPECT_EQ(twice.status, Status::unavailable);
  EXPECT_NE(twice.text.text().find("an epoch has begun already"), std::string_view::npos) << twice.text.text();
  EXPECT_EQ(answer(s, CallKind::epoch_end).status, Status::ok);
}

TEST(PublisherEpoch, D25_of_another_method_or_of_a_store_that_is_not_open_is_an_error) {
  Publishes s = opened_with(Method::fabric);
  const Note other = answer(s, CallKind::epoch_begin);
  EXPECT_EQ(other.status, Status::unavailable);
  EXPECT_NE(other.text.text().find("method window"), std::string_view::npos) << other.text.text();
  PublisherConfig config;
  config.ranks = 2;
  config.method = Method::window;
  Publishes closed{Publisher(config), {}};
  const Note early = answer(closed, CallKind::epoch_begin);
  EXPECT_EQ(early.status, Status::unavailable);
  EXPECT_NE(early.text.text().find("not open"), std::string_view::npos) << early.text.text();
}

TEST(PublisherEpoch, D25_one_rank_that_begins_while_another_ends_is_an_error_on_both) {
  Publishes s = opened_with(Method::window);
  s << epoch(CallKind::epoch_begin);
  const auto& mine = s.last<action::Allgather>();
  const Blob theirs = encode_intent({Status::unavailable, "no epoch has begun", "epoch_end", {}});
  s << event::CollectiveDone{Time{0}, mine.op, Status::ok, {}, Parts{mine.content, theirs}};
  const Note said = s.last<action::Complete>().outcome;
  EXPECT_NE(said.status, Status::ok);
  EXPECT_NE(said.text.text().find("rank 1"), std::string_view::npos) << said.text.text();
  EXPECT_EQ(answer(s, CallKind::epoch_end).status, Status::unavailable);  // none has begun here either
}

TEST(PublisherWithoutAGroup, D26_is_refused_before_anything_is_created) {
  for (const Method method : {Method::file, Method::fabric, Method::window}) {
    PublisherConfig config;
    config.rank = 0;
    config.ranks = 0;
    config.method = method;
    Publishes s{Publisher(config), {}};
    s << open_call();
    const Note said = s.last<action::Complete>().outcome;
    EXPECT_EQ(said.status, Status::invalid);
    EXPECT_NE(said.text.text().find("rank 0 of 0"), std::string_view::npos) << said.text.text();
    EXPECT_TRUE(s.all<action::DescribeHost>().empty());
    EXPECT_TRUE(s.all<action::Allgather>().empty());
    EXPECT_TRUE(s.all<action::OpenFabric>().empty());
  }
}

}  // namespace
}  // namespace publisher_epoch_test
}  // namespace tenter::store::test
