// What a Publisher refuses, and what its texts say. Spec B5; D16, D17, D18, D20, D24, D27.
#include "publisher_kit.hpp"

namespace tenter::store::test {
namespace publisher_test {
namespace {

Note said(const Publishes& s) { return s.last<action::Complete>().outcome; }
std::string text(const Note& note) { return std::string(note.text.text()); }
// What rank 0 tells the others.
Intent concluded(const Publishes& s) { return *decode_intent(s.last<action::Bcast>().content); }
// What this rank thinks of its own call.
Intent intent(const Publishes& s) { return *decode_intent(s.last<action::Allgather>().content); }

TEST(Publisher, refuses_a_name_whose_heartbeat_moves_and_names_the_job) {
  Publishes s = listening();
  s << file_done(11, Status::ok, heartbeat_of_another(1)) << look_due(12) << listed(13)
    << file_done(14, Status::ok, heartbeat_of_another(2));
  EXPECT_EQ(concluded(s).status, Status::exists);
  EXPECT_TRUE(concluded(s).text.starts_with("it is published by job \"train/7\" on node-3, generation "));
  EXPECT_TRUE(concluded(s).text.ends_with(", which is alive"));
  EXPECT_TRUE(s.all<action::PublishFile>().empty());
}

TEST(Publisher, replaces_the_record_of_a_job_whose_heartbeat_stands_still_for_four_periods) {
  Publishes s = listening();
  for (std::uint64_t look = 0; look < 4; ++look) {
    s << file_done(11 + 3 * look, Status::ok, heartbeat_of_another(1));
    EXPECT_TRUE(s.all<action::PublishFile>().empty()) << look;
    s << look_due(12 + 3 * look) << listed(13 + 3 * look);
  }
  s << file_done(23, Status::ok, heartbeat_of_another(1));
  EXPECT_EQ(s.all<action::PublishFile>().size(), 1u);
}

TEST(Publisher, does_not_take_a_heartbeat_that_cannot_be_read_for_a_dead_one) {
  for (const Status status : {Status::denied, Status::failed}) {
    Publishes s = listening();
    for (std::uint64_t look = 0; look < 4; ++look)
      s << file_done(11 + 3 * look, status) << look_due(12 + 3 * look) << listed(13 + 3 * look);
    EXPECT_TRUE(s.all<action::PublishFile>().empty());
    s << file_done(23, status);
    EXPECT_TRUE(s.all<action::PublishFile>().empty());
    EXPECT_EQ(concluded(s).status, status);
    EXPECT_TRUE(concluded(s).text.starts_with("it is published by job \"train/7\" on node-3, generation "));
    EXPECT_TRUE(concluded(s).text.ends_with(", whose heartbeat cannot be read: a cause"));
  }
}

TEST(Publisher, hears_a_living_job_behind_a_read_that_failed) {
  Publishes s = listening();
  s << file_done(11, Status::ok, heartbeat_of_another(1)) << look_due(12) << listed(13) << file_done(14, Status::failed)
    << look_due(15) << listed(16) << file_done(17, Status::ok, heartbeat_of_another(2));
  EXPECT_EQ(concluded(s).status, Status::exists);
}

TEST(Publisher, lists_the_directory_before_it_believes_that_a_heartbeat_is_not_there) {
  Publishes s = listening();
  s << file_done(11, Status::not_found);
  EXPECT_TRUE(s.all<action::PublishFile>().empty());
  s << listed(12) << file_done(13, Status::not_found);
  EXPECT_EQ(s.all<action::PublishFile>().size(), 1u);
  Publishes late = listening();
  late << file_done(11, Status::not_found) << listed(12) << file_done(13, Status::ok, heartbeat_of_another(1));
  EXPECT_TRUE(late.all<action::PublishFile>().empty());
}

TEST(Publisher, replaces_a_damaged_record_only_when_it_stays_so) {
  Publishes s = looking_at_record();
  for (std::uint64_t look = 0; look < 4; ++look) {
    s << file_done(10 + 3 * look, Status::ok, blob("damaged"));
    EXPECT_TRUE(s.all<action::PublishFile>().empty()) << look;
    s << look_due(11 + 3 * look) << listed(12 + 3 * look);
  }
  Publishes whole = s;
  whole << file_done(22, Status::ok, record_of_another());
  EXPECT_TRUE(whole.all<action::PublishFile>().empty()) << "it is another job's after all";
  s << file_done(22, Status::ok, blob("damaged"));
  EXPECT_EQ(s.all<action::PublishFile>().size(), 1u);
}

TEST(Publisher, refuses_a_name_whose_record_cannot_be_read_or_is_of_another_format_version) {
  Publishes s = looking_at_record();
  for (std::uint64_t look = 0; look < 4; ++look)
    s << file_done(10 + 3 * look, Status::denied) << look_due(11 + 3 * look) << listed(12 + 3 * look);
  s << file_done(22, Status::denied);
  EXPECT_EQ(concluded(s).status, Status::denied);
  EXPECT_EQ(concluded(s).text, "whether another job has published it: a cause");
  std::vector<std::byte> bytes = mutable_copy(record_of_another());
  bytes[layout::version.offset] = std::byte{9};
  Publishes other = looking_at_record();
  other << file_done(10, Status::ok, Blob(Bytes(bytes)));
  EXPECT_EQ(concluded(other).status, Status::mismatch);
  EXPECT_TRUE(other.all<action::PublishFile>().empty());
}

TEST(Publisher, names_both_ranks_when_they_differ_and_creates_nothing) {
  Publishes s = agreeing_to_add();
  s << agreed_to_add("add \"x\" of int8 [4]");
  EXPECT_EQ(said(s).status, Status::mismatch);
  EXPECT_EQ(text(said(s)), "add \"x\": ranks differ: rank 0 calls add \"x\" of uint8 [4], rank 1 calls add \"x\" of int8 [4]");
  EXPECT_TRUE(s.all<action::RegisterRegion>().empty());
}

TEST(Publisher, gives_the_region_back_when_another_rank_has_none_or_rank_0_cannot_publish) {
  Publishes s = undoing();
  EXPECT_EQ(s.last<action::UnregisterRegion>().region, Region{1});
  s << fabric_done(9);
  EXPECT_EQ(text(said(s)), "add \"x\": rank 1: no memory");
  Publishes full = publishing();
  full << file_done(11, Status::no_space);
  EXPECT_EQ(concluded(full).text, "its record was not published: a cause");
  full << outcome(12, Status::no_space) << fabric_done(13);
  EXPECT_EQ(said(full).status, Status::no_space);
  EXPECT_EQ(full.machine.variables(), 0u);
}

TEST(Publisher, refuses_its_own_call_before_anything_is_created) {
  Publishes s = published();
  s << add_call();
  EXPECT_EQ(intent(s).status, Status::exists);
  EXPECT_EQ(intent(s).text, "it is published already");
  Publishes closed = not_open();
  closed << add_call();
  EXPECT_EQ(intent(closed).text, "the store is not open");
  EXPECT_EQ(closed.out.actions().size(), 1u) << "nothing but the exchange of intents";
}

TEST(Publisher, refuses_updates_outside_its_rows_and_of_what_it_does_not_publish) {
  Publishes s = published();
  s.clear();
  s << call_of(update_note({blob("x"), 2, blob("abcd")})) << call_of(update_note({blob("x"), 0, blob("abc")}))
    << call_of(update_note({blob("x"), ~0ull, blob("abcdabcd")})) << call_of(update_note({blob("y"), 0, blob("abcd")}));
  const auto answers = s.all<action::Complete>();
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_EQ(text(answers[0].outcome), "update \"x\": 1 rows from row 2 of this rank on, it has 2");
  EXPECT_EQ(text(answers[1].outcome), "update \"x\": 3 bytes are no whole rows of 4");
  EXPECT_EQ(answers[2].outcome.status, Status::invalid);
  EXPECT_EQ(answers[3].outcome.status, Status::not_found);
  EXPECT_TRUE(s.all<action::StoreRegion>().empty());
}

TEST(Publisher, leaves_a_record_that_is_another_jobs_by_now_and_says_which_file_stays) {
  Publishes s = checking();
  s << file_done(15, Status::ok, record_of_another());
  EXPECT_TRUE(s.all<action::RemoveFile>().empty());
  Publishes stays = removing();
  stays << file_done(16, Status::denied) << from_beacon(NoteKind::withdrawn) << file_done(18);
  EXPECT_EQ(concluded(stays).status, Status::denied);
  EXPECT_EQ(concluded(stays).text, "left behind: a record: a cause");
}

}  // namespace
}  // namespace publisher_test
}  // namespace tenter::store::test
