// What hosts see of a shared file system, and what their crash takes: the profiles nfs, lazy and crash (docs/ports/files.md).
#include <gtest/gtest.h>

#include "tests/sim/puppet.hpp"

namespace tenter::sim {
namespace {

// Two processes on hosts of their own, and one that shares the second's; what the tape says of a kind is said at every place.
class Hosts {
 public:
  explicit Hosts(TapeEntries tape, PublishSteps steps = {})
      : puppets_(3, std::move(tape), [&](Scenario& scenario) {
          const char* hosts[] = {"writer", "reader", "reader"};
          for (std::size_t i = 0; i < 3; ++i) scenario.processes()[i]->on_host(hosts[i]);
          scenario.processes()[0]->crashes();
          for (const Tag kind : {Tag::file_stale, Tag::file_late, Tag::host_crash, Tag::crash}) scenario.allow(kind, 100);
          scenario.files_publish_with(steps);
        }) {}

  Status publish(std::size_t process, const char* path, std::string_view content) {
    puppets_.perform(process, action::PublishFile{Op{++ops_}, Blob(path), Blob(content)});
    return std::get<event::FileDone>(*puppets_.next(process)).status;
  }
  Status make(std::size_t process, const char* path) {
    puppets_.perform(process, action::MakeDirectory{Op{++ops_}, Blob(path)});
    return std::get<event::FileDone>(*puppets_.next(process)).status;
  }
  Status remove(std::size_t process, const char* path) {
    puppets_.perform(process, action::RemoveFile{Op{++ops_}, Blob(path)});
    return std::get<event::FileDone>(*puppets_.next(process)).status;
  }
  // Its content; "-" when it is missing.
  std::string read(std::size_t process, const char* path) {
    puppets_.perform(process, action::ReadFile{Op{++ops_}, Blob(path), 100'000});
    const auto done = std::get<event::FileDone>(*puppets_.next(process));
    return done.status == Status::not_found ? "-" : std::string(done.content.text());
  }
  std::size_t names(std::size_t process, const char* directory) {
    puppets_.perform(process, action::ListFiles{Op{++ops_}, Blob(directory)});
    return std::get<event::FilesListed>(*puppets_.next(process)).names.size();
  }
  void pass(Duration time) {
    puppets_.perform(2, action::Arm{Op{++ops_}, puppets_.world().process(2).local(puppets_.world().now()) + time});
    puppets_.next(2);
  }
  // The writer's next action is its last, and its host's, though the answer of the one before has come.
  void crash_writer() {
    puppets_.perform(0, action::Cancel{Op{++ops_}});
    EXPECT_EQ(puppets_.world().process(0).life, Life::gone);
    EXPECT_EQ(puppets_.world().host_crashes(), 1u);
  }
  const Blob* on_server(const char* path) { return puppets_.world().files().content(path); }

 private:
  PuppetWorld puppets_;
  std::uint64_t ops_ = 0;
};

TapeEntries always(Tag tag, std::uint32_t process, std::uint32_t n, std::uint32_t answer) {
  TapeEntries entries;
  for (std::uint32_t i = 0; i < 64; ++i) entries.push_back({tag, process, i, n, answer});
  return entries;
}

// Answer 1 + 4 * exponent + shown: the others see it 2^exponent ms later; shown: the older state, cut, zeroes, mixed. A file of
// several blocks asks a second time: how many are there already.
TapeEntries late(std::uint32_t exponent, std::uint32_t shown, std::uint32_t whole_blocks) {
  const std::uint32_t asked = whole_blocks == 0 ? 1 : 2;
  TapeEntries entries;
  for (std::uint32_t i = 0; i < 64; i += asked) entries.push_back({Tag::file_late, 0, i, 49, 1 + 4 * exponent + shown});
  for (std::uint32_t i = 1; i < 64 && asked == 2; i += 2) entries.push_back({Tag::file_late, 0, i, 4, whole_blocks});
  return entries;
}

std::string text_of_blocks(std::size_t blocks, char letter) { return std::string(blocks * file_block_bytes, letter); }

// ---------------------------------------------------------------- nfs

TEST(FilesOfHosts, a_replaced_file_may_be_seen_as_it_was_for_three_seconds_and_no_longer) {
  Hosts hosts(always(Tag::file_stale, 1, 2, 1));
  hosts.publish(0, "a", "old");
  EXPECT_EQ(hosts.read(1, "a"), "old");
  hosts.publish(0, "a", "new");
  EXPECT_EQ(hosts.read(0, "a"), "new") << "its own write";
  EXPECT_EQ(hosts.read(1, "a"), "old");
  hosts.pass(seconds(3));
  EXPECT_EQ(hosts.read(1, "a"), "new");
}

TEST(FilesOfHosts, a_name_may_stay_missing_for_thirty_seconds_until_its_directory_is_listed) {
  Hosts hosts(always(Tag::file_stale, 1, 2, 1));
  EXPECT_EQ(hosts.read(1, "a"), "-");
  hosts.publish(0, "a", "there");
  hosts.pass(seconds(29));
  EXPECT_EQ(hosts.read(1, "a"), "-");
  hosts.pass(seconds(1));
  EXPECT_EQ(hosts.read(1, "a"), "there");
  EXPECT_EQ(hosts.read(1, "b"), "-");
  hosts.publish(0, "b", "there too");
  EXPECT_EQ(hosts.read(1, "b"), "-");
  EXPECT_EQ(hosts.names(1, ""), 2u) << "a list is never older";
  EXPECT_EQ(hosts.read(1, "b"), "there too");
}

TEST(FilesOfHosts, a_directory_may_stay_missing_so_that_nothing_can_be_written_there_yet) {
  Hosts hosts(always(Tag::file_stale, 1, 2, 1));
  EXPECT_EQ(hosts.publish(1, "d/lease", "x"), Status::not_found);
  EXPECT_EQ(hosts.make(0, "d"), Status::ok);
  EXPECT_EQ(hosts.read(1, "d/lease"), "-") << "looked up in a directory that is there: kept as missing";
  EXPECT_EQ(hosts.publish(1, "d/lease", "x"), Status::ok);
  EXPECT_EQ(hosts.read(1, "d/lease"), "x") << "its own write";
}

TEST(FilesOfHosts, processes_of_one_host_share_what_it_believes) {
  Hosts hosts(always(Tag::file_stale, 2, 2, 1));
  EXPECT_EQ(hosts.read(1, "a"), "-");
  hosts.publish(0, "a", "there");
  EXPECT_EQ(hosts.read(2, "a"), "-") << "as the other one looked it up";
  EXPECT_EQ(hosts.read(1, "a"), "-") << "of the same cache";
  EXPECT_EQ(hosts.read(0, "a"), "there");
}

// ---------------------------------------------------------------- lazy

TEST(FilesOfHosts, a_write_may_be_seen_late_by_others_and_at_once_by_its_own_host) {
  Hosts hosts(late(10, 0, 0));
  hosts.publish(0, "a", "first");
  EXPECT_EQ(hosts.read(0, "a"), "first");
  EXPECT_EQ(hosts.read(1, "a"), "-");
  EXPECT_EQ(hosts.names(1, ""), 0u);
  hosts.pass(milliseconds(1'024));
  EXPECT_EQ(hosts.read(1, "a"), "first");
  EXPECT_EQ(hosts.names(1, ""), 1u);
  hosts.publish(0, "a", "second");
  EXPECT_EQ(hosts.read(1, "a"), "first");
  hosts.pass(milliseconds(1'024));
  EXPECT_EQ(hosts.remove(0, "a"), Status::ok);
  EXPECT_EQ(hosts.read(1, "a"), "second") << "a removal is late, too";
}

TEST(FilesOfHosts, a_write_may_be_listed_before_its_bytes_are_there) {
  const std::string whole = text_of_blocks(4, 'n');
  for (const std::uint32_t shown : {1u, 2u, 3u}) {
    SCOPED_TRACE(shown);
    Hosts hosts(late(8, shown, 3));
    hosts.publish(0, "a", whole);
    EXPECT_EQ(hosts.names(1, ""), 1u);
    const std::string expected = text_of_blocks(3, 'n') + (shown == 2 ? text_of_blocks(1, '\0') : "");
    EXPECT_EQ(hosts.read(1, "a"), expected) << "there is no older file to mix it with";
    hosts.pass(milliseconds(256));
    EXPECT_EQ(hosts.read(1, "a"), whole);
  }
}

TEST(FilesOfHosts, a_mixture_is_the_newer_file_up_to_a_block_and_the_older_one_behind_it) {
  Hosts hosts(late(8, 3, 2));
  hosts.publish(0, "a", text_of_blocks(4, 'o') + "tail");
  hosts.pass(seconds(1));
  hosts.publish(0, "a", text_of_blocks(4, 'n'));
  EXPECT_EQ(hosts.read(1, "a"), text_of_blocks(2, 'n') + text_of_blocks(2, 'o') + "tail");
}

// ---------------------------------------------------------------- crash

// The writer's third action is its last; that its host crashes with it and every loss that is possible are the answers after it.
TapeEntries crash_at_third(std::uint32_t torn = 0) {
  TapeEntries entries = always(Tag::host_crash, 0, 2, 1);
  if (torn != 0) entries[1] = {Tag::host_crash, 0, 1, 9, torn};
  if (torn != 0) entries[2] = {};  // the name is kept
  std::erase_if(entries, [](const TapeEntry& entry) { return entry.answer == 0; });
  for (std::uint32_t answer = 1; answer < places_max; ++answer)
    if (place_of(answer) == 3) {
      entries.push_back({Tag::crash, 0, 0, places_max, answer});
      break;
    }
  return entries;
}

TEST(FilesOfHosts, what_was_published_and_acknowledged_survives_the_crash_of_its_host) {
  Hosts hosts(crash_at_third());
  hosts.publish(0, "a", "old");
  hosts.publish(0, "a", "new");
  hosts.crash_writer();
  ASSERT_NE(hosts.on_server("a"), nullptr);
  EXPECT_EQ(hosts.on_server("a")->text(), "new");
}

TEST(FilesOfHosts, a_directory_that_was_made_and_a_file_that_was_removed_may_be_as_before) {
  Hosts made(crash_at_third());
  made.publish(0, "a", "kept");
  made.make(0, "d");
  made.crash_writer();
  EXPECT_EQ(made.names(1, ""), 1u) << "the directory is gone, what was synced is not";
  Hosts removed(crash_at_third());
  removed.publish(0, "a", "x");
  removed.remove(0, "a");
  removed.crash_writer();
  ASSERT_NE(removed.on_server("a"), nullptr);
  EXPECT_EQ(removed.on_server("a")->text(), "x");
}

TEST(FilesOfHosts, a_later_publish_in_the_same_directory_syncs_what_was_changed_there_before) {
  Hosts hosts(crash_at_third());
  hosts.make(0, "d");
  hosts.publish(0, "a", "x");
  hosts.crash_writer();
  EXPECT_EQ(hosts.names(1, ""), 2u);
}

TEST(FilesOfHosts, without_a_sync_of_the_directory_an_acknowledged_file_is_gone) {
  Hosts hosts(crash_at_third(), {true, false});
  hosts.publish(0, "a", "old");
  hosts.publish(0, "a", "new");
  hosts.crash_writer();
  EXPECT_EQ(hosts.on_server("a"), nullptr);
}

TEST(FilesOfHosts, without_a_sync_of_the_bytes_a_file_is_torn_at_a_block) {
  Hosts cut(crash_at_third(7), {false, true});
  cut.make(0, "d");
  cut.publish(0, "a", text_of_blocks(4, 'n'));
  cut.crash_writer();
  EXPECT_EQ(cut.on_server("a")->text(), text_of_blocks(3, 'n'));
  Hosts zeroes(crash_at_third(4), {false, true});
  zeroes.make(0, "d");
  zeroes.publish(0, "a", text_of_blocks(4, 'n'));
  zeroes.crash_writer();
  EXPECT_EQ(zeroes.on_server("a")->text(), text_of_blocks(1, 'n') + text_of_blocks(3, '\0'));
}

}  // namespace
}  // namespace tenter::sim
