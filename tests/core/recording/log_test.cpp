#include <gtest/gtest.h>

#include "core/text.hpp"
#include "tests/core/recording/samples.hpp"

namespace tenter::recording {
namespace {

using samples::Log;
using samples::log_of_each;

struct Read {
  bool opened = false;
  std::vector<Record> records;
  std::optional<Error> error;
  bool complete = false, cut = false;
};

Read read_all(Bytes bytes, const BlobStore& blobs) {
  Read read;
  auto reader = LogReader::open(bytes, blobs);
  if (!reader) {
    read.error = reader.error();
    return read;
  }
  read.opened = true;
  while (true) {
    auto record = reader->next();
    if (!record) {
      read.error = record.error();
      read.cut = reader->cut();
      break;
    }
    if (!*record) break;
    read.records.push_back(std::move(**record));
  }
  read.complete = reader->complete() && !read.error;
  return read;
}

bool is_front_of(const std::vector<Record>& front, const std::vector<Record>& whole) {
  return front.size() <= whole.size() && std::equal(front.begin(), front.end(), whole.begin());
}

TEST(Recording, every_kind_of_event_is_read_as_it_was_written) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Log log = log_of_each(seed, 3);
    const Read read = read_all(log.bytes, BlobStore(log.blobs));
    ASSERT_FALSE(read.error) << "seed " << seed << ": " << read.error->what;
    ASSERT_EQ(read.records.size(), 3 * std::variant_size_v<Event::Variant>);
    for (std::size_t i = 0; i < read.records.size(); ++i)
      ASSERT_EQ(read.records[i], log.records[i]) << "seed " << seed << " record " << i << " " << text_of(log.records[i].event);
    ASSERT_TRUE(read.complete);
  }
}

TEST(Recording, the_header_is_read_as_it_was_written) {
  const LogWriter writer(samples::header());
  const auto reader = LogReader::open(writer.batch().log.bytes(), BlobStore());
  ASSERT_TRUE(reader) << reader.error().what;
  EXPECT_EQ(reader->header(), samples::header());
}

TEST(Recording, a_log_cut_at_any_byte_reads_correctly_up_to_there) {
  const Log log = log_of_each(7);
  const BlobStore blobs(log.blobs);
  std::size_t ended_between_records = 0, last_read = 0;
  for (std::size_t length = 0; length < log.bytes.size(); ++length) {
    const Read read = read_all(Bytes(log.bytes).first(length), blobs);
    ASSERT_TRUE(is_front_of(read.records, log.records)) << "cut at " << length;
    ASSERT_FALSE(read.complete) << "cut at " << length;
    ASSERT_GE(read.records.size(), last_read) << "cut at " << length;
    last_read = read.records.size();
    if (read.opened && !read.error) ++ended_between_records;
    if (read.opened && read.error) {
      ASSERT_TRUE(read.cut) << "cut at " << length << ": " << read.error->what;
    }
  }
  EXPECT_EQ(ended_between_records, log.records.size() + 1);
  EXPECT_EQ(last_read, log.records.size());
}

TEST(Recording, no_flipped_bit_makes_a_wrong_record) {
  const Log log = log_of_each(11);
  const BlobStore blobs(log.blobs);
  for (std::size_t at = 0; at < log.bytes.size(); ++at) {
    for (unsigned mask : {0x01u, 0x02u, 0x04u, 0x08u, 0x10u, 0x20u, 0x40u, 0x80u, 0xffu}) {
      std::vector<std::byte> damaged = log.bytes;
      damaged[at] ^= static_cast<std::byte>(mask);
      const Read read = read_all(damaged, blobs);
      ASSERT_TRUE(read.error) << "byte " << at << " mask " << mask;
      // A damaged end looks like the rest of a record: nothing but the end is lost.
      ASSERT_FALSE(read.cut && at < log.starts.back()) << "byte " << at << " mask " << mask << ": " << read.error->what;
      ASSERT_TRUE(is_front_of(read.records, log.records)) << "byte " << at << " mask " << mask;
      ASSERT_NE(read.error->what.find("offset"), std::string::npos) << read.error->what;
    }
  }
}

