// A reading process that outlives the jobs that it reads from (spec B5; D1, D14, D16, D22, D23).
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "hw/resource.hpp"
#include "hw/store/directory.hpp"
#include "tests/store_hw/served_job.hpp"

namespace tenter::store_hw {
namespace {

std::uint64_t entries_of(const char* folder) {
  std::uint64_t entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++entries;
  return entries;
}
std::uint64_t resident_kib() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 1024;
}

TEST(StoreReaderOnHardware, reads_the_bytes_of_a_job_that_was_started_again_or_is_told_and_never_the_old_ones) {
  const Folder folder;
  std::vector<std::byte> bytes;
  ServedJob first(folder, 1);
  auto reader = open_reader(folder);
  ASSERT_TRUE(reader) << reader.error().what;
  const auto joined = (*reader)->join("x", seconds(30));
  ASSERT_TRUE(joined) << joined.error().what;
  auto got = read_all(**reader, bytes, seconds(10));
  ASSERT_TRUE(got) << got.error().what;
  EXPECT_TRUE(are_rows(bytes, 1));

  first.kill();
  ServedJob second(folder, 77);
  got = read_all(**reader, bytes, seconds(4));
  ASSERT_FALSE(got) << "the dead job's rows were read";
  EXPECT_NE(got.error().what.find("\"x\""), std::string::npos) << got.error().what;
  (void)(*reader)->leave("x", seconds(10));
  const auto again = (*reader)->join("x", seconds(60));
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_NE(again->generation, joined->generation);
  got = read_all(**reader, bytes, seconds(10));
  ASSERT_TRUE(got) << got.error().what;
  EXPECT_TRUE(are_rows(bytes, 77));
  EXPECT_TRUE((*reader)->leave("x", seconds(10)));
  EXPECT_EQ(second.close(), 0);
}

TEST(StoreReaderOnHardware, believes_no_real_record_that_is_cut_anywhere_or_has_a_flipped_bit) {
  const Folder folder;
  ServedJob job(folder, 5);
  {
    auto reader = open_reader(folder);
    ASSERT_TRUE(reader) << reader.error().what;
    ASSERT_TRUE((*reader)->join("x", seconds(30)));
    ASSERT_TRUE((*reader)->leave("x", seconds(10)));
  }
  const std::string path = folder.store() + "/x.record", whole = file_bytes(path);
  ASSERT_GT(whole.size(), 100u);
  auto directory = hw::StoreDirectory::open(folder.store());
  auto reader = open_reader(folder);
  ASSERT_TRUE(directory && reader);
  const auto refused = [&](const std::string& bytes, const std::string& what) {
    write_file(path, bytes);
    EXPECT_FALSE(directory->record("x")) << what;
    const auto joined = (*reader)->join("x", milliseconds(1));
    ASSERT_FALSE(joined) << what;
    EXPECT_NE(joined.error().what.find("x.record"), std::string::npos) << what << ": " << joined.error().what;
  };
  for (std::size_t k = 0; k < whole.size(); ++k) refused(whole.substr(0, k), "cut at byte " + std::to_string(k));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
    refused(flipped, "a flipped bit of byte " + std::to_string(at));
  }
  refused(whole + '\0', "a byte more");
  write_file(path, whole);
  std::vector<std::byte> bytes;
  const auto joined = (*reader)->join("x", seconds(30));
  ASSERT_TRUE(joined) << joined.error().what;
  ASSERT_TRUE(read_all(**reader, bytes, seconds(10)));
  EXPECT_TRUE(are_rows(bytes, 5));
  EXPECT_TRUE((*reader)->leave("x", seconds(10)));
  EXPECT_EQ(job.close(), 0);
}

// Every attempt ends at another step: no record, a damaged one, a wrong number of ranks, no time for an answer to the probes.
TEST(StoreReaderOnHardware, a_thousand_joins_in_vain_leave_nothing_and_the_next_one_succeeds) {
  const Folder folder;
  ServedJob job(folder, 9);
  std::vector<std::byte> bytes;
  auto reader = open_reader(folder);
  ASSERT_TRUE(reader) << reader.error().what;
  ASSERT_TRUE((*reader)->join("x", seconds(30)));
  ASSERT_TRUE(read_all(**reader, bytes, seconds(10)));
  ASSERT_TRUE((*reader)->leave("x", seconds(10)));
  const std::string path = folder.store() + "/x.record", whole = file_bytes(path);
  std::string damaged = whole;
  damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 1);
  write_file(folder.store() + "/damaged.record", damaged);

  std::string held;
  std::uint64_t descriptors = 0, threads = 0;
  std::vector<std::uint64_t> resident;  // KiB, after every 200 attempts
  for (int i = 0; i < 1'000; ++i) {
    switch (i % 4) {
      case 0:
        EXPECT_FALSE((*reader)->join("nothing", milliseconds(1)));
        break;
      case 1:
        EXPECT_FALSE((*reader)->join("damaged", milliseconds(1)));
        break;
      case 2:
        EXPECT_FALSE((*reader)->join("x", milliseconds(100), 3)) << "three ranks are wanted, there is one";
        break;
      default:  // an endpoint is opened, a connection is begun, and there is no time for an answer
        (void)(*reader)->join("x", milliseconds(1));
        (void)(*reader)->leave("x", seconds(10));
    }
    if (i == 200) {  // whatever is made once is made by now
      held = hw::Resources::held_text();
      descriptors = entries_of("/proc/self/fd");
      threads = entries_of("/proc/self/task");
    }
    if (i % 200 == 199) resident.push_back(resident_kib());
  }
  EXPECT_EQ(hw::Resources::held_text(), held);
  EXPECT_EQ(entries_of("/proc/self/task"), threads);
  EXPECT_LE(entries_of("/proc/self/fd"), descriptors + 2) << "a connection of the last attempt may be closing";
  // The provider's pools grow once, by many MiB, when more connections than before are being closed at once; what is lost grows
  // every time.
  std::uint64_t least = resident[1] - std::min(resident[0], resident[1]);
  for (std::size_t k = 2; k < resident.size(); ++k) least = std::min(least, resident[k] - std::min(resident[k - 1], resident[k]));
  EXPECT_LE(least, 1'000u) << "200 attempts; 5 KiB lost by each would be seen";
  const auto joined = (*reader)->join("x", seconds(30));
  ASSERT_TRUE(joined) << joined.error().what;
  ASSERT_TRUE(read_all(**reader, bytes, seconds(10)));
  EXPECT_TRUE(are_rows(bytes, 9));
  EXPECT_TRUE((*reader)->leave("x", seconds(10)));
  EXPECT_EQ(job.close(), 0);
}

TEST(StoreReaderOnHardware, opening_a_thousand_times_leaves_nothing_whether_it_succeeds_or_not) {
  const Folder folder;
  const std::string none = hw::Resources::held_text();
  std::uint64_t descriptors = 0;
  for (int i = 0; i < 1'000; ++i) {
    hw::StoreReaderOptions options;
    options.directory = i % 2 == 0 ? folder.store() : folder.path() + "/missing";
    options.provider = provider;
    EXPECT_EQ(hw::StoreReader::open(options).has_value(), i % 2 == 0);
    if (i == 10) descriptors = entries_of("/proc/self/fd");
  }
  EXPECT_EQ(entries_of("/proc/self/fd"), descriptors);
  EXPECT_EQ(hw::Resources::held_text(), none);
}

}  // namespace
}  // namespace tenter::store_hw