TEST(Recording, a_flipped_byte_is_named_by_the_offset_of_its_record) {
  const Log log = log_of_each(13);
  const BlobStore blobs(log.blobs);
  for (std::size_t at = log.starts.front(); at < log.bytes.size(); ++at) {
    std::vector<std::byte> damaged = log.bytes;
    damaged[at] ^= std::byte{0xff};
    const Read read = read_all(damaged, blobs);
    const auto start = std::prev(std::upper_bound(log.starts.begin(), log.starts.end(), at));
    ASSERT_TRUE(read.error) << "byte " << at;
    const std::string wanted =
        "record " + std::to_string(start - log.starts.begin()) + " at offset " + std::to_string(*start) + ":";
    ASSERT_EQ(read.error->what.rfind(wanted, 0), 0u) << "byte " << at << ": " << read.error->what;
  }
}

TEST(Recording, a_flipped_byte_of_the_side_file_is_named_by_the_offset_of_its_blob) {
  const Log log = log_of_each(17);
  const std::size_t at = blobs_magic.size() + blob_head_bytes;  // the first byte of the first blob
  std::vector<std::byte> damaged = log.blobs;
  damaged.at(at) ^= std::byte{0x01};
  const Read read = read_all(log.bytes, BlobStore(damaged));
  ASSERT_TRUE(read.error);
  EXPECT_FALSE(read.cut);
  EXPECT_NE(read.error->what.find("whole up to offset " + std::to_string(blobs_magic.size())), std::string::npos)
      << read.error->what;
}

TEST(Recording, a_record_left_out_or_put_elsewhere_is_noticed) {
  LogWriter writer(samples::header());
  std::vector<std::size_t> starts;
  for (std::uint32_t i = 0; i < 4; ++i) {
    starts.push_back(writer.batch().log.size());
    writer.append(Role{0}, event::Swapped{Time{1000}, Op{1}, 5}, 9);  // from the second one on all alike
  }
  const Bytes written = writer.batch().log.bytes();
  std::vector<std::byte> bytes(written.begin(), written.end());
  bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(starts[1]), bytes.begin() + static_cast<std::ptrdiff_t>(starts[2]));
  const Read read = read_all(bytes, BlobStore());
  EXPECT_TRUE(read.error);
  EXPECT_EQ(read.records.size(), 1u);
}

TEST(Recording, a_long_blob_is_stored_once_and_missed_when_its_side_file_is_cut) {
  const Blob payload(std::string_view("a payload that does not fit into the record itself"));
  LogWriter writer(samples::header());
  for (int i = 0; i < 3; ++i) writer.append(Role{0}, event::Copied{Time{i}, Op{1}, payload}, 0);
  ASSERT_EQ(writer.batch().side.size(), blob_head_bytes + payload.size());
  std::vector<std::byte> side = samples::side_file(writer.batch());
  EXPECT_EQ(read_all(writer.batch().log.bytes(), BlobStore(side)).records.size(), 3u);
  side.pop_back();
  const Read read = read_all(writer.batch().log.bytes(), BlobStore(side));
  ASSERT_TRUE(read.error);
  EXPECT_NE(read.error->what.find("side file"), std::string::npos) << read.error->what;
  EXPECT_TRUE(read.records.empty());
}

// The hot path of a request through the page: operations carry the request's number in their upper half, records come some
// hundred microseconds apart.
TEST(Recording, a_typical_record_takes_16_bytes_at_most) {
  LogWriter writer(samples::header());
  std::size_t before = 0, largest = 0;
  std::size_t total = 0, records = 0;
  for (std::uint64_t sequence = 1; sequence <= 100'000; ++sequence) {
    const Time now{static_cast<std::int64_t>(1'000'000'000 + sequence * 900'000)};
    const auto value = static_cast<std::uint32_t>(sequence);
    const Event events[] = {event::WordChanged{now, Op{3 | (sequence << 32)}, Word{4096}, value},
                            event::Swapped{now + microseconds(120), Op{5 | (sequence << 32)}, value},
                            event::TimerFired{now + microseconds(400), Op{9 | (sequence << 32)}}};
    for (const Event& event : events) {
      before = writer.batch().log.size();
      writer.append(Role{1}, event, short_digest(sequence * 0x9E3779B97F4A7C15u));
      const std::size_t bytes = writer.batch().log.size() - before;
      if (sequence > 1) largest = std::max(largest, bytes);  // the first one of a kind has nothing to differ from
      total += bytes;
      ++records;
    }
  }
  std::printf("%.2f bytes a record, %zu at most\n", static_cast<double>(total) / static_cast<double>(records), largest);
  RecordProperty("largest", std::to_string(largest));
  EXPECT_LE(largest, 16u);
}

}  // namespace
}  // namespace tenter::recording
